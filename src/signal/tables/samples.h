/*
 * samples - a table of stacks, each with a count and a value.
 *
 * A lock-free hash table with open addressing and linear probing. All memory is
 * allocated beforehand. A known stack costs one lookup and two additions.
 *
 * Two stacks are equal if their 64-bit hashes with the table's random seed are
 * equal: with a full table, two different stacks collide with a chance below
 * 1e-9.
 *
 * Context: any, signal handlers included; any number of threads at once.
 * Locking: none.
 * Ordering: a writer claims a slot by CAS of `key`, fills in tag and frames,
 *   and publishes them by a release store of `frames`. A reader loads `frames`
 *   (acquire) first and skips a slot that is still CP_SAMPLE_UNWRITTEN. Counts
 *   are relaxed; a slot stays claimed as long as the table is in use.
 * Failure: cp_signal_add returns NULL when the table is full and adds the
 *   sample to lost_count and lost_value.
 */
#ifndef CP_SIGNAL_SAMPLES_H
#define CP_SIGNAL_SAMPLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two equal stacks with different tags are different samples. */
struct cp_signal_tag {
    uint32_t labels; /* label set (runtime/threads/labels.h); 0 if none */
    uint32_t state;  /* meaning depends on the profile; 0 if none */
};

/* One sample, in one cache line. */
struct cp_signal_slot {
    _Alignas(64) _Atomic uint64_t key; /* hash of the stack; 0 if free */
    _Atomic uint64_t count, value;
    _Atomic uint64_t freed, freed_value; /* freed part of count, value (heap) */
    _Atomic uint64_t frames; /* index of the first << 16 | number; see below */
    struct cp_signal_tag tag;
    uint64_t first_value; /* value of the sample that claimed the slot */
};

/*
 * Number of primary slots. A key is claimed there first and in the rest of the
 * table, the overflow part, only if its primary probes are in use. A table with
 * few stacks then touches few pages.
 */
#define CP_SAMPLES_PRIMARY 4096

/* Values of `frames`: */
#define CP_SAMPLE_UNWRITTEN 0 /* not published yet */
#define CP_SAMPLE_NO_ROOM 1   /* the frame array is full */

struct cp_signal_samples {
    uint64_t seed;
    size_t n_slots;
    size_t n_frames; /* capacity of `frames` */
    struct cp_signal_slot *slots;
    uintptr_t *frames; /* frames of all stacks; index 0 is not used */
    _Atomic uint64_t used_frames;
    _Atomic uint64_t used_slots;
    _Atomic uint64_t lost_count, lost_value;
};

/*
 * Adds to the sample of this stack. Returns its slot, or NULL if it was lost.
 */
struct cp_signal_slot *cp_signal_add(struct cp_signal_samples *s,
                                     const uintptr_t *frames, size_t n,
                                     struct cp_signal_tag tag, uint64_t count,
                                     uint64_t value);

/* Adds to a sample whose slot is known. */
void cp_signal_count(struct cp_signal_slot *slot, uint64_t count,
                     uint64_t value);

/* Does the slot belong to this table? */
static inline bool cp_signal_has_slot(const struct cp_signal_samples *s,
                                      const struct cp_signal_slot *slot)
{
    return slot >= s->slots && slot < s->slots + s->n_slots;
}

/* Adds to the samples that could not be recorded. */
void cp_signal_add_lost(struct cp_signal_samples *s, uint64_t count,
                        uint64_t value);

#endif
