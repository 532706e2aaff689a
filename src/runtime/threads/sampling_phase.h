/*
 * sampling_phase - decides when the first sample of a new thread is due.
 *
 * A new thread continues the sampling period that an exited thread could not
 * finish, as if both were one. All threads together then have exactly as many
 * samples as periods; independent random phases would give short threads a
 * few more or less by chance.
 *
 * The remainder of a period stays in the slot of its thread, and the next new
 * thread takes the lowest free slot. The choice of the slot must not correlate
 * with the remainder: otherwise threads of one kind would always inherit short
 * remainders. So the choice ignores the order in which threads exit, because a
 * thread that was sampled exits a little later. With a choice by that order,
 * threads of one millisecond had 6 % too few samples.
 *
 * Context: any thread outside signal handlers.
 * Locking: the caller holds the lock of the thread list (threads.c).
 * Failure: none; if all slots are taken, the phase is random.
 */
#ifndef CP_SAMPLING_PHASE_H
#define CP_SAMPLING_PHASE_H

#include <stdint.h>

struct cp_signal_thread;

/* Sets the period and discards all slots. */
void cp_sampling_phase_begin(uint64_t period_ns);

/* Takes a slot; returns the time until the thread's first sample is due. */
uint64_t cp_sampling_phase_acquire(struct cp_signal_thread *t);

/* Frees the slot; left_ns is the remainder of the period, 0 if unknown. */
void cp_sampling_phase_release(struct cp_signal_thread *t, uint64_t left_ns);

#endif
