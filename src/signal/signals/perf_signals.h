/*
 * traps - SIGTRAPs of our events that must not reach anybody else.
 *
 * An event (perf_event.h) sends SIGTRAP even to a thread that blocks it: there
 * it waits. The program that the thread becomes by an exec would die of it, as
 * would one that takes SIGTRAP for itself be told of traps that it did not set.
 * All of this may be called from handlers and, in a child of vfork, with the
 * parent's memory; nothing here touches errno.
 */
#ifndef CP_PERF_SIGNALS_H
#define CP_PERF_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct cp_signal_thread;

/* Has a signal that somebody took from the queue been caused by us? */
bool cp_perf_signals_is_from_library(const siginfo_t *info);

/* From now on there may be events. */
void cp_perf_signals_allow(void);

enum cp_perf_open_result {
    CP_PERF_OPEN_RETRY,   /* the process is being copied: later */
    CP_PERF_OPEN_REFUSED, /* there must be none, or the kernel has none */
    CP_PERF_OPEN_OK,
};

/*
 * Begins an event of the thread in place of the one that it has; tid is 0 for
 * the caller's own. Signals are blocked, or the lock of all threads is held.
 */
enum cp_perf_open_result cp_perf_signals_open(struct cp_signal_thread *t,
                                              int32_t tid, uint64_t period_ns);

/*
 * Around a fork. An event is a file until it is mapped: a child that had it too
 * would keep it alive, and the parent could never end it.
 */
void cp_perf_signals_before_fork(void);
void cp_perf_signals_after_fork(bool is_child);

/*
 * Ends the calling thread's event, and drops what it has sent already. Gives
 * what cp_perf_signals_resume takes if the exec fails: NULL if there was none.
 */
struct cp_signal_thread *cp_perf_signals_pause(void);
void cp_perf_signals_resume(struct cp_signal_thread *t);

/* Ends the events of all threads; there are none until they are allowed. */
void cp_perf_signals_close_all(void);

/* For good: the hooks of exec look for none either. */
void cp_perf_signals_disable(void);

#endif
