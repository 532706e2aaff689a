/*
 * cpu - the CPU profile: where the threads spend their time on a processor.
 *
 * Every thread is sampled by its own CPU clock. Windows of different rates
 * share the fastest: a sample's value is the time it stands for, so each is
 * right.
 */
#ifndef CP_CPU_H
#define CP_CPU_H

#include <stddef.h>

#include "runtime/kind/kind.h"

#define CP_CPU_DEFAULT_HZ 100
#define CP_CPU_MAX_HZ 10000

/* The rate of windows that ask for none. */
void cp_cpu_set_default_hz(int hz);

extern const struct cp_kind cp_cpu_kind;

/* The bytes that samples hold now. */
size_t cp_cpu_bytes(void);

/* In the child of a fork: no window is open any more. */
void cp_cpu_after_fork(void);

#endif
