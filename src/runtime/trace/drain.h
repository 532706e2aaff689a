/*
 * drain - a thread that calls a function 25 times a second until it is stopped.
 *
 * It empties the buffers of a stream that has no reader while it is recorded: a
 * trace between cpprof_start and cpprof_stop (process/api.c). The thread exists
 * only during that time.
 *
 * Context: any thread outside signal handlers; one caller at a time for a
 * drain. Locking: none. `step` runs on the drain's thread.
 * Ordering: after cp_drain_stop returns true, `step` does not run any more and
 * all its writes are visible to the caller.
 * Failure: cp_drain_start fails if no thread can be created.
 */
#ifndef CP_DRAIN_H
#define CP_DRAIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define CP_DRAIN_PERIOD_NS 40000000 /* between two calls of step */

/* Starts as { .step = ..., .context = ... }. */
struct cp_drain {
    bool (*step)(void *context); /* returns false to end the thread */
    void *context;
    pid_t pid;              /* process that started the thread */
    _Atomic uint32_t state; /* private to drain.c; also a futex */
};

/* Starts the thread. *d must stay valid until cp_drain_stop has returned. */
enum cp_status cp_drain_start(struct cp_drain *d, const char *name,
                              struct cp_error *err);

/*
 * Stops the thread and waits until a step in progress is over. Returns true at
 * once if the thread was never started. Returns false in the child of a fork:
 * the thread is not there, and the fork may have interrupted a step.
 */
bool cp_drain_stop(struct cp_drain *d);

#endif
