/*
 * own_thread - threads of the library itself.
 *
 * They have all signals blocked, so that none of the program's lands on them,
 * and are in no profile.
 */
#ifndef CP_OWN_THREAD_H
#define CP_OWN_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* pthread_create as it was before it was ours; see interpose.c. */
typedef int cp_thread_creator(void *thread, const void *attr,
                              void *(*start)(void *), void *arg);
void cp_own_thread_set_creator(cp_thread_creator *maker);

/* Is pthread_create ours? Else new threads must be looked for. */
bool cp_own_thread_has_creator(void);

/* Starts a thread that nobody waits for; its name is for `ps` and gdb. */
enum cp_status cp_own_thread_start(const char *name, void (*run)(void *arg),
                                   void *arg, struct cp_error *err);

/* One that will run code of the program, on a stack as large as any. */
enum cp_status cp_own_thread_start_large(const char *name,
                                         void (*run)(void *arg), void *arg,
                                         struct cp_error *err);

/*
 * Pausing: all of these threads end, so that the program has only its own, and
 * start again later. A thread that waits does so by cp_own_thread_sleep, or
 * asks cp_own_thread_is_pausing when it wakes up; if it is pausing, its
 * function returns at once, and is called again when the pause is over.
 *
 * Context: pause and resume on a thread of the program; the other two on own
 * threads. Locking: none. Ordering: the flag is set before a sleeper is woken.
 * Failure: while it pauses, no own thread can be started.
 */
void cp_own_thread_pause(void);
void cp_own_thread_resume(void);
bool cp_own_thread_is_pausing(void);

/* How many there are, with those that have not begun yet. */
uint32_t cp_own_thread_count(void);

/* Sleeps for ns; false: it is pausing. */
bool cp_own_thread_sleep(int64_t ns);

/* Threads of the program start no more of ours: their filter is inherited. */
void cp_own_thread_set_sandboxed(void);

/* In the child of a fork. */
void cp_own_thread_reset_after_fork(void);

#endif
