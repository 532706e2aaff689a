/* idmap.c - builds the dense array or the hash table of an id map. */
#include "profile/model/idmap.h"

#include "base/hash.h"

static void note_duplicate(struct cp_idmap *m, uint64_t id)
{
    if (!m->has_duplicate)
        m->duplicate = id;
    m->has_duplicate = true;
}

static uint32_t *find_slot(const struct cp_idmap *m, uint64_t id)
{
    uint64_t i = cp_hash_mix(id, 1) & m->mask;

    while (m->slots[i] && m->ids[m->slots[i] - 1] != id)
        i = (i + 1) & m->mask;
    return &m->slots[i];
}

static enum cp_status init_sparse(struct cp_idmap *m, struct cp_arena *arena,
                                  uint32_t n, struct cp_error *err)
{
    uint64_t n_slots = 16;

    while (n_slots < (uint64_t)n * 2)
        n_slots *= 2;
    m->slots = cp_arena_alloc(arena, n_slots, sizeof(*m->slots), err);
    if (!m->slots)
        return CP_ENOMEM;
    m->mask = n_slots - 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *slot = find_slot(m, m->ids[i]);

        if (*slot)
            note_duplicate(m, m->ids[i]);
        else
            *slot = i + 1;
    }
    return CP_OK;
}

enum cp_status cp_idmap_init(struct cp_idmap *m, struct cp_arena *arena,
                             const uint64_t *ids, uint32_t n,
                             struct cp_error *err)
{
    uint64_t max_id = 0;

    *m = (struct cp_idmap){ .ids = ids };
    for (uint32_t i = 0; i < n; i++)
        max_id = ids[i] > max_id ? ids[i] : max_id;
    if (max_id / 16 > (uint64_t)n + 64)
        return init_sparse(m, arena, n, err);
    m->n_dense = max_id + 1;
    m->dense = cp_arena_alloc(arena, m->n_dense, sizeof(*m->dense), err);
    if (!m->dense)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        if (m->dense[ids[i]])
            note_duplicate(m, ids[i]);
        else
            m->dense[ids[i]] = i + 1;
    }
    return CP_OK;
}

uint32_t cp_idmap_find_slow(const struct cp_idmap *m, uint64_t id)
{
    return *find_slot(m, id) - 1;
}
