/*
 * cpu - the CPU profile: where threads use CPU time.
 *
 * Each thread is sampled by a timer on its own CPU clock, or by a perf event.
 * Recordings with different rates share the fastest one: the value of a sample
 * is the time that it represents, so each recording is correct.
 *
 * Context: any thread outside signal handlers; see timed_kind.h.
 */
#ifndef CP_CPU_H
#define CP_CPU_H

#include <stddef.h>

#include "runtime/kind/kind.h"

#define CP_CPU_DEFAULT_HZ 100
#define CP_CPU_MAX_HZ 10000

/* The rate of requests without `hz`. Call at process start. */
void cp_cpu_set_default_hz(int hz);

extern const struct cp_kind cp_cpu_kind;

/* Upper limit of the resident memory of samples, bytes. */
size_t cp_cpu_bytes(void);

/* Call in the child of a fork: drops all recordings. */
void cp_cpu_reset_after_fork(void);

#endif
