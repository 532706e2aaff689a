/*
 * threads - the list of all threads of the process, each with its CPU timer.
 *
 * A thread registers itself when it starts (the library hooks pthread_create if
 * it is preloaded or linked), or a scan of /proc/self/task finds it. It
 * unregisters itself when it exits, or a scan misses it. While a CPU profile
 * runs, every thread has a timer on its own CPU clock that signals only that
 * thread. The library's own ("internal") threads are not in the list.
 *
 * Context: any thread outside signal handlers.
 * Locking: every function takes the lock of the list, unless stated otherwise.
 * Ordering: a reader without the lock must check the tid of a record. It is
 * stored after the record is cleared, and is 0 while the record is free.
 * Failure: see each function.
 *
 * Fork protocol. runtime/process/lifecycle.c calls every module in the order of
 * its list before a fork and after it; locks are released in reverse order:
 *
 * - Before: a module whose data the child needs acquires its lock (threads,
 *   labels, pages), so that no other thread is changing the data. A lock whose
 *   holder may wait for the loader (refresh thread, unwind publisher, unloaded
 *   modules) is not acquired: the forking thread may hold the loader's lock.
 *   Signals are blocked from here on, because each one would make the kernel
 *   restart the copy of a large process.
 * - In the parent: the module releases its lock; nothing else has changed.
 * - In the child: there is one thread, with a new tid. The kernel has copied no
 *   timer, no event, no other thread and no pending signal. A module that has
 *   acquired its lock drops the state of the other threads, then releases it. A
 *   module that has not (*_reset_after_fork) leaks data that may be
 *   inconsistent, i.e. if its lock is held, then resets the lock. Neither may
 *   call malloc, start a thread or enter the loader.
 */
#ifndef CP_THREADS_H
#define CP_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_signal_thread;

/*
 * The part of a stack that is known to be mapped
 * (signal/unwinder/stack_reader.h); 0, 0 if unknown.
 */
struct cp_stack_bounds {
    uintptr_t low, high;
};

/*
 * Registers the calling thread unless it is registered. `start` is its start
 * function, or 0. Returns NULL if there is no memory.
 */
struct cp_signal_thread *cp_threads_register(struct cp_stack_bounds stack,
                                             uintptr_t start);

/*
 * Stops the timer of the calling thread, which is about to exit. The caller
 * reads the thread's totals afterwards, so that they include this work.
 */
void cp_threads_stop_own_timer(void);

/* Unregisters the calling thread, which is about to exit. */
void cp_threads_unregister(void);

/* Marks the calling thread as internal until it exits. */
void cp_threads_mark_internal(void);
void cp_threads_unmark_internal(void);

#define CP_THREADS_MAX_INTERNAL 32

/*
 * Copies the tids of internal threads and returns their number; 0 in a child
 * process, which has none. Takes no lock: a handler or a child of vfork may
 * call it.
 */
size_t cp_threads_list_internal(int32_t out[CP_THREADS_MAX_INTERNAL]);

/* tid of the thread that changes the ids of all (id_hooks.c); 0 means none. */
extern _Atomic int32_t cp_threads_id_change_owner;

/* CPU time that internal threads have used. */
uint64_t cp_threads_internal_cpu_ns(void);

/*
 * CPU time of the process that no timer has seen: of threads before they were
 * registered and after they were unregistered. Only differences are meaningful,
 * while timers exist.
 */
int64_t cp_threads_unattributed_ns(void);

/*
 * Scans /proc/self/task: registers new threads and unregisters exited ones.
 * Fails with CP_EIO if the directory cannot be opened.
 */
enum cp_status cp_threads_scan(struct cp_error *err);

/* Sets the signal of all timers, and restarts them if it changes. */
void cp_threads_set_signal(int sig);

/* Starts a timer for every thread, present and future; 0 stops them. */
void cp_threads_set_period(uint64_t period_ns);

/* Whether events sample all threads (thread_timer.h). */
bool cp_threads_use_only_events(void);

/* Replaces events by timers if the program has taken SIGTRAP. */
void cp_threads_check_events(void);

/*
 * Requests a report from a running thread: `what` has bits of enum
 * cp_thread_request (thread_request.h). Returns false if the record now belongs
 * to a different thread, or if the kernel has no timer (RLIMIT_SIGPENDING).
 */
bool cp_threads_request(struct cp_signal_thread *t, int32_t tid, uint32_t what);

/* Deletes the timers of all requests, when the last recording closes. */
void cp_threads_end_requests(void);

/* Calls visit for every thread, with the lock held. */
void cp_threads_each(void (*visit)(void *context, struct cp_signal_thread *t),
                     void *context);

/*
 * Number of records ever allocated, as the bound for cp_signal_thread_at
 * without the lock. Records are never freed; a tid of 0 means not in use.
 */
uint32_t cp_threads_count_records(void);

struct cp_threads_stats {
    size_t n_threads;
    size_t n_no_timer; /* threads for which the kernel had no timer */
    size_t n_internal;
};

void cp_threads_stats(struct cp_threads_stats *out);

/* Whether the program has one thread left; a zombie main thread counts. */
bool cp_threads_is_single(void);

/* Fork protocol, see above. */
void cp_threads_before_fork(void);
void cp_threads_after_fork(bool is_child);

#endif
