/*
 * pages_alloc - the library's allocator; implements base/alloc.h.
 *
 * The library links it in place of base/alloc.c. Memory comes from mmap, not
 * from the program's malloc: malloc's locks may be held, and the heap profile
 * must not contain the library. The total is known and limited.
 *
 * Context: any thread outside signal handlers.
 * Locking: takes its own lock for blocks up to 32 KiB; the counters are atomic.
 * Failure: cp_alloc returns NULL if the limit is reached.
 */
#ifndef CP_PAGES_ALLOC_H
#define CP_PAGES_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* The limit, bytes; 0 means unlimited. Existing blocks stay. */
void cp_pages_set_limit(size_t limit_bytes);
size_t cp_pages_limit(void);

/* Subtracts bytes from the limit for good, for tables mapped elsewhere. */
void cp_pages_reserve(size_t bytes);

/*
 * Charges a table that is mapped elsewhere for its maximum size, of which most
 * is never touched. The charges may reach three eighths of the limit. They are
 * counted separately from it, so that tables never prevent the writing of a
 * profile. Returns false, and charges nothing, if they would exceed that.
 */
bool cp_pages_charge(size_t bytes);
void cp_pages_uncharge(size_t bytes);

/* Bytes mapped by this allocator. */
size_t cp_pages_bytes(void);

/* Fork protocol (runtime/threads/threads.h): acquire and release the lock. */
void cp_pages_before_fork(void);
void cp_pages_after_fork(void);

#endif
