/*
 * phases - when the first sample of a thread is due that has just begun.
 *
 * It goes on with the period that another one could not finish, as if both were
 * one. So all of them together have as many samples as periods, where phases of
 * their own would give short threads a few more or less by chance.
 *
 * What is left of a period stays in the place that its thread had, and the next
 * one to begin takes the first place that is free. Which one that is must have
 * nothing to do with how much is left, or threads of one kind would always come
 * upon a little and those of another upon much. That is why the order in which
 * threads have ended does not count: who was sampled ends a little later. When
 * it did count, threads of a millisecond had 6 % too few samples.
 */
#ifndef CP_SAMPLING_PHASE_H
#define CP_SAMPLING_PHASE_H

#include <stdint.h>

struct cp_signal_thread;

/* Periods are of that length from now on; nothing is left of any. */
void cp_sampling_phase_begin(uint64_t period_ns);

/* The thread takes a place: how long until its first sample is due? */
uint64_t cp_sampling_phase_acquire(struct cp_signal_thread *t);

/* It gives it back with what is left of its period; 0: that is not known. */
void cp_sampling_phase_release(struct cp_signal_thread *t, uint64_t left_ns);

#endif
