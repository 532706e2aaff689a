/*
 * threads - every thread of the process, and its CPU timer.
 *
 * A thread is entered when it starts (pthread_create is ours when the library
 * is preloaded or linked) or when a look into /proc/self/task finds it; it is
 * struck off when it ends or is not found any more. While a CPU profile runs,
 * each has a timer on its own CPU clock that signals that thread alone.
 *
 * Safe from any thread; never from a signal handler. The threads of the
 * library itself are in no list.
 */
#ifndef CP_THREADS_H
#define CP_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_signal_thread;

/* The bounds of a stack as far as they are sure; see
 * signal/unwinder/stack_reader.h.
 */
struct cp_stack_bounds {
    uintptr_t low, high;
};

/*
 * Enters the calling thread, if it is not yet; NULL: no memory. `start` is the
 * function that it began in, or 0.
 */
struct cp_signal_thread *cp_threads_register(struct cp_stack_bounds stack,
                                             uintptr_t start);

/*
 * Ends the timer of the calling thread, which is about to leave: that takes
 * time that whoever adds up its own will want to have seen.
 */
void cp_threads_stop_own_timer(void);

/* Strikes the calling thread off; it is about to end. */
void cp_threads_unregister(void);

/* Marks the calling thread as the library's own, until it ends. */
void cp_threads_mark_internal(void);
void cp_threads_unmark_internal(void);

#define CP_THREADS_MAX_INTERNAL 32

/* Their ids and how many: 0 in a process that they are not in. Takes no lock.
 */
size_t cp_threads_list_internal(int32_t out[CP_THREADS_MAX_INTERNAL]);

/* The thread that is changing the ids of all (id_hooks.c), or 0. */
extern _Atomic int32_t cp_threads_id_change_owner;

/* The CPU time that the library's own threads have used so far. */
uint64_t cp_threads_internal_cpu_ns(void);

/*
 * The CPU time of the process that no timer was there to see, so far: of
 * threads before they were known and after they had left. Means something only
 * as a difference, while there are timers.
 */
int64_t cp_threads_unattributed_ns(void);

/* Looks at /proc/self/task: enters who is new, strikes off who is gone. */
enum cp_status cp_threads_scan(struct cp_error *err);

/* The signal of all timers, now and to come. */
void cp_threads_set_signal(int sig);

/* Gives every thread, now and to come, a timer with this period; 0: none. */
void cp_threads_set_period(uint64_t period_ns);

/* Are they sampled by events of the kernel's (runtime/threads/perf_sampler.h)?
 */
bool cp_threads_use_only_events(void);

/* Ends the events if the program has taken their signal. */
void cp_threads_check_events(void);

/*
 * Requests a report from a running thread: `what` is of enum
 * cp_thread_request (thread_request.h). False: the record is another thread's
 * by now, or the kernel has no timer to give (RLIMIT_SIGPENDING).
 */
bool cp_threads_request(struct cp_signal_thread *t, int32_t tid, uint32_t what);

/* Deletes the timers of all requests, for when the last window closes. */
void cp_threads_end_requests(void);

/* Calls visit for every thread, under the lock. */
void cp_threads_each(void (*visit)(void *context, struct cp_signal_thread *t),
                     void *context);

/*
 * How many records there are, in use or not: for cp_signal_thread_at without
 * the lock. They are never freed; a tid of 0 says that one is not in use.
 */
uint32_t cp_threads_count_records(void);

struct cp_threads_stats {
    size_t n_threads;
    size_t n_no_timer; /* to whom the kernel gave none */
    size_t n_internal;
};

void cp_threads_stats(struct cp_threads_stats *out);

/* Is there, besides the library's own, one thread, be it a zombie? */
bool cp_threads_is_single(void);

/* Around a fork: nobody changes the list; in the child one thread is left. */
void cp_threads_before_fork(void);
void cp_threads_after_fork(bool is_child);

#endif
