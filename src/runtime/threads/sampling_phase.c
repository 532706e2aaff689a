/*
 * sampling_phase.c - keeps the remainders of periods in slots, with a bitmap of
 * the slots in use.
 */
#include "runtime/threads/sampling_phase.h"

#include <string.h>

#include "base/assert/assert.h"
#include "runtime/os/timer.h"
#include "signal/tables/thread.h"

#define WORDS 16
#define SLOTS (64 * WORDS)

static struct {
    uint64_t period_ns;
    uint32_t generation;     /* number of cp_sampling_phase_begin calls */
    uint64_t taken[WORDS];   /* a bit for each slot */
    uint64_t left_ns[SLOTS]; /* remainder of a period; 0 means none */
} phases;

void cp_sampling_phase_begin(uint64_t period_ns)
{
    phases.period_ns = period_ns;
    phases.generation++;
    memset(phases.taken, 0, sizeof(phases.taken));
    memset(phases.left_ns, 0, sizeof(phases.left_ns));
}

/* Returns the lowest free slot, or SLOTS if there is none. */
static uint32_t find_free_slot(void)
{
    for (uint32_t i = 0; i < WORDS; i++)
        if (~phases.taken[i])
            return 64 * i + (uint32_t)__builtin_ctzll(~phases.taken[i]);
    return SLOTS;
}

uint64_t cp_sampling_phase_acquire(struct cp_signal_thread *t)
{
    uint32_t slot = find_free_slot();
    uint64_t left = 0;

    CP_ASSERT(phases.period_ns > 0);
    t->cpu.phase = 0;
    if (slot < SLOTS) {
        phases.taken[slot / 64] |= (uint64_t)1 << slot % 64;
        t->cpu.phase = slot + 1;
        t->cpu.phase_generation = phases.generation;
        left = phases.left_ns[slot];
    }
    return left ? left : cp_timer_phase(phases.period_ns);
}

void cp_sampling_phase_release(struct cp_signal_thread *t, uint64_t left_ns)
{
    uint32_t slot = t->cpu.phase - 1;

    if (t->cpu.phase && t->cpu.phase_generation == phases.generation) {
        CP_ASSERT(slot < SLOTS);
        CP_ASSERT(phases.taken[slot / 64] >> slot % 64 & 1);
        phases.taken[slot / 64] &= ~((uint64_t)1 << slot % 64);
        phases.left_ns[slot] = left_ns;
    }
    t->cpu.phase = 0;
}
