/*
 * rules - gives equal rules one number, in the walker's table of all rules.
 *
 * Numbers are never given back: the walker may know them for ever. Even with
 * hundreds of libraries there are a few thousand. Used by one thread at a
 * time, like everything here.
 */
#ifndef CP_CFI_ROWS_H
#define CP_CFI_ROWS_H

#include <stddef.h>
#include <stdint.h>

struct cp_cfi_row;

/* The number of a rule; CP_CFI_NONE when the table is full. */
uint32_t cp_cfi_rows_number(const struct cp_cfi_row *rule);

/* How many there are. */
size_t cp_cfi_rows_count(void);

#endif
