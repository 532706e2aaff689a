/*
 * main_end - a process whose main thread has ended.
 *
 * libc ends such a process with its last thread. It counts ours among them, so
 * one of ours looks whether there are others, and if not does what libc would.
 */
#ifndef CP_MAIN_THREAD_EXIT_H
#define CP_MAIN_THREAD_EXIT_H

/* From the main thread, which is about to end. */
void cp_main_thread_exit_begin(void);

/*
 * From a thread of ours, now and then: a main thread that went straight to the
 * kernel has told nobody. If it was the last, the process ends with its status.
 */
void cp_main_thread_exit_detect(void);

#endif
