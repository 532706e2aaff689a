/*
 * tracee_safe_point.c - runs a stopped thread to its next safe point.
 *
 * Safe points are waiting system calls, before or during the wait; other system
 * calls of the program, before they begin; and code whose stack shows that it
 * only computes (safe_point.h).
 */
#include "launch/tracee_stop.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "launch/safe_point.h"
#include "launch/tracee.h"

#define STEP_TIMEOUT_MS 5 /* then the stack is checked again */
#define RUN_FREELY_NS 300000

static const struct {
    long call;
    int rank; /* 0 is the best */
} waiting_calls[] = {
    { SYS_epoll_wait, 0 },
    { SYS_epoll_pwait, 0 },
    { SYS_poll, 0 },
    { SYS_ppoll, 0 },
    { SYS_select, 0 },
    { SYS_pselect6, 0 },
    { SYS_nanosleep, 0 },
    { SYS_clock_nanosleep, 0 },
    { SYS_wait4, 0 },
    { SYS_waitid, 0 },
    { SYS_pause, 0 },
    { SYS_rt_sigsuspend, 0 },
    { SYS_accept, 0 },
    { SYS_accept4, 0 },
    { SYS_recvfrom, 0 },
    { SYS_recvmsg, 0 },
    { SYS_rt_sigtimedwait, 0 },
#ifdef SYS_epoll_pwait2
    { SYS_epoll_pwait2, 0 },
#endif
    { SYS_restart_syscall, 1 }, /* a sleep that was interrupted */
    { SYS_read, 1 },
    { SYS_futex, 2 },
};

int cp_tracee_rank(long call)
{
    for (size_t i = 0; i < sizeof(waiting_calls) / sizeof(waiting_calls[0]);
         i++)
        if (waiting_calls[i].call == call)
            return waiting_calls[i].rank;
    return -1;
}

/* Whether a syscall instruction precedes rip. */
static bool is_at_syscall(const struct cp_tracee *t,
                          const struct user_regs_struct *r)
{
    unsigned char bytes[CP_TRACEE_CALL_BYTES];

    return cp_tracee_read(t, r->rip - sizeof(bytes), bytes, sizeof(bytes)) &&
           bytes[0] == 0x0f && bytes[1] == 0x05;
}

static struct cp_safe_point_regs safe_point_regs(const struct cp_tracee *t)
{
    const struct user_regs_struct *r = &t->regs;

    return (struct cp_safe_point_regs){ r->rip, r->rsp, r->rbp,
                                        r->rbx, r->r10, r->rdi };
}

/* Whether the thread is in or before a waiting call at a safe point. */
static bool is_safe_wait(const struct cp_tracee *t)
{
    struct cp_safe_point_regs regs = safe_point_regs(t);

    return is_at_syscall(t, &t->regs) &&
           (!t->safe_points || cp_safe_point_is_call(t->safe_points, &regs));
}

/* Whether the thread is before a call that code of the program makes. */
static bool is_safe_direct_call(const struct cp_tracee *t)
{
    static const long excluded[] = { SYS_exit,         SYS_exit_group,
                                     SYS_execve,       SYS_clone,
                                     SYS_fork,         SYS_vfork,
                                     SYS_clone3,       SYS_execveat,
                                     SYS_rt_sigreturn, SYS_restart_syscall };
    struct cp_safe_point_regs regs = safe_point_regs(t);

    for (size_t i = 0; i < sizeof(excluded) / sizeof(*excluded); i++)
        if (excluded[i] == (long)t->regs.orig_rax)
            return false;
    return t->safe_points && is_at_syscall(t, &t->regs) &&
           cp_safe_point_is_direct(t->safe_points, &regs);
}

/*
 * Lets the thread run untraced for a moment, because it only makes unsafe
 * calls.
 */
static enum cp_status run_freely(struct cp_tracee *t, int sig,
                                 struct cp_error *err)
{
    const struct timespec span = { 0, RUN_FREELY_NS };
    enum cp_status status = cp_tracee_resume(t, PTRACE_CONT, sig, err);

    (void)nanosleep(&span, NULL);
    if (status != CP_OK)
        return status;
    return cp_error_set(err, CP_EOTHER, "the thread reached no safe point");
}

/*
 * Runs the thread to the entry of the next safe system call. At an entry, rax
 * is -ENOSYS.
 */
static enum cp_status run_to_safe_call(struct cp_tracee *t, int64_t end_ms,
                                       struct cp_error *err)
{
    enum cp_status status = cp_tracee_resume(t, PTRACE_SYSCALL, 0, err);
    int wait_status;

    while (status == CP_OK) {
        int sig = 0;

        status = cp_tracee_wait_stop(t, end_ms, &wait_status, err);
        if (status != CP_OK)
            return status;
        if (WSTOPSIG(wait_status) == CP_TRACEE_CALL_STOP) {
            status = cp_tracee_get_regs(t, &t->regs, err);
            if (status == CP_OK && t->regs.rax == (uint64_t)-ENOSYS &&
                ((cp_tracee_rank((long)t->regs.orig_rax) == 0 &&
                  is_safe_wait(t)) ||
                 is_safe_direct_call(t))) {
                t->call_at = t->regs.rip - CP_TRACEE_CALL_BYTES;
                t->is_entry = true;
                return CP_OK;
            }
        } else if (!cp_tracee_is_event_stop(wait_status)) {
            sig = WSTOPSIG(wait_status);
        }
        if (status == CP_OK && cp_tracee_now_ms() > end_ms)
            return run_freely(t, sig, err);
        if (status == CP_OK)
            status = cp_tracee_resume(t, PTRACE_SYSCALL, sig, err);
    }
    return status;
}

/* Whether the thread has been stopped at a safe point. */
static bool is_at_safe_point(struct cp_tracee *t,
                             const struct cp_tracee_options *options)
{
    const struct user_regs_struct *r = &t->regs;
    struct cp_safe_point_regs regs = safe_point_regs(t);
    long call = (long)r->orig_rax;

    if (call >= 0) {
        if (cp_tracee_rank(call) < 0 ||
            r->rax <= (uint64_t)-CP_TRACEE_MAX_ERROR || !is_safe_wait(t))
            return false;
        t->call_at = r->rip - CP_TRACEE_CALL_BYTES;
        return true;
    }
    t->call_at = options->call_at;
    return t->safe_points && cp_safe_point_is(t->safe_points, &regs);
}

enum cp_status
cp_tracee_run_to_safe_point(struct cp_tracee *t,
                            const struct cp_tracee_options *options,
                            int64_t end_ms, struct cp_error *err)
{
    for (;;) {
        enum cp_status status;

        if (is_at_safe_point(t, options))
            return CP_OK;
        status = run_to_safe_call(t, cp_tracee_now_ms() + STEP_TIMEOUT_MS, err);
        if (status != CP_EOTHER || cp_tracee_now_ms() > end_ms)
            return status;
        status = cp_tracee_interrupt(t, end_ms, err);
        if (status != CP_OK)
            return status;
    }
}
