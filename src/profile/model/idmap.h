/*
 * idmap - from the ids in a file to array indexes.
 *
 * Ids are usually 1..n, so the table is usually a plain array. Ids that are
 * spread out (addresses, hashes) fall back on a hash table, so that a single
 * large id cannot cost large memory.
 */
#ifndef CP_IDMAP_H
#define CP_IDMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/index.h"

/* Starts as { 0 }; lives in the arena it was made with. */
struct cp_idmap {
    uint32_t *dense; /* index + 1 by id, for id < n_dense */
    uint64_t n_dense;
    uint32_t *slots; /* open addressing over ids[], index + 1 */
    uint64_t mask;
    const uint64_t *ids;
    bool has_duplicate;
    uint64_t duplicate;
};

/* Indexes n ids; ids must stay. Notes the first id that stands twice. */
enum cp_status cp_idmap_init(struct cp_idmap *m, struct cp_arena *arena,
                             const uint64_t *ids, uint32_t n,
                             struct cp_error *err);

uint32_t cp_idmap_find_slow(const struct cp_idmap *m, uint64_t id);

/* The index of id, or CP_NONE. */
static inline uint32_t cp_idmap_find(const struct cp_idmap *m, uint64_t id)
{
    if (id < m->n_dense)
        return m->dense[id] - 1; /* 0 - 1 is CP_NONE */
    return m->slots ? cp_idmap_find_slow(m, id) : CP_NONE;
}

#endif
