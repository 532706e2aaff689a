/*
 * pages_alloc - base/alloc.h inside a stranger's process: memory of our own.
 *
 * Takes the place of base/alloc.c in the library. Memory comes from mmap and
 * never from the program's malloc, whose locks may be held and whose profile
 * must not show us; there is a limit, and the sum is known. Safe from any
 * thread; not in signal context.
 */
#ifndef CP_PAGES_ALLOC_H
#define CP_PAGES_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* The limit in bytes; 0: none. What is held already stays. */
void cp_pages_set_limit(size_t limit_bytes);
size_t cp_pages_limit(void);

/* So much of the limit is for tables that are mapped elsewhere, for ever. */
void cp_pages_reserve(size_t bytes);

/*
 * For tables that come and go, and that hold much less than they could: up to
 * three eighths of the limit, beside it, so that none of them keeps a profile
 * from being written.
 */
bool cp_pages_charge(size_t bytes);
void cp_pages_uncharge(size_t bytes);

/* Bytes that are mapped now. */
size_t cp_pages_bytes(void);

void cp_pages_before_fork(void);
void cp_pages_after_fork(void);

#endif
