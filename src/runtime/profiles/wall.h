/*
 * wall - the wall-clock profile: where threads are, on a processor or not.
 *
 * A thread of our own goes round all threads. One that sleeps is walked where
 * it lies (sleeping_stack.h), once: as long as its CPU clock stands still it is
 * where it was. One that runs is asked by a signal. Each sample stands for the
 * time since the last visit, so the times of a thread add up to its life.
 */
#ifndef CP_WALL_H
#define CP_WALL_H

#include <stddef.h>

#include "runtime/kind/kind.h"

#define CP_WALL_DEFAULT_HZ 100
#define CP_WALL_MAX_HZ 1000

extern const struct cp_kind cp_wall_kind;

size_t cp_wall_bytes(void);

/* In the child of a fork: no window is open any more. */
void cp_wall_after_fork(void);

#endif
