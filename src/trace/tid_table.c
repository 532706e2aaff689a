/* tid_table.c - a chained hash table with a free list. */
#include "trace/tid_table.h"

#include "base/alloc.h"

static uint32_t *chain_of(struct cp_tid_table *t, int32_t tid)
{
    return &t->chains[(uint32_t)tid % CP_TID_CHAINS];
}

void *cp_tid_find(const struct cp_tid_table *t, int32_t tid)
{
    for (uint32_t at = t->chains[(uint32_t)tid % CP_TID_CHAINS]; at;) {
        const struct cp_tid_entry *e = &t->entries[at - 1];

        if (e->tid == tid)
            return e->thread;
        at = e->next;
    }
    return NULL;
}

/* Returns a free entry's index + 1; 0 if memory is exhausted. */
static uint32_t alloc_entry(struct cp_tid_table *t)
{
    uint32_t at = t->free;

    if (at) {
        t->free = t->entries[at - 1].next;
        return at;
    }
    if (cp_reserve(&t->entries, &t->cap, t->n + 1, sizeof(*t->entries), NULL) !=
        CP_OK)
        return 0;
    t->entries[t->n] = (struct cp_tid_entry){ 0 };
    t->entries[t->n].thread = cp_alloc(1, t->size, NULL);
    return t->entries[t->n].thread ? (uint32_t)++t->n : 0;
}

void *cp_tid_add(struct cp_tid_table *t, int32_t tid)
{
    uint32_t at = alloc_entry(t), *chain = chain_of(t, tid);

    if (!at)
        return NULL;
    t->entries[at - 1].tid = tid;
    t->entries[at - 1].next = *chain;
    *chain = at;
    return t->entries[at - 1].thread;
}

void cp_tid_remove(struct cp_tid_table *t, int32_t tid)
{
    uint32_t *at = chain_of(t, tid), mine;

    while (t->entries[*at - 1].tid != tid)
        at = &t->entries[*at - 1].next;
    mine = *at;
    *at = t->entries[mine - 1].next;
    t->entries[mine - 1].tid = 0;
    t->entries[mine - 1].next = t->free;
    t->free = mine;
}

void cp_tid_release(struct cp_tid_table *t)
{
    for (size_t i = 0; i < t->n; i++)
        cp_free(t->entries[i].thread);
    cp_free(t->entries);
    *t = (struct cp_tid_table){ .size = t->size };
}
