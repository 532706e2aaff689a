/* firefox_tables.c - adds stacks and frames to the tables of a thread. */
#include "report/export/firefox_tables.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "profile/model/profile.h"
#include "report/core/frames.h"

enum cp_status cp_firefox_tables_init(struct cp_firefox_tables *t,
                                      const struct cp_frames *frames,
                                      struct cp_error *err)
{
    *t = (struct cp_firefox_tables){ .frames = frames };
    t->row_of = cp_alloc(frames->n_infos, sizeof(*t->row_of), err);
    t->infos = cp_alloc(frames->n_infos, sizeof(*t->infos), err);
    if (!t->row_of || !t->infos) {
        cp_firefox_tables_release(t);
        return CP_ENOMEM;
    }
    for (uint32_t i = 0; i < frames->n_infos; i++)
        t->row_of[i] = CP_NONE;
    return CP_OK;
}

void cp_firefox_tables_reset(struct cp_firefox_tables *t)
{
    for (uint32_t i = 0; i < t->n_frames; i++)
        t->row_of[t->infos[i]] = CP_NONE;
    t->n_frames = t->n_stacks = 0;
    cp_table_release(&t->by_key);
}

void cp_firefox_tables_release(struct cp_firefox_tables *t)
{
    cp_free(t->row_of);
    cp_free(t->infos);
    cp_free(t->stacks);
    cp_table_release(&t->by_key);
    *t = (struct cp_firefox_tables){ 0 };
}

static uint32_t frame_row(struct cp_firefox_tables *t, uint32_t info)
{
    if (t->row_of[info] == CP_NONE) {
        t->infos[t->n_frames] = info;
        t->row_of[info] = t->n_frames++;
    }
    return t->row_of[info];
}

static enum cp_status add_call(struct cp_firefox_tables *t, uint32_t *stack,
                               uint32_t frame, struct cp_error *err)
{
    struct cp_firefox_stack key = { *stack, frame };
    uint64_t hash = cp_hash_unique((uint64_t)key.prefix << 32 | key.frame);
    size_t probe = 0;
    uint32_t i = cp_table_next(&t->by_key, hash, &probe);

    if (i != CP_TABLE_END) {
        *stack = i;
        return CP_OK;
    }
    if (t->n_stacks >= CP_NONE - 1)
        return cp_error_set(err, CP_EFORMAT, "too many stacks");
    if (cp_reserve(&t->stacks, &t->cap_stacks, (size_t)t->n_stacks + 1,
                   sizeof(*t->stacks), err) != CP_OK ||
        cp_table_add(&t->by_key, hash, t->n_stacks, err) != CP_OK)
        return CP_ENOMEM;
    t->stacks[t->n_stacks] = key;
    *stack = t->n_stacks++;
    return CP_OK;
}

enum cp_status cp_firefox_tables_add(struct cp_firefox_tables *t,
                                     const struct cp_profile *p,
                                     uint32_t sample, uint32_t *out,
                                     struct cp_error *err)
{
    const uint32_t *locs = cp_profile_stack(p, sample);
    const uint32_t *first = t->frames->first;
    enum cp_status status = CP_OK;

    *out = CP_NONE;
    for (uint32_t k = p->samples[sample].n_locs; k-- > 0;)
        for (uint32_t j = first[locs[k] + 1];
             status == CP_OK && j-- > first[locs[k]];)
            status = add_call(t, out, frame_row(t, t->frames->nodes[j]), err);
    return status;
}
