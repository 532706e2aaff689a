/*
 * readers.c - see readers.h.
 *
 * A taker first makes the turn odd and then loads the map; a publisher first
 * stores the map and then looks at the turns. All four are sequentially
 * consistent, so one of the two sees the other.
 *
 * Turns are apart from the buffers: a child of a fork looks at all of them, and
 * each page that it touches costs it.
 */
#include "signal/tables/readers.h"

#include <stdalign.h>
#include <stddef.h>

#include "signal/unwinder/unwind_table.h"

static struct {
    alignas(64) _Atomic uint32_t turn; /* odd: the place is taken */
} heads[CP_READER_SLOTS];

static struct cp_reader_slot places[CP_READER_SLOTS];
static _Atomic uint64_t no_cache[CP_UNWIND_CACHE_SLOTS];
static const struct cp_unwind_table no_code = { .cache = no_cache };
static _Atomic(const struct cp_unwind_table *) current = &no_code;

struct cp_reader_slot *cp_readers_enter(uint32_t hint)
{
    for (uint32_t i = 0; i < CP_READER_SLOTS; i++) {
        uint32_t at = (hint + i) % CP_READER_SLOTS;
        uint32_t turn =
            atomic_load_explicit(&heads[at].turn, memory_order_relaxed);

        if (!(turn & 1) &&
            atomic_compare_exchange_strong(&heads[at].turn, &turn, turn + 1))
            return &places[at];
    }
    return NULL;
}

void cp_readers_exit(struct cp_reader_slot *place)
{
    atomic_fetch_add(&heads[place - places].turn, 1);
}

const struct cp_unwind_table *cp_unwind_table(void)
{
    return atomic_load(&current);
}

void cp_readers_publish(const struct cp_unwind_table *map)
{
    atomic_store(&current, map ? map : &no_code);
}

void cp_readers_epochs(uint32_t out[CP_READER_SLOTS])
{
    for (uint32_t i = 0; i < CP_READER_SLOTS; i++)
        out[i] = atomic_load(&heads[i].turn);
}

bool cp_readers_quiesced(const uint32_t turns[CP_READER_SLOTS])
{
    for (uint32_t i = 0; i < CP_READER_SLOTS; i++)
        if (turns[i] & 1 && atomic_load(&heads[i].turn) == turns[i])
            return false;
    return true;
}

void cp_readers_reset_after_fork(void)
{
    for (uint32_t i = 0; i < CP_READER_SLOTS; i++)
        if (atomic_load(&heads[i].turn) & 1)
            atomic_fetch_add(&heads[i].turn, 1);
}
