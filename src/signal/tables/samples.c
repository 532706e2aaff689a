/* samples.c - lookup, claim and update of the slots of a sample table. */
#include "signal/tables/samples.h"

#include "base/assert/assert.h"

#define PRIMARY_PROBES 4
#define MAX_PROBES 128

static uint64_t mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd1b54a32d192ed03u);

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t key_of(uint64_t seed, const uintptr_t *frames, size_t n,
                       struct cp_signal_tag tag)
{
    uint64_t h = seed ^ n, labels = tag.labels;

    for (size_t i = 0; i < n; i++)
        h = mix(h, frames[i]) + h;
    h = mix(h, labels << 32 | tag.state);
    return h ? h : 1;
}

static void write_frames(struct cp_signal_samples *s,
                         struct cp_signal_slot *slot, const uintptr_t *frames,
                         size_t n)
{
    uint64_t first =
        atomic_fetch_add_explicit(&s->used_frames, n, memory_order_relaxed) + 1;
    uint64_t where = first << 16 | n;

    CP_ASSERT(first > 0 && n <= UINT16_MAX);
    CP_ASSERT(atomic_load(&slot->frames) == CP_SAMPLE_UNWRITTEN);
    if (first + n > s->n_frames)
        where = CP_SAMPLE_NO_ROOM;
    else
        for (size_t i = 0; i < n; i++)
            s->frames[first + i] = frames[i];
    atomic_store_explicit(&slot->frames, where, memory_order_release);
}

/*
 * Tries to claim the slot without loading it first. A load of an untouched page
 * maps the zero page; the write after it costs a second page fault and a TLB
 * shootdown on all cores.
 */
static bool claim(struct cp_signal_slot *slot, uint64_t key, uint64_t *seen)
{
    *seen = 0;
    return atomic_compare_exchange_strong_explicit(
        &slot->key, seen, key, memory_order_relaxed, memory_order_relaxed);
}

/*
 * Finds the slot of a key among n slots, or claims one. `start` / 2^32 * n is
 * the first index to probe. Returns NULL if all max_probes slots belong to
 * other keys.
 */
static struct cp_signal_slot *find_among(struct cp_signal_slot *slots, size_t n,
                                         uint32_t start, uint64_t max_probes,
                                         uint64_t key, bool *is_new)
{
    size_t at = (size_t)((uint64_t)start * n >> 32);

    CP_ASSERT(n > 0 && at < n && key != 0);
    for (uint64_t i = 0; i < max_probes; i++, at = at + 1 < n ? at + 1 : 0) {
        uint64_t seen = 0;

        if (i > 0)
            seen = atomic_load_explicit(&slots[at].key, memory_order_relaxed);
        if (seen == 0 && claim(&slots[at], key, &seen)) {
            *is_new = true;
            return &slots[at];
        }
        if (seen == key)
            return &slots[at];
    }
    return NULL;
}

/* A claimed slot is never freed, so a key is found where it was claimed. */
static struct cp_signal_slot *find(struct cp_signal_samples *s, uint64_t key,
                                   bool *is_new)
{
    size_t n_primary = s->n_slots > CP_SAMPLES_PRIMARY ? CP_SAMPLES_PRIMARY : 0;
    struct cp_signal_slot *slot = NULL;

    if (n_primary > 0)
        slot = find_among(s->slots, n_primary, (uint32_t)(key >> 32),
                          PRIMARY_PROBES, key, is_new);
    if (!slot)
        slot = find_among(s->slots + n_primary, s->n_slots - n_primary,
                          (uint32_t)key, MAX_PROBES, key, is_new);
    return slot;
}

void cp_signal_count(struct cp_signal_slot *slot, uint64_t count,
                     uint64_t value)
{
    atomic_fetch_add_explicit(&slot->count, count, memory_order_relaxed);
    atomic_fetch_add_explicit(&slot->value, value, memory_order_relaxed);
}

struct cp_signal_slot *cp_signal_add(struct cp_signal_samples *s,
                                     const uintptr_t *frames, size_t n,
                                     struct cp_signal_tag tag, uint64_t count,
                                     uint64_t value)
{
    bool is_new = false;
    struct cp_signal_slot *slot =
        find(s, key_of(s->seed, frames, n, tag), &is_new);

    if (!slot) {
        cp_signal_add_lost(s, count, value);
        return NULL;
    }
    CP_ASSERT(cp_signal_has_slot(s, slot));
    if (is_new) {
        slot->tag = tag;
        slot->first_value = value;
        write_frames(s, slot, frames, n);
        atomic_fetch_add_explicit(&s->used_slots, 1, memory_order_relaxed);
    }
    cp_signal_count(slot, count, value);
    return slot;
}

void cp_signal_add_lost(struct cp_signal_samples *s, uint64_t count,
                        uint64_t value)
{
    atomic_fetch_add_explicit(&s->lost_count, count, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->lost_value, value, memory_order_relaxed);
}
