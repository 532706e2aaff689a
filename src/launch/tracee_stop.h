/*
 * tracee_stop - stops and resumes a traced thread, and accesses its registers
 * and memory.
 *
 * Internal to the tracee files; x86-64 only.
 */
#ifndef CP_TRACEE_STOP_H
#define CP_TRACEE_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "base/error.h"

struct cp_safe_points;
struct cp_tracee_options;

/* The stop signal at the entry and exit of a system call. */
#define CP_TRACEE_CALL_STOP (SIGTRAP | 0x80)

#define CP_TRACEE_CALL_BYTES 2   /* length of the instruction "syscall" */
#define CP_TRACEE_MAX_ERROR 4095 /* results from -4095 to -1 are errors */

struct cp_tracee {
    pid_t tid;
    bool is_gone;                 /* the thread has ended */
    bool is_stopped;              /* in a ptrace stop */
    bool is_entry;                /* stopped at the entry of a system call */
    uint64_t call_at;             /* address of a syscall instruction */
    uint64_t mask;                /* saved signal mask */
    struct user_regs_struct regs; /* saved registers */
    uint64_t remainder_at;  /* address for the remaining sleep time, or 0 */
    uint64_t remainder[2];  /* saved content of that address */
    int64_t timeout_end_ns; /* deadline of its wait, monotonic, or 0 */
    struct iovec xstate;    /* saved vector registers */
    struct cp_safe_points *safe_points; /* owned by the caller; may be NULL */
};

int64_t cp_tracee_now_ns(void);
int64_t cp_tracee_now_ms(void);

/* Sets the error "WHAT: " and strerror(errno). */
enum cp_status cp_tracee_fail(const char *what, struct cp_error *err);

enum cp_status cp_tracee_get_regs(const struct cp_tracee *t,
                                  struct user_regs_struct *out,
                                  struct cp_error *err);
enum cp_status cp_tracee_set_regs(const struct cp_tracee *t,
                                  const struct user_regs_struct *regs,
                                  struct cp_error *err);

/*
 * Waits for the next stop; *out is the status of waitpid(). Returns CP_EOTHER
 * if no stop comes in time.
 */
enum cp_status cp_tracee_wait_stop(struct cp_tracee *t, int64_t end_ms,
                                   int *out, struct cp_error *err);

/* Resumes the thread by a ptrace request, with a signal or 0. */
enum cp_status cp_tracee_resume(struct cp_tracee *t, int request, int sig,
                                struct cp_error *err);

/* Whether PTRACE_INTERRUPT or a group stop has stopped the thread. */
bool cp_tracee_is_event_stop(int wait_status);

/*
 * Stops the thread where the stop does not change the result of its system
 * call, and sets t->regs. Delivers its signals. Returns CP_EOTHER if no such
 * stop comes in time; the thread then continues to run.
 */
enum cp_status cp_tracee_interrupt(struct cp_tracee *t, int64_t end_ms,
                                   struct cp_error *err);

/*
 * tracee_safe_point.c: runs a stopped thread to a safe point and sets t->regs.
 * Returns CP_EOTHER if it does not reach one in time; the thread then continues
 * to run.
 */
enum cp_status
cp_tracee_run_to_safe_point(struct cp_tracee *t,
                            const struct cp_tracee_options *options,
                            int64_t end_ms, struct cp_error *err);

#endif
