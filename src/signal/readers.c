/*
 * readers.c - see readers.h.
 *
 * A taker first makes the turn odd and then loads the map; a publisher first
 * stores the map and then looks at the turns. All four are sequentially
 * consistent, so one of the two sees the other.
 */
#include "signal/readers.h"

static struct cp_signal_place places[CP_READERS];
static _Atomic uint64_t no_cache[CP_MAP_CACHE];
static const struct cp_signal_map no_code = { .cache = no_cache };
static _Atomic(const struct cp_signal_map *) current = &no_code;

struct cp_signal_place *cp_signal_enter(uint32_t hint)
{
    for (uint32_t i = 0; i < CP_READERS; i++) {
        struct cp_signal_place *p = &places[(hint + i) % CP_READERS];
        uint32_t turn = atomic_load_explicit(&p->turn, memory_order_relaxed);

        if (!(turn & 1) &&
            atomic_compare_exchange_strong(&p->turn, &turn, turn + 1))
            return p;
    }
    return NULL;
}

void cp_signal_leave(struct cp_signal_place *place)
{
    atomic_fetch_add(&place->turn, 1);
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
        out[i] = atomic_load(&places[i].turn);
}

bool cp_signal_have_left(const uint32_t turns[CP_READERS])
{
    for (uint32_t i = 0; i < CP_READERS; i++)
        if (turns[i] & 1 && atomic_load(&places[i].turn) == turns[i])
            return false;
    return true;
}

void cp_signal_leave_all(void)
{
    for (uint32_t i = 0; i < CP_READERS; i++)
        atomic_store(&places[i].turn, 0);
}
