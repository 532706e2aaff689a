/*
 * perf_signals - opens and closes the perf events of threads, so that no
 * SIGTRAP of an event reaches the program's own code or a program started by
 * exec.
 *
 * A perf event (perf_event.h) sends SIGTRAP even to a thread that blocks it;
 * the signal then stays pending. A pending SIGTRAP survives exec and would kill
 * the new program. A program that handles SIGTRAP itself would see traps that
 * it did not set.
 *
 * Context: any: signal handlers, and a child of vfork, which shares the memory
 *   of its parent. Nothing here changes errno.
 * Locking: none; cp_perf_signals_open says what its caller needs.
 * Ordering: the thread that forbids events stores its flag first and closes
 *   open events after it. The thread that opens one publishes it first and
 *   loads the flags after it. All are sequentially consistent, so one of the
 *   two closes the event.
 * Failure: cp_perf_signals_open returns why no event is open.
 */
#ifndef CP_PERF_SIGNALS_H
#define CP_PERF_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct cp_signal_thread;

/* Was the signal sent by a timer or a perf event of the library? */
bool cp_perf_signals_is_from_library(const siginfo_t *info);

/* Allows events from now on. */
void cp_perf_signals_allow(void);

enum cp_perf_open_result {
    CP_PERF_OPEN_RETRY,   /* a fork is in progress */
    CP_PERF_OPEN_REFUSED, /* events are forbidden, or the kernel refuses */
    CP_PERF_OPEN_OK,
};

/*
 * Opens an event for the thread and closes its previous one; tid 0 is the
 * calling thread. The caller blocks signals or holds the lock of threads.c.
 */
enum cp_perf_open_result cp_perf_signals_open(struct cp_signal_thread *t,
                                              int32_t tid, uint64_t period_ns);

/*
 * Call these around a fork. Until an event is mapped it is a file descriptor. A
 * child that inherits the descriptor keeps the event open, and the parent
 * cannot close it. So before_fork stops new events and waits for those that are
 * being opened.
 */
void cp_perf_signals_before_fork(void);
void cp_perf_signals_after_fork(bool is_child);

/*
 * Call before an exec: closes the calling thread's event and discards its
 * pending signals. Returns the argument for cp_perf_signals_resume, which the
 * caller calls if the exec fails. Returns NULL if the thread has no record.
 */
struct cp_signal_thread *cp_perf_signals_pause(void);
void cp_perf_signals_resume(struct cp_signal_thread *t);

/* Closes the events of all threads and forbids new ones. */
void cp_perf_signals_close_all(void);

/*
 * Like cp_perf_signals_close_all, but permanent: cp_perf_signals_pause becomes
 * a no-op.
 */
void cp_perf_signals_disable(void);

#endif
