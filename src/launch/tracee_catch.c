/*
 * tracee_catch.c - where a thread may be caught, and getting it there.
 *
 * Good places are system calls that wait, before they begin or while they
 * last; any call that the program's own code makes, before it begins; and code
 * whose stack shows that it only computes (safe_point.h).
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/error.h"
#include "launch/safe_point.h"
#include "launch/tracee.h"
#include "launch/tracee_stop.h"

#define STEP_MS 5 /* between two looks at one that computes */
#define FREE_NS 300000

static const struct {
    long call;
    int rank;
} places[] = {
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
    { SYS_restart_syscall, 1 }, /* a sleep that was interrupted before */
    { SYS_read, 1 },
    { SYS_futex, 2 },
};

int cp_tracee_rank(long call)
{
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (places[i].call == call)
            return places[i].rank;
    return -1;
}

static bool is_at_call(const struct cp_tracee *t,
                       const struct user_regs_struct *r)
{
    unsigned char bytes[CP_TRACEE_CALL_BYTES];

    return cp_tracee_read(t, r->rip - sizeof(bytes), bytes, sizeof(bytes)) &&
           bytes[0] == 0x0f && bytes[1] == 0x05;
}

static struct cp_safe_point_regs judged_regs(const struct cp_tracee *t)
{
    const struct user_regs_struct *r = &t->regs;

    return (struct cp_safe_point_regs){ r->rip, r->rsp, r->rbp,
                                        r->rbx, r->r10, r->rdi };
}

/* Is it, in or before a call that is a good place, not in another's hands? */
static bool is_free_call(const struct cp_tracee *t)
{
    struct cp_safe_point_regs regs = judged_regs(t);

    return is_at_call(t, &t->regs) &&
           (!t->quiet || cp_safe_point_is_call(t->quiet, &regs));
}

/* Is it before a call that can wait, made by the program's own code? */
static bool is_direct_call(const struct cp_tracee *t)
{
    static const long others[] = { SYS_exit,         SYS_exit_group,
                                   SYS_execve,       SYS_clone,
                                   SYS_fork,         SYS_vfork,
                                   SYS_clone3,       SYS_execveat,
                                   SYS_rt_sigreturn, SYS_restart_syscall };
    struct cp_safe_point_regs regs = judged_regs(t);

    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (others[i] == (long)t->regs.orig_rax)
            return false;
    return t->quiet && is_at_call(t, &t->regs) &&
           cp_safe_point_is_direct(t->quiet, &regs);
}

/* It calls all the time, and never what we want: lets it come elsewhere. */
static enum cp_status run_freely(struct cp_tracee *t, int sig,
                                 struct cp_error *err)
{
    const struct timespec nap = { 0, FREE_NS };
    enum cp_status status = cp_tracee_resume(t, PTRACE_CONT, sig, err);

    (void)nanosleep(&nap, NULL);
    if (status != CP_OK)
        return status;
    return cp_error_set(err, CP_EOTHER, "it is at no good place");
}

/*
 * Runs it to the next call that is a good place, before that begins: it stands
 * there with ENOSYS as the result so far.
 */
static enum cp_status follow(struct cp_tracee *t, int64_t end_ms,
                             struct cp_error *err)
{
    enum cp_status status = cp_tracee_resume(t, PTRACE_SYSCALL, 0, err);
    int how;

    while (status == CP_OK) {
        int sig = 0;

        status = cp_tracee_await(t, end_ms, &how, err);
        if (status != CP_OK)
            return status;
        if (WSTOPSIG(how) == CP_TRACEE_CALL_STOP) {
            status = cp_tracee_get_regs(t, &t->regs, err);
            if (status == CP_OK && t->regs.rax == (uint64_t)-ENOSYS &&
                ((cp_tracee_rank((long)t->regs.orig_rax) == 0 &&
                  is_free_call(t)) ||
                 is_direct_call(t))) {
                t->call_at = t->regs.rip - CP_TRACEE_CALL_BYTES;
                t->is_entry = true;
                return CP_OK;
            }
        } else if (!cp_tracee_is_event_stop(how)) {
            sig = WSTOPSIG(how);
        }
        if (status == CP_OK && cp_tracee_now_ms() > end_ms)
            return run_freely(t, sig, err);
        if (status == CP_OK)
            status = cp_tracee_resume(t, PTRACE_SYSCALL, sig, err);
    }
    return status;
}

/* Where it has been stopped: is that a good place? */
static bool is_good_place(struct cp_tracee *t,
                          const struct cp_tracee_catch *how)
{
    const struct user_regs_struct *r = &t->regs;
    struct cp_safe_point_regs regs = judged_regs(t);
    long call = (long)r->orig_rax;

    if (call >= 0) {
        if (cp_tracee_rank(call) < 0 ||
            r->rax <= (uint64_t)-CP_TRACEE_MAX_ERROR || !is_free_call(t))
            return false;
        t->call_at = r->rip - CP_TRACEE_CALL_BYTES;
        return true;
    }
    t->call_at = how->call_at;
    return t->quiet && cp_safe_point_is(t->quiet, &regs);
}

enum cp_status cp_tracee_settle(struct cp_tracee *t,
                                const struct cp_tracee_catch *how,
                                int64_t end_ms, struct cp_error *err)
{
    for (;;) {
        enum cp_status status;

        if (is_good_place(t, how))
            return CP_OK;
        status = follow(t, cp_tracee_now_ms() + STEP_MS, err);
        if (status != CP_EOTHER || cp_tracee_now_ms() > end_ms)
            return status;
        status = cp_tracee_interrupt(t, end_ms, err);
        if (status != CP_OK)
            return status;
    }
}
