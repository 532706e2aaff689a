/*
 * tracee - makes one thread of another process call functions, by ptrace.
 *
 * cp_tracee_begin stops the thread at a safe point (safe_point.h): in or before
 * a waiting system call, or where its stack shows that it holds no lock of
 * malloc or the loader. The calls run on a separate stack with all signals
 * blocked. cp_tracee_end restores the registers with the vector registers, the
 * signal mask, and the system call, which the kernel restarts. The code of the
 * program is never modified.
 *
 * A thread is stopped only where the stop does not change the result of its
 * system call (tracee_state.h). If a stop has interrupted a call all the same,
 * tracee_repair.h completes it.
 *
 * Context: one thread of cpprof for begin, the calls and end, with all signals
 * blocked: if cpprof died in between, the thread would not be restored.
 * Failure: the thread continues as before; the process may also have ended.
 * After a failed begin it stays traced until the calling thread ends, so call
 * begin on a thread that you let end.
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

struct cp_tracee_options {
    pid_t tid;
    int timeout_ms;
    /* checks stacks; if NULL, every waiting system call counts as safe */
    struct cp_safe_points *safe_points;
    uint64_t call_at; /* address of a syscall instruction in libc */
};

/*
 * Stops the thread at a safe point. Returns CP_EOTHER if it did not reach one
 * in time; it then continues to run, and the caller can try a different thread.
 */
enum cp_status cp_tracee_begin(struct cp_tracee **out,
                               const struct cp_tracee_options *options,
                               struct cp_error *err);

/* Restores the thread and lets it continue. NULL is allowed. */
void cp_tracee_end(struct cp_tracee *t);

/* Makes the thread execute a system call. */
enum cp_status cp_tracee_syscall(struct cp_tracee *t, long number,
                                 const uint64_t args[6], uint64_t *out,
                                 struct cp_error *err);

struct cp_tracee_call {
    uint64_t function, args[4];
    uint64_t stack_top; /* high end of unused memory */
    int timeout_ms;
};

/* Makes the thread call a function. */
enum cp_status cp_tracee_call(struct cp_tracee *t,
                              const struct cp_tracee_call *call, uint64_t *out,
                              struct cp_error *err);

bool cp_tracee_read(const struct cp_tracee *t, uint64_t at, void *out,
                    size_t len);
bool cp_tracee_write(const struct cp_tracee *t, uint64_t at, const void *bytes,
                     size_t len);

/*
 * Returns how suitable a system call is for a stop: 0 is the best, -1 is
 * unsuitable.
 */
int cp_tracee_rank(long call);

#endif
