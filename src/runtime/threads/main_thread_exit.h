/*
 * main_thread_exit - ends a process whose main thread has exited.
 *
 * A process lives on when its main thread calls pthread_exit; libc ends it with
 * its last thread. Libc counts the library's threads too, so the library must
 * detect that only its own threads are left, and then exit as libc would.
 *
 * Context: see each function. Locking: none held by the caller.
 * Failure: none; if no thread can be started, the main thread polls itself.
 */
#ifndef CP_MAIN_THREAD_EXIT_H
#define CP_MAIN_THREAD_EXIT_H

/* Called by the main thread when it is about to exit. */
void cp_main_thread_exit_begin(void);

/*
 * Called by the refresh thread at every refresh: detects a main thread that has
 * exited by a system call, past the hooks. If the program has no other thread,
 * ends the process with the status of the main thread.
 */
void cp_main_thread_exit_detect(void);

#endif
