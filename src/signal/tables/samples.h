/*
 * samples - a table of stacks and how often each was seen.
 *
 * Filled in signal context by any number of threads at once, without a lock
 * and without allocating: all memory is there from the start. A stack that is
 * there already costs one search and two additions. When the table is full,
 * what does not fit is added to `lost`.
 *
 * Equal means equal in a 64-bit hash with a random start: with a full table,
 * the chance that two stacks are taken for one is below one in a thousand
 * million.
 */
#ifndef CP_SIGNAL_SAMPLES_H
#define CP_SIGNAL_SAMPLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What else a sample is told apart by. */
struct cp_signal_tag {
    uint32_t labels; /* a set of labels (runtime/threads/labels.h); 0: none */
    uint32_t state;  /* what the thread was doing; 0: nothing is said */
};

/* One line of the cache: all that a sample changes when its stack is known. */
struct cp_signal_slot {
    _Alignas(64) _Atomic uint64_t key; /* 0: the slot is free */
    _Atomic uint64_t count, value;
    _Atomic uint64_t freed, freed_value; /* of them, what was taken back */
    _Atomic uint64_t frames;             /* first << 16 | number; see below */
    struct cp_signal_tag tag;
    uint64_t first_value; /* of the sample that claimed it */
};

/*
 * Slots are claimed among the first of the table as long as there is one near
 * a key's place: few stacks then touch few pages, and find them in the caches.
 */
#define CP_SAMPLES_PRIMARY 4096

/* Values of `frames`: */
#define CP_SAMPLE_UNWRITTEN 0 /* its writer has not got that far */
#define CP_SAMPLE_NO_ROOM 1   /* there was a slot, but no room for frames */

struct cp_signal_samples {
    uint64_t seed;
    size_t n_slots;
    size_t n_frames; /* room for frames, of all stacks together */
    struct cp_signal_slot *slots;
    uintptr_t *frames; /* the first is never used */
    _Atomic uint64_t used_frames;
    _Atomic uint64_t used_slots;
    _Atomic uint64_t lost_count, lost_value;
};

/* Adds to the stack's count and value; returns its slot, or NULL: it is lost */
struct cp_signal_slot *cp_signal_add(struct cp_signal_samples *s,
                                     const uintptr_t *frames, size_t n,
                                     struct cp_signal_tag tag, uint64_t count,
                                     uint64_t value);

/* Adds to a stack that is there. */
void cp_signal_count(struct cp_signal_slot *slot, uint64_t count,
                     uint64_t value);

/* Is it one of this table's? */
static inline bool cp_signal_has_slot(const struct cp_signal_samples *s,
                                      const struct cp_signal_slot *slot)
{
    return slot >= s->slots && slot < s->slots + s->n_slots;
}

/* Adds to what could not be recorded. */
void cp_signal_add_lost(struct cp_signal_samples *s, uint64_t count,
                        uint64_t value);

#endif
