/*
 * tracee_repair - completes a system call that a ptrace stop has interrupted.
 *
 * PTRACE_INTERRUPT interrupts the system call of the thread. The kernel
 * restarts most calls. The others are repaired in the registers of the thread:
 *
 * - A wait that ended with EINTR is restarted with the rest of its timeout. If
 * a signal of the program arrives, it ends with EINTR as usual.
 * - A partial transfer is continued with the rest, and the thread sees one
 *   result, the sum.
 *
 * Internal to the tracee files; x86-64 only.
 */
#ifndef CP_TRACEE_REPAIR_H
#define CP_TRACEE_REPAIR_H

#include <stdint.h>

#include "base/error.h"

struct cp_tracee;
struct cp_tracee_state;

/*
 * Repairs the system call of a thread that PTRACE_INTERRUPT has just stopped,
 * and that has slept since began_ns. Sets t->regs and leaves the thread
 * stopped. Waits for the end of a transfer without a timeout.
 */
enum cp_status cp_tracee_repair(struct cp_tracee *t, int64_t began_ns,
                                struct cp_error *err);

/*
 * Call before a stop: saves the memory that an interrupted sleep overwrites
 * with its remaining time.
 */
void cp_tracee_save_remainder(struct cp_tracee *t,
                              const struct cp_tracee_state *p);

/* Sets the timeout in t->regs to its remaining time, if there is one. */
void cp_tracee_shorten_timeout(struct cp_tracee *t);

#endif
