/* sampling_phase.c - see sampling_phase.h. */
#include "runtime/threads/sampling_phase.h"

#include <stdint.h>
#include <string.h>

#include "runtime/os/timer.h"
#include "signal/tables/thread.h"

#define WORDS 16
#define PLACES (64 * WORDS)

static struct {
    uint64_t period_ns;
    uint32_t turn; /* of cp_sampling_phase_begin */
    uint64_t taken[WORDS];
    uint64_t left_ns[PLACES]; /* 0: none */
} phases;

void cp_sampling_phase_begin(uint64_t period_ns)
{
    phases.period_ns = period_ns;
    phases.turn++;
    memset(phases.taken, 0, sizeof(phases.taken));
    memset(phases.left_ns, 0, sizeof(phases.left_ns));
}

/* The first that is free; PLACES: none. */
static uint32_t free_place(void)
{
    for (uint32_t i = 0; i < WORDS; i++)
        if (~phases.taken[i])
            return 64 * i + (uint32_t)__builtin_ctzll(~phases.taken[i]);
    return PLACES;
}

uint64_t cp_sampling_phase_acquire(struct cp_signal_thread *t)
{
    uint32_t place = free_place();
    uint64_t left = 0;

    t->cpu.phase = 0;
    if (place < PLACES) {
        phases.taken[place / 64] |= (uint64_t)1 << place % 64;
        t->cpu.phase = place + 1;
        t->cpu.phase_generation = phases.turn;
        left = phases.left_ns[place];
    }
    return left ? left : cp_timer_phase(phases.period_ns);
}

void cp_sampling_phase_release(struct cp_signal_thread *t, uint64_t left_ns)
{
    uint32_t place = t->cpu.phase - 1;

    if (t->cpu.phase && t->cpu.phase_generation == phases.turn) {
        phases.taken[place / 64] &= ~((uint64_t)1 << place % 64);
        phases.left_ns[place] = left_ns;
    }
    t->cpu.phase = 0;
}
