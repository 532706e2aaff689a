/*
 * refresh_thread - the thread that keeps the unwind table up to date.
 *
 * Recordings (of CPU, wall-clock, leak and thread stacks) and hooks that walk
 * stacks need an unwind table of all loaded code, and recordings also need the
 * signal handler and the list of threads. The refresh thread scans for changes
 * while a recording is open or hooks record. Before the first of them there is
 * no thread, no handler and no timer.
 *
 * Only the refresh thread enters the dynamic loader, whose lock may be held for
 * long, and forever in the child of a fork. Other threads request a refresh,
 * wait for at most a second and continue with the published table.
 *
 * Context: any thread outside signal handlers; cp_refresh_wake also in the
 * program's handlers.
 * Locking: cp_refresh_lock protects all recordings of the process. The caller
 * of cp_refresh_acquire, _acquire_and_wait and _release holds it; the other
 * functions take it where they need it. The refresh thread only tries it,
 * because the holder may be waiting for the refresh thread.
 * Ordering: a caller that has waited sees the table of a refresh that began
 * after its request.
 * Failure: the acquire functions fail if there is no thread or no handler. A
 * wait that times out is not a failure: samples in new code are then truncated.
 */
#ifndef CP_REFRESH_THREAD_H
#define CP_REFRESH_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "runtime/os/lock.h"

extern struct cp_lock cp_refresh_lock;

/*
 * Opens a recording: installs the handler, registers all threads and starts the
 * refresh thread. The first recording waits for a complete unwind table. A
 * later one does not: the handler requests a refresh when a stack contains code
 * that is not in the table.
 */
enum cp_status cp_refresh_acquire(struct cp_error *err);

/* The same, but always waits for a refresh. */
enum cp_status cp_refresh_acquire_and_wait(struct cp_error *err);

/* Closes a recording; the last one deletes the timers of requests. */
void cp_refresh_release(void);

/*
 * Keeps the unwind table up to date for hooks, without a handler, until
 * cp_refresh_release_for_hooks or a fork (in the child). Calls do not nest. The
 * second form does not wait for the first refresh: its caller may hold the
 * loader's lock.
 */
enum cp_status cp_refresh_acquire_for_hooks(struct cp_error *err);
enum cp_status cp_refresh_acquire_for_hooks_nowait(struct cp_error *err);
void cp_refresh_release_for_hooks(void);

/*
 * A task that the refresh thread runs between refreshes, for a recording that
 * can start no thread of its own. It returns the time to its next run (ns). A
 * run may still be in progress when the task is set to NULL.
 */
typedef int64_t cp_refresh_task(void);

void cp_refresh_set_piggyback_task(cp_refresh_task *task);

/* Requests a refresh; also makes the thread see a pause (internal_thread.h). */
void cp_refresh_wake(void);

/* Releases the signal and the unwind table, unless they are in use. */
void cp_refresh_shut_down(void);

/*
 * Call in the child of a fork: resets the state to no open recording and no
 * recording hooks. Returns whether hooks recorded in the parent.
 */
bool cp_refresh_reset_after_fork(void);

#endif
