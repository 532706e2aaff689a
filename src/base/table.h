/*
 * table - from hashes to array indexes.
 *
 * The entries are in arrays of their owner, who compares them; this only finds
 * the candidates.
 */
#ifndef CP_TABLE_H
#define CP_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CP_TABLE_END UINT32_MAX /* no more entries */

struct cp_table_slot {
    uint64_t hash;
    uint32_t index; /* of the entry + 1; 0 for empty */
};

/* Starts as { 0 }. */
struct cp_table {
    struct cp_table_slot *slots;
    size_t mask, n;
};

/*
 * The next entry with that hash, or CP_TABLE_END; *probe starts as 0 and
 * belongs to this function.
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

/* Adds an entry that is not there yet. */
enum cp_status cp_table_add(struct cp_table *t, uint64_t hash, uint32_t index,
                            struct cp_error *err);

void cp_table_release(struct cp_table *t);

#endif
