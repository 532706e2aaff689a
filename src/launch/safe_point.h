/*
 * quiet - is a thread that computes at a place where it can be borrowed?
 *
 * It is if its whole stack is known and nobody on it could hold a lock of
 * malloc or of the loader: the program's own code from the leaf up to libc's
 * frames that start a program or a thread. The stack is walked with the
 * library's own walker, over a copy.
 */
#ifndef CP_SAFE_POINT_H
#define CP_SAFE_POINT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct cp_error;

struct cp_safe_points;

/* Reads the unwind tables of all objects of the process. */
struct cp_safe_points *cp_safe_point_new(pid_t pid, struct cp_error *err);
void cp_safe_point_free(struct cp_safe_points *q);

struct cp_safe_point_regs {
    uint64_t pc, sp, fp, rbx, r10, rdi;
};

/* Between calls: may it be borrowed here? The thread must stand still. */
bool cp_safe_point_is(struct cp_safe_points *q,
                      const struct cp_safe_point_regs *regs);

/*
 * Before a system call that the program's own code makes by one function of
 * libc, such as write: may it be borrowed here?
 */
bool cp_safe_point_is_direct(struct cp_safe_points *q,
                             const struct cp_safe_point_regs *regs);

/*
 * In a call that is a good place by itself: but is it made by the loader, by
 * somebody's malloc, or by a signal handler, which may have interrupted them?
 */
bool cp_safe_point_is_call(struct cp_safe_points *q,
                           const struct cp_safe_point_regs *regs);

#endif
