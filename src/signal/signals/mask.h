/*
 * mask - keeps the program's handlers from running on this thread for a moment,
 * or in the middle of a handler of the library.
 *
 * The kernel discards a signal that the process ignores (SIGCHLD, by default)
 * only if the thread it is meant for does not block it. If it does, the signal
 * is queued, and another thread is woken for it: its system call ends early.
 * So ignored signals stay unblocked.
 *
 * Context: any thread, not in a signal handler. Locking: none.
 */
#ifndef CP_SIGNAL_MASK_H
#define CP_SIGNAL_MASK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Does the process ignore that signal now, by default or by SIG_IGN? */
bool cp_signal_mask_is_ignored(int sig);

/* Fills in every signal that may run a handler, also those that libc leaves
 * out of its sets: a thread must not be cancelled there. */
void cp_signal_mask_fill(sigset_t *out);

/* Blocks every signal that may run a handler; returns the mask before. */
uint64_t cp_signal_mask_block(void);

void cp_signal_mask_restore(uint64_t before);

#endif
