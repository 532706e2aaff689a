/*
 * tracee_state - reads from /proc what a thread of another process does,
 * without stopping it.
 *
 * /proc shows whether a thread sleeps, in which system call, and its arguments.
 * They decide whether a ptrace stop would change the result of the call.
 * Internal to the tracee files; x86-64 only.
 */
#ifndef CP_TRACEE_STATE_H
#define CP_TRACEE_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CP_TRACEE_RUNNING (-2L) /* running or ready to run */
#define CP_TRACEE_FAULT (-1L)   /* sleeps outside a system call */

struct cp_tracee_state {
    long call; /* system call it sleeps in, or one of the above */
    uint64_t args[6];
    long n_sleeps; /* voluntary context switches; 0 if running */
};

void cp_tracee_state_read(pid_t tid, struct cp_tracee_state *out);

/*
 * Whether the thread may be stopped: it runs, or it sleeps in a call that the
 * kernel or tracee_repair can restart.
 */
bool cp_tracee_state_may_stop(pid_t tid, const struct cp_tracee_state *p);

#endif
