/*
 * idmap - maps the ids of a file to array indexes.
 *
 * Ids are usually 1..n, so the map is usually an array. Sparse ids (addresses,
 * hashes) use a hash table with open addressing, so that one large id does not
 * need much memory.
 */
#ifndef CP_IDMAP_H
#define CP_IDMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/index.h"

/* Initialize with { 0 }. Memory belongs to the arena given to cp_idmap_init. */
struct cp_idmap {
    uint32_t *dense; /* index + 1 by id, for id < n_dense */
    uint64_t n_dense;
    uint32_t *slots; /* hash table of index + 1 into ids[]; 0 if free */
    uint64_t mask;
    const uint64_t *ids;
    bool has_duplicate;
    uint64_t duplicate;
};

/*
 * Indexes n ids; the array must outlive the map. Records the first duplicate
 * id.
 */
enum cp_status cp_idmap_init(struct cp_idmap *m, struct cp_arena *arena,
                             const uint64_t *ids, uint32_t n,
                             struct cp_error *err);

uint32_t cp_idmap_find_slow(const struct cp_idmap *m, uint64_t id);

/* Returns the index of id, or CP_NONE. */
static inline uint32_t cp_idmap_find(const struct cp_idmap *m, uint64_t id)
{
    if (id < m->n_dense)
        return m->dense[id] - 1; /* 0 - 1 is CP_NONE */
    return m->slots ? cp_idmap_find_slow(m, id) : CP_NONE;
}

#endif
