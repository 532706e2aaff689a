/*
 * quiet - is a thread that computes at a place where it can be borrowed?
 *
 * It is if its whole stack is known and nobody on it could hold a lock of
 * malloc or of the loader: the program's own code from the leaf up to libc's
 * frames that start a program or a thread. The stack is walked with the
 * library's own walker, over a copy.
 */
#ifndef CP_QUIET_H
#define CP_QUIET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct cp_error;

struct cp_quiet;

/* Reads the unwind tables of all objects of the process. */
struct cp_quiet *cp_quiet_new(pid_t pid, struct cp_error *err);
void cp_quiet_free(struct cp_quiet *q);

struct cp_quiet_regs {
    uint64_t pc, sp, fp, rbx, r10, rdi;
};

/* Between calls: may it be borrowed here? The thread must stand still. */
bool cp_quiet_is(struct cp_quiet *q, const struct cp_quiet_regs *regs);

/*
 * Before a system call that the program's own code makes by one function of
 * libc, such as write: may it be borrowed here?
 */
bool cp_quiet_is_direct(struct cp_quiet *q, const struct cp_quiet_regs *regs);

/*
 * In a call that is a good place by itself: but is it made by the loader, by
 * somebody's malloc, or by a signal handler, which may have interrupted them?
 */
bool cp_quiet_is_call(struct cp_quiet *q, const struct cp_quiet_regs *regs);

#endif
