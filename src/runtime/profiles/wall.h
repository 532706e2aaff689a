/*
 * wall - the wall-clock profile: where threads are, running or not.
 *
 * A thread of the library visits all threads in turn. The stack of a sleeping
 * thread is read from outside (sleeping_stack.h), and only once: while its CPU
 * clock does not advance, its stack is unchanged. A running thread gets a
 * request by a signal (thread_request.h). Each sample represents the time since
 * the last visit, so the samples of a thread add up to its lifetime.
 *
 * Context: requests in any thread outside signal handlers; the visits in the
 * thread "cpprof-wall". Locking: see timed_kind.h; the visits take none.
 * Ordering: the visitor uses the sample table inside a reader section
 * (signal/tables/readers.h). The generation is odd while a visitor should run.
 * Failure: time that cannot be attributed to a stack has the state "not
 * answering".
 */
#ifndef CP_WALL_H
#define CP_WALL_H

#include <stddef.h>

#include "runtime/kind/kind.h"

#define CP_WALL_DEFAULT_HZ 100
#define CP_WALL_MAX_HZ 1000

extern const struct cp_kind cp_wall_kind;

/* Upper limit of the resident memory of samples, bytes. */
size_t cp_wall_bytes(void);

/* Call in the child of a fork: drops all recordings. */
void cp_wall_reset_after_fork(void);

#endif
