/*
 * tables - maps sample tables within the memory limit of the library.
 *
 * Handlers and hooks touch the pages of a table, and cannot check a limit. So
 * the maximum size of a table is charged when it is mapped; if that exceeds the
 * limit, the table is made smaller.
 *
 * Context: any thread outside signal handlers.
 * Locking: none; the caller owns the table.
 * Ordering: none; the caller publishes the table by an atomic store.
 * Failure: CP_ENOMEM if mmap fails. The smallest table needs no charge.
 */
#ifndef CP_TABLES_H
#define CP_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cp_signal_samples;

#define CP_TABLES_MIN_SLOTS ((size_t)1 << 10) /* 0.3 MB; never charged */

struct cp_tables_options {
    size_t max_bytes;             /* maximum of one table; 0 means unlimited */
    bool (*charge)(size_t bytes); /* false if over the limit; may be NULL */
    void (*uncharge)(size_t bytes); /* may be NULL */
};

/* Call it before the first table is mapped. */
void cp_tables_configure(const struct cp_tables_options *options);

/*
 * Maps a table with n_slots, a power of two, and n_frames; halves both until
 * the table fits.
 */
enum cp_status cp_tables_map(struct cp_signal_samples *s, size_t n_slots,
                             size_t n_frames, struct cp_error *err);

void cp_tables_unmap(struct cp_signal_samples *s);

/* Upper bound of the table's resident memory, bytes. */
size_t cp_tables_bytes(const struct cp_signal_samples *s);

/* Upper bound of resident bytes for `used` of n slots of `size` bytes. */
size_t cp_tables_resident_bytes(size_t used, size_t n, size_t size);

/*
 * Disables transparent huge pages for sparsely used memory: each touch would
 * cost 2 MB.
 */
void cp_tables_disable_huge_pages(void *from, size_t size);

#endif
