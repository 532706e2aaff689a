/*
 * mask - keeps the program's handlers from running on this thread for a moment.
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

#include <stdint.h>

/* Blocks every signal that may run a handler; returns the mask before. */
uint64_t cp_signal_mask_block(void);

void cp_signal_mask_restore(uint64_t before);

#endif
