/*
 * tables - memory for tables of samples, within what the library may have.
 *
 * Its pages come when they are touched, in handlers and hooks, which cannot ask
 * whether there may be more. So what a table could grow to is counted when it
 * is made, and if that is too much the table is smaller.
 */
#ifndef CP_TABLES_H
#define CP_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cp_signal_samples;

#define CP_TABLES_MIN_SLOTS ((size_t)1 << 10) /* 0.3 MB: always given */

struct cp_tables_options {
    size_t max_bytes;               /* of one table; 0: no limit */
    bool (*charge)(size_t bytes);   /* May there be so much more? NULL: yes */
    void (*uncharge)(size_t bytes); /* what was held */
};

/* Set once, before the first table. */
void cp_tables_configure(const struct cp_tables_options *options);

/*
 * Maps a table of n_slots, a power of two, and n_frames, or of as small a part
 * of both as there is room for. The slots are set last: who sees them sees all.
 */
enum cp_status cp_tables_map(struct cp_signal_samples *s, size_t n_slots,
                             size_t n_frames, struct cp_error *err);

void cp_tables_unmap(struct cp_signal_samples *s);

/* Memory that the table holds, at most. */
size_t cp_tables_bytes(const struct cp_signal_samples *s);

/* What `used` of a table's slots hold, at most, of n with `size` bytes each. */
size_t cp_tables_resident_bytes(size_t used, size_t n, size_t size);

/*
 * Memory that is touched here and there: where the kernel gives large pages
 * unasked, each touch would cost 2 MB.
 */
void cp_tables_disable_huge_pages(void *from, size_t size);

#endif
