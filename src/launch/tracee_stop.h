/*
 * tracee_stop - a thread that is traced: stopping it, letting it go on, its
 * registers.
 *
 * What tracee.c (which has it work) and tracee_catch.c (which brings it to a
 * good place first) are made of. Internal to these three; x86-64 only.
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
struct cp_tracee_catch;

/* How a stop before or behind a system call is told from other traps. */
#define CP_TRACEE_CALL_STOP (SIGTRAP | 0x80)

#define CP_TRACEE_CALL_BYTES 2   /* of the instruction "syscall" */
#define CP_TRACEE_MAX_ERROR 4095 /* results from -4095 on are errors */

struct cp_tracee {
    pid_t tid;
    bool is_gone;     /* it has ended; there is nothing to let go */
    bool is_stopped;  /* by ptrace; else it runs */
    bool is_entry;    /* stopped before a system call, not in one */
    uint64_t call_at; /* a system call instruction */
    uint64_t mask;    /* its signal mask */
    struct user_regs_struct regs;
    uint64_t remainder_at;  /* where its sleep would write one; 0: nowhere */
    uint64_t remainder[2];  /* what is there */
    int64_t timeout_end_ns; /* of the wait that it is in; 0: none to mind */
    struct iovec xstate;
    struct cp_safe_points *quiet; /* borrowed, while it is caught; or NULL */
};

int64_t cp_tracee_now_ns(void);
int64_t cp_tracee_now_ms(void);

/* "WHAT: " and what errno says. */
enum cp_status cp_tracee_fail(const char *what, struct cp_error *err);

enum cp_status cp_tracee_get_regs(const struct cp_tracee *t,
                                  struct user_regs_struct *out,
                                  struct cp_error *err);
enum cp_status cp_tracee_set_regs(const struct cp_tracee *t,
                                  const struct user_regs_struct *regs,
                                  struct cp_error *err);

/*
 * Waits for its next stop, which *out then tells as waitpid does. CP_EOTHER:
 * there was none in time.
 */
enum cp_status cp_tracee_await(struct cp_tracee *t, int64_t end_ms, int *out,
                               struct cp_error *err);

/* Lets it go on, by a request of ptrace and with a signal or 0. */
enum cp_status cp_tracee_resume(struct cp_tracee *t, int request, int sig,
                                struct cp_error *err);

/* Did it stop because we interrupted it, or all of its process is stopped? */
bool cp_tracee_is_event_stop(int how);

/*
 * Stops it where that does not change how its system call ends, within the
 * time; its other signals are passed on. t->regs are its registers then.
 * CP_EOTHER: there was no such place in time, and it runs.
 */
enum cp_status cp_tracee_interrupt(struct cp_tracee *t, int64_t end_ms,
                                   struct cp_error *err);

/*
 * tracee_catch.c: brings one that stands to a good place, whose registers are
 * in t->regs then. CP_EOTHER: not in time; it runs.
 */
enum cp_status cp_tracee_settle(struct cp_tracee *t,
                                const struct cp_tracee_catch *how,
                                int64_t end_ms, struct cp_error *err);

#endif
