/*
 * safe_point - decides whether a stopped thread may call dlopen().
 *
 * The thread must not hold a lock of malloc or of the loader, or dlopen() would
 * deadlock. Its position is a safe point if the whole stack can be unwound, and
 * it consists of code of the program up to the frames of libc that start a
 * program or a thread. The unwinder of the library runs on a copy of the stack.
 *
 * Context: the thread of cpprof that traces; the other thread must be stopped.
 * Failure: an object that cannot be read makes its stacks unsafe.
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

/* Whether a thread that runs outside system calls is at a safe point. */
bool cp_safe_point_is(struct cp_safe_points *q,
                      const struct cp_safe_point_regs *regs);

/*
 * Whether a thread that is about to enter a system call is at a safe point:
 * code of the program calls one function of libc, such as write().
 */
bool cp_safe_point_is_direct(struct cp_safe_points *q,
                             const struct cp_safe_point_regs *regs);

/*
 * Whether a thread in a waiting system call is at a safe point: neither the
 * loader, nor a malloc, nor a signal handler that may have interrupted one of
 * them is on its stack.
 */
bool cp_safe_point_is_call(struct cp_safe_points *q,
                           const struct cp_safe_point_regs *regs);

#endif
