/*
 * cfi_rows - gives equal CFI rows one index in cp_cfi_rows, the array of all
 * rows that the walker reads.
 *
 * An index is never reused, because the walker's caches may hold it. Hundreds
 * of libraries need a few thousand rows.
 *
 * Context: one thread at a time, not a signal handler. Locking: the caller's.
 * Ordering: a row is written before its index is published with an unwind
 * table. Failure: CP_CFI_NONE when the array is full.
 */
#ifndef CP_CFI_ROWS_H
#define CP_CFI_ROWS_H

#include <stddef.h>
#include <stdint.h>

struct cp_cfi_row;

/* Returns the index of a row; adds the row if it is new. */
uint32_t cp_cfi_rows_number(const struct cp_cfi_row *row);

/* Returns the number of rows. */
size_t cp_cfi_rows_count(void);

#endif
