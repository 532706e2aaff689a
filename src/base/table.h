/*
 * table - a hash table of array indexes.
 *
 * The entries are in arrays of the caller. The caller compares them; the table
 * only finds the candidates with equal hash.
 */
#ifndef CP_TABLE_H
#define CP_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CP_TABLE_END UINT32_MAX /* no more entries */

struct cp_table_slot {
    uint64_t hash;
    uint32_t index; /* entry index + 1; 0 if free */
};

/* Initialize with { 0 }. */
struct cp_table {
    struct cp_table_slot *slots;
    size_t mask, n;
};

/*
 * Returns the next entry with that hash, or CP_TABLE_END. *probe is the state
 * of the search and starts as 0.
 */
static inline uint32_t cp_table_next(const struct cp_table *t, uint64_t hash,
                                     size_t *probe)
{
    while (t->slots) {
        const struct cp_table_slot *s =
            &t->slots[(hash + (*probe)++) & t->mask];

        if (!s->index)
            break;
        if (s->hash == hash)
            return s->index - 1;
    }
    return CP_TABLE_END;
}

/* Inserts an entry; it must not be in the table yet. */
enum cp_status cp_table_add(struct cp_table *t, uint64_t hash, uint32_t index,
                            struct cp_error *err);

void cp_table_release(struct cp_table *t);

#endif
