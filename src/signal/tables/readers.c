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

#include "signal/unwinder/map.h"

static struct {
    alignas(64) _Atomic uint32_t turn; /* odd: the place is taken */
} heads[CP_READERS];

static struct cp_signal_place places[CP_READERS];
static _Atomic uint64_t no_cache[CP_MAP_CACHE];
static const struct cp_signal_map no_code = { .cache = no_cache };
static _Atomic(const struct cp_signal_map *) current = &no_code;

struct cp_signal_place *cp_signal_enter(uint32_t hint)
{
    for (uint32_t i = 0; i < CP_READERS; i++) {
        uint32_t at = (hint + i) % CP_READERS;
        uint32_t turn =
            atomic_load_explicit(&heads[at].turn, memory_order_relaxed);

        if (!(turn & 1) &&
            atomic_compare_exchange_strong(&heads[at].turn, &turn, turn + 1))
            return &places[at];
    }
    return NULL;
}

void cp_signal_leave(struct cp_signal_place *place)
{
    atomic_fetch_add(&heads[place - places].turn, 1);
}

const struct cp_signal_map *cp_signal_map(void)
{
    return atomic_load(&current);
}

void cp_signal_publish(const struct cp_signal_map *map)
{
    atomic_store(&current, map ? map : &no_code);
}

void cp_signal_turns(uint32_t out[CP_READERS])
{
    for (uint32_t i = 0; i < CP_READERS; i++)
        out[i] = atomic_load(&heads[i].turn);
}

bool cp_signal_have_left(const uint32_t turns[CP_READERS])
{
    for (uint32_t i = 0; i < CP_READERS; i++)
        if (turns[i] & 1 && atomic_load(&heads[i].turn) == turns[i])
            return false;
    return true;
}

void cp_signal_leave_all(void)
{
    for (uint32_t i = 0; i < CP_READERS; i++)
        if (atomic_load(&heads[i].turn) & 1)
            atomic_fetch_add(&heads[i].turn, 1);
}
