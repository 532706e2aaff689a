/* table.c - hash table with open addressing, at most three quarters full. */
#include "base/table.h"

#include "base/alloc.h"

#define FIRST_SLOTS 256

static void put(struct cp_table *t, struct cp_table_slot slot)
{
    size_t i = slot.hash & t->mask;

    while (t->slots[i].index)
        i = (i + 1) & t->mask;
    t->slots[i] = slot;
}

static enum cp_status grow(struct cp_table *t, struct cp_error *err)
{
    struct cp_table old = *t;
    size_t n_slots = old.slots ? (old.mask + 1) * 2 : FIRST_SLOTS;

    t->slots = cp_alloc(n_slots, sizeof(*t->slots), err);
    if (!t->slots) {
        *t = old;
        return CP_ENOMEM;
    }
    t->mask = n_slots - 1;
    for (size_t i = 0; old.slots && i <= old.mask; i++)
        if (old.slots[i].index)
            put(t, old.slots[i]);
    cp_free(old.slots);
    return CP_OK;
}

enum cp_status cp_table_add(struct cp_table *t, uint64_t hash, uint32_t index,
                            struct cp_error *err)
{
    if ((!t->slots || t->n >= t->mask / 4 * 3) && grow(t, err) != CP_OK)
        return CP_ENOMEM;
    put(t, (struct cp_table_slot){ hash, index + 1 });
    t->n++;
    return CP_OK;
}

void cp_table_release(struct cp_table *t)
{
    cp_free(t->slots);
    *t = (struct cp_table){ 0 };
}
