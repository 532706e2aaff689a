/*
 * tracee - one thread of another process, made to call a function.
 *
 * The thread is caught where it waits in a system call, or where it is about
 * to, or where its stack shows that it only computes: there it holds no lock
 * of malloc or of the loader. It works on a stack
 * of its own, with all signals blocked, and ends where it was: registers, the
 * vector unit's too, signal mask, and the call it waited in, which the kernel
 * begins again. Nothing is written into the program's code.
 *
 * A thread is stopped only where that does not change how its system call ends
 * (tracee_place.h), and what a stop has ended all the same is repaired
 * (tracee_repair.h).
 *
 * A process that dies meanwhile is an error like any other. The caller must
 * not be killed in between: cp_tracee_begin and cp_tracee_end go together.
 * Where cp_tracee_begin fails, the thread may be traced until the calling
 * thread ends: call from a thread of its own, and let it end then.
 */
#ifndef CP_TRACEE_H
#define CP_TRACEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct cp_tracee;

struct cp_safe_points;

struct cp_tracee_catch {
    pid_t tid;
    int timeout_ms;
    /* Judges stacks (safe_point.h); NULL: only calls are taken, as they are. */
    struct cp_safe_points *quiet;
    uint64_t call_at; /* a system call's instruction, for such a place */
};

/*
 * Catches the thread within the time. CP_EOTHER: it did not come to such a
 * place; another may. It runs on then.
 */
enum cp_status cp_tracee_begin(struct cp_tracee **out,
                               const struct cp_tracee_catch *how,
                               struct cp_error *err);

/* Lets it go on as if nothing had been. NULL is allowed. */
void cp_tracee_end(struct cp_tracee *t);

/* Has it make a system call. */
enum cp_status cp_tracee_syscall(struct cp_tracee *t, long number,
                                 const uint64_t args[6], uint64_t *out,
                                 struct cp_error *err);

struct cp_tracee_call {
    uint64_t function, args[4];
    uint64_t stack_top; /* of memory that nobody else uses */
    int timeout_ms;
};

/* Has it call a function. */
enum cp_status cp_tracee_call(struct cp_tracee *t,
                              const struct cp_tracee_call *call, uint64_t *out,
                              struct cp_error *err);

bool cp_tracee_read(const struct cp_tracee *t, uint64_t at, void *out,
                    size_t len);
bool cp_tracee_write(const struct cp_tracee *t, uint64_t at, const void *bytes,
                     size_t len);

/*
 * How good a place the call with that number is to wait in: 0 the best, then
 * worse; -1 is none. For the choice of a thread.
 */
int cp_tracee_rank(long call);

#endif
