/*
 * own_thread - starts and pauses the threads of the library itself.
 *
 * These threads block all signals, so that the program's signals are never
 * delivered to them, and they appear in no profile.
 *
 * Context: any thread outside signal handlers. Locking: none.
 * Ordering: the pause flag is stored before sleepers are woken.
 * Failure: CP_EIO or CP_ENOMEM with the reason; no own thread can be started
 * during a pause.
 */
#ifndef CP_INTERNAL_THREAD_H
#define CP_INTERNAL_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* libc's pthread_create, which runtime/hooks/interpose.c hooks. */
typedef int cp_thread_creator(void *thread, const void *attr,
                              void *(*start)(void *), void *arg);
void cp_internal_thread_set_creator(cp_thread_creator *creator);

/* Whether pthread_create is hooked. If not, new threads must be polled for. */
bool cp_internal_thread_has_creator(void);

/* Starts a detached thread; the name is shown by ps and gdb. */
enum cp_status cp_internal_thread_start(const char *name,
                                        void (*run)(void *arg), void *arg,
                                        struct cp_error *err);

/* Starts an own thread that runs program code, on a stack of default size. */
enum cp_status cp_internal_thread_start_large(const char *name,
                                              void (*run)(void *arg), void *arg,
                                              struct cp_error *err);

/*
 * A pause ends all own threads, so that only the program's are left, and starts
 * them again later. A thread sleeps by cp_internal_thread_sleep, or calls
 * cp_internal_thread_is_pausing when it wakes up. If a pause has begun, its
 * function returns at once and is called again after the pause.
 *
 * Context: pause and resume on a thread of the program; is_pausing and sleep on
 * own threads.
 */
void cp_internal_thread_pause(void);
void cp_internal_thread_resume(void);
bool cp_internal_thread_is_pausing(void);

/* Number of own threads, including those that have not begun to run. */
uint32_t cp_internal_thread_count(void);

/* Sleeps for ns; false if a pause has begun. */
bool cp_internal_thread_sleep(int64_t ns);

/*
 * From now on only own threads may start own threads: one that a thread of the
 * program starts would inherit its seccomp filter.
 */
void cp_internal_thread_set_sandboxed(void);

/* Resets the state in the child of a fork, which has no own threads. */
void cp_internal_thread_reset_after_fork(void);

#endif
