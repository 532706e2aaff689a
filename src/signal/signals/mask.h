/*
 * mask - blocks the signals whose handlers could run in the calling thread.
 *
 * The kernel discards a signal that the process ignores (SIGCHLD, by default)
 * only if the thread it is meant for does not block it. If that thread blocks
 * it, the kernel queues the signal and wakes a different thread for it, whose
 * system call then ends early. So ignored signals stay unblocked.
 *
 * Context: any, signal handlers included; errno is kept. Locking: none.
 * Failure: none.
 */
#ifndef CP_SIGNAL_MASK_H
#define CP_SIGNAL_MASK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Does the process ignore the signal, by SIG_IGN or by default? */
bool cp_signal_mask_is_ignored(int sig);

/*
 * Fills *out with every signal that may run a handler, including those that
 * libc reserves for itself: thread cancellation uses one.
 */
void cp_signal_mask_fill(sigset_t *out);

/* Blocks every signal that may run a handler; returns the mask before. */
uint64_t cp_signal_mask_block(void);

/* Restores a mask that cp_signal_mask_block returned. */
void cp_signal_mask_restore(uint64_t before);

#endif
