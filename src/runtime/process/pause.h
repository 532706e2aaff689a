/*
 * pause - ends all threads of the library for the duration of a system call.
 *
 * unshare() and setns() fail in a process with several threads, and a seccomp
 * filter may apply to all of them. cp_pause_begin ends the threads of the
 * library (internal_thread.h) and waits until the kernel has removed them;
 * cp_pause_end starts them again. HTTP connections are closed.
 *
 * Context: a thread of the program, outside signal handlers.
 * Locking: takes the lock of listen.c for a while.
 * Failure: after 5 s the caller continues with the threads that are left.
 */
#ifndef CP_PAUSE_H
#define CP_PAUSE_H

#include <stdbool.h>

/* Whether the library has threads and the program has exactly one. */
bool cp_pause_is_useful(void);

/*
 * Ends the threads of the library. is_single says that the program has one
 * thread: then also waits until the process has no other thread.
 */
void cp_pause_begin(bool is_single);
void cp_pause_end(void);

#endif
