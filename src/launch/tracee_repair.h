/*
 * tracee_repair - makes a system call that a stop has ended go on.
 *
 * PTRACE_INTERRUPT ends the call that the thread is in. Most calls restart by
 * themselves. The others are repaired in the thread's registers:
 *
 * - A wait that ended with EINTR is executed again, with the rest of its
 *   timeout. If a signal of the program's arrives, it ends with EINTR as usual.
 * - A transfer that was cut short goes on with what is left, and the thread
 *   then sees one result: the sum.
 *
 * Internal to the tracee files; x86-64 only.
 */
#ifndef CP_TRACEE_REPAIR_H
#define CP_TRACEE_REPAIR_H

#include <stdint.h>

#include "base/error.h"

struct cp_tracee;
struct cp_tracee_place;

/*
 * Repairs the call of a thread that PTRACE_INTERRUPT has just stopped, and that
 * slept since began_ns. Afterwards t->regs are its registers, and it is
 * stopped. Waits until a transfer has ended, however long that takes.
 */
enum cp_status cp_tracee_repair(struct cp_tracee *t, int64_t began_ns,
                                struct cp_error *err);

/* Before a stop: keeps what a stop of a sleep would overwrite. */
void cp_tracee_save_remainder(struct cp_tracee *t,
                              const struct cp_tracee_place *p);

/* Sets the timeout in t->regs to what is left of it now, if it has one. */
void cp_tracee_shorten_timeout(struct cp_tracee *t);

#endif
