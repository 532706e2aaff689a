/*
 * tracee.c - see tracee.h. This is x86-64; elsewhere tracee_none.c refuses.
 *
 * A thread that is interrupted in a system call has what the kernel will do
 * about it in rax: ERESTART and the like, with the call's number in orig_rax.
 * When we put back all registers in a stop like the one that we found it in,
 * the kernel acts on them as if we had not been there. Some calls end with
 * EINTR when a thread is stopped, handler or not (epoll_wait); they are begun
 * again too, unless a signal is to be handled.
 *
 * A called function returns to the system call's instruction, where the stack
 * pointer tells it from all other calls; it is stopped before the kernel does
 * anything. So no trap is needed that the program could have blocked.
 */
#include "launch/tracee.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "launch/quiet.h"

#define XSTATE_BYTES ((size_t)16 << 10)
#define NAP_NS 50000
#define SYSCALL_STOP (SIGTRAP | 0x80)
#define STEP_MS 5 /* between two looks at one that computes */
#define FREE_NS 300000
#define CALL_MS 2000   /* for a single system call */
#define NO_RESTART 514 /* ERESTARTNOHAND: again, unless there is a handler */
#define MOST_ERROR 4095

struct cp_tracee {
    pid_t tid;
    bool is_gone;     /* it has ended; there is nothing to let go */
    bool is_entry;    /* stopped before a system call, not in one */
    uint64_t call_at; /* a system call instruction */
    uint64_t mask;    /* its signal mask */
    struct user_regs_struct regs;
    struct iovec xstate;
    struct cp_quiet *quiet; /* borrowed, while it is caught; or NULL */
};

/* ---- where it may be caught ---- */

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

/* ---- small calls ---- */

static int64_t now_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static enum cp_status fail(const char *what, struct cp_error *err)
{
    return cp_error_set(err, CP_EIO, "%s: %s", what, strerror(errno));
}

static enum cp_status get_regs(const struct cp_tracee *t,
                               struct user_regs_struct *out,
                               struct cp_error *err)
{
    struct iovec v = { out, sizeof(*out) };

    if (ptrace(PTRACE_GETREGSET, t->tid, NT_PRSTATUS, &v) == 0)
        return CP_OK;
    return fail("cannot read registers", err);
}

static enum cp_status set_regs(const struct cp_tracee *t,
                               const struct user_regs_struct *regs,
                               struct cp_error *err)
{
    struct user_regs_struct copy = *regs;
    struct iovec v = { &copy, sizeof(copy) };

    if (ptrace(PTRACE_SETREGSET, t->tid, NT_PRSTATUS, &v) == 0)
        return CP_OK;
    return fail("cannot set registers", err);
}

bool cp_tracee_read(const struct cp_tracee *t, uint64_t at, void *out,
                    size_t len)
{
    struct iovec local = { out, len }, remote = { (void *)at, len };

    return process_vm_readv(t->tid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

bool cp_tracee_write(const struct cp_tracee *t, uint64_t at, const void *bytes,
                     size_t len)
{
    struct iovec local = { (void *)(uintptr_t)bytes, len };
    struct iovec remote = { (void *)at, len };

    return process_vm_writev(t->tid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

/* Waits for its next stop. CP_EOTHER: there was none in time. */
static enum cp_status await(struct cp_tracee *t, int64_t end_ms, int *out,
                            struct cp_error *err)
{
    const struct timespec nap = { 0, NAP_NS };

    for (;;) {
        pid_t got = waitpid(t->tid, out, __WALL | WNOHANG);

        if (got == t->tid && WIFSTOPPED(*out))
            return CP_OK;
        if (got == t->tid || (got < 0 && errno != EINTR)) {
            t->is_gone = true;
            return cp_error_set(err, CP_EIO, "it has ended meanwhile");
        }
        if (now_ms() > end_ms)
            return cp_error_set(err, CP_EOTHER, "no answer in time");
        (void)nanosleep(&nap, NULL);
    }
}

static enum cp_status resume(const struct cp_tracee *t, int request, int sig,
                             struct cp_error *err)
{
    if (ptrace((enum __ptrace_request)request, t->tid, 0, (long)sig) == 0)
        return CP_OK;
    return fail("cannot go on", err);
}

static bool is_event_stop(int how)
{
    return how >> 16 == PTRACE_EVENT_STOP;
}

/* Interrupts it and waits until it stands; its other signals are passed on. */
static enum cp_status interrupt(struct cp_tracee *t, int64_t end_ms,
                                struct cp_error *err)
{
    enum cp_status status = CP_OK;
    int how = 0;

    if (ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) != 0)
        return fail("cannot stop it", err);
    while (status == CP_OK) {
        status = await(t, end_ms, &how, err);
        if (status != CP_OK || is_event_stop(how))
            break;
        status = resume(t, PTRACE_CONT,
                        WSTOPSIG(how) == SYSCALL_STOP ? 0 : WSTOPSIG(how), err);
    }
    if (status == CP_OK && WSTOPSIG(how) != SIGTRAP)
        return cp_error_set(err, CP_EUSAGE,
                            "it is stopped by a signal; continue it first");
    return status;
}

/* ---- catching it ---- */

static bool is_at_call(const struct cp_tracee *t,
                       const struct user_regs_struct *r)
{
    unsigned char bytes[2];

    return cp_tracee_read(t, r->rip - 2, bytes, 2) && bytes[0] == 0x0f &&
           bytes[1] == 0x05;
}

/* Is it, in or before a call that is a good place, not in another's hands? */
static bool is_free_call(const struct cp_tracee *t)
{
    const struct user_regs_struct *r = &t->regs;
    struct cp_quiet_regs regs = {
        r->rip, r->rsp, r->rbp, r->rbx, r->r10, r->rdi
    };

    return is_at_call(t, r) && (!t->quiet || cp_quiet_is_call(t->quiet, &regs));
}

/* It calls all the time, and never what we want: lets it come elsewhere. */
static enum cp_status run_freely(const struct cp_tracee *t, int sig,
                                 struct cp_error *err)
{
    const struct timespec nap = { 0, FREE_NS };
    enum cp_status status = resume(t, PTRACE_CONT, sig, err);

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
    enum cp_status status = resume(t, PTRACE_SYSCALL, 0, err);
    int how;

    while (status == CP_OK) {
        int sig = 0;

        status = await(t, end_ms, &how, err);
        if (status != CP_OK)
            return status;
        if (WSTOPSIG(how) == SYSCALL_STOP) {
            status = get_regs(t, &t->regs, err);
            if (status == CP_OK &&
                cp_tracee_rank((long)t->regs.orig_rax) == 0 &&
                t->regs.rax == (uint64_t)-ENOSYS && is_free_call(t)) {
                t->call_at = t->regs.rip - 2;
                t->is_entry = true;
                return CP_OK;
            }
        } else if (!is_event_stop(how)) {
            sig = WSTOPSIG(how);
        }
        if (status == CP_OK && now_ms() > end_ms)
            return run_freely(t, sig, err);
        if (status == CP_OK)
            status = resume(t, PTRACE_SYSCALL, sig, err);
    }
    return status;
}

/* Did the call end because we came? Then it is to begin again. */
static void mend_interrupted(struct user_regs_struct *r)
{
    if ((int64_t)r->orig_rax >= 0 && r->rax == (uint64_t)-EINTR &&
        cp_tracee_rank((long)r->orig_rax) == 0)
        r->rax = (uint64_t)-NO_RESTART;
}

/* Where it has been stopped: is that a good place? */
static bool is_good_place(struct cp_tracee *t,
                          const struct cp_tracee_catch *how)
{
    const struct user_regs_struct *r = &t->regs;
    struct cp_quiet_regs regs = {
        r->rip, r->rsp, r->rbp, r->rbx, r->r10, r->rdi
    };
    long call = (long)r->orig_rax;

    if (call >= 0) {
        if (cp_tracee_rank(call) < 0 || r->rax <= (uint64_t)-MOST_ERROR ||
            !is_free_call(t))
            return false;
        t->call_at = r->rip - 2;
        mend_interrupted(&t->regs);
        return true;
    }
    t->call_at = how->call_at;
    return t->quiet && cp_quiet_is(t->quiet, &regs);
}

static enum cp_status settle(struct cp_tracee *t,
                             const struct cp_tracee_catch *how, int64_t end_ms,
                             struct cp_error *err)
{
    for (;;) {
        enum cp_status status = get_regs(t, &t->regs, err);

        if (status != CP_OK || is_good_place(t, how))
            return status;
        status = follow(t, now_ms() + STEP_MS, err);
        if (status != CP_EOTHER || now_ms() > end_ms)
            return status;
        status = interrupt(t, end_ms, err);
        if (status != CP_OK)
            return status;
    }
}

/* ---- keeping and putting back what it is ---- */

static enum cp_status block_signals(struct cp_tracee *t, struct cp_error *err)
{
    uint64_t all = ~(uint64_t)0;

    if (ptrace(PTRACE_GETSIGMASK, t->tid, 8, &t->mask) == 0 &&
        ptrace(PTRACE_SETSIGMASK, t->tid, 8, &all) == 0)
        return CP_OK;
    return fail("cannot block its signals", err);
}

static enum cp_status keep_xstate(struct cp_tracee *t, struct cp_error *err)
{
    t->xstate.iov_base = cp_alloc(XSTATE_BYTES, 1, err);
    t->xstate.iov_len = XSTATE_BYTES;
    if (!t->xstate.iov_base)
        return CP_ENOMEM;
    if (ptrace(PTRACE_GETREGSET, t->tid, NT_X86_XSTATE, &t->xstate) != 0)
        return fail("cannot read vector registers", err);
    if (t->xstate.iov_len >= XSTATE_BYTES)
        return cp_error_set(err, CP_EUSAGE, "too many vector registers");
    return CP_OK;
}

/* From before a call to behind it, which is not made. */
static enum cp_status leave_entry(struct cp_tracee *t, struct cp_error *err)
{
    struct user_regs_struct none = t->regs;
    enum cp_status status;
    int how;

    t->regs.rip -= 2; /* it will be made when all is over */
    t->regs.rax = t->regs.orig_rax;
    t->regs.orig_rax = (uint64_t)-1;
    none.orig_rax = (uint64_t)-1;
    status = set_regs(t, &none, err);
    if (status == CP_OK)
        status = resume(t, PTRACE_SYSCALL, 0, err);
    if (status == CP_OK)
        status = await(t, now_ms() + CALL_MS, &how, err);
    return status;
}

static enum cp_status keep(struct cp_tracee *t, struct cp_error *err)
{
    enum cp_status status = keep_xstate(t, err);

    if (status == CP_OK)
        status = block_signals(t, err);
    if (status == CP_OK && t->is_entry)
        status = leave_entry(t, err);
    return status;
}

static void release(struct cp_tracee *t)
{
    if (!t->is_gone)
        (void)ptrace(PTRACE_DETACH, t->tid, 0, 0);
    cp_free(t->xstate.iov_base);
    cp_free(t);
}

/* If it runs it has to stand before it can be let go. */
static void give_up(struct cp_tracee *t)
{
    int how;

    if (!t->is_gone && ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) == 0)
        (void)await(t, now_ms() + CALL_MS, &how, NULL);
    release(t);
}

enum cp_status cp_tracee_begin(struct cp_tracee **out,
                               const struct cp_tracee_catch *how,
                               struct cp_error *err)
{
    struct cp_tracee *t = cp_alloc(1, sizeof(*t), err);
    int64_t end_ms = now_ms() + how->timeout_ms;
    enum cp_status status;

    if (!t)
        return CP_ENOMEM;
    t->tid = how->tid;
    t->quiet = how->quiet;
    if (ptrace(PTRACE_SEIZE, t->tid, 0, PTRACE_O_TRACESYSGOOD) != 0) {
        int number = errno;

        status = fail("ptrace", err);
        cp_free(t);
        errno = number;
        return status;
    }
    status = interrupt(t, end_ms, err);
    if (status == CP_OK)
        status = settle(t, how, end_ms, err);
    if (status != CP_OK) {
        give_up(t);
        return status;
    }
    status = keep(t, err);
    if (status == CP_OK)
        *out = t;
    else
        cp_tracee_end(t);
    return status;
}

/*
 * In a stop of its own making, where the kernel looks at what is to become of
 * an interrupted call when it goes on.
 */
void cp_tracee_end(struct cp_tracee *t)
{
    int how;

    if (!t)
        return;
    if (!t->is_gone && ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) == 0 &&
        resume(t, PTRACE_CONT, 0, NULL) == CP_OK)
        (void)await(t, now_ms() + CALL_MS, &how, NULL);
    if (!t->is_gone) {
        (void)set_regs(t, &t->regs, NULL);
        (void)ptrace(PTRACE_SETREGSET, t->tid, NT_X86_XSTATE, &t->xstate);
        (void)ptrace(PTRACE_SETSIGMASK, t->tid, 8, &t->mask);
    }
    release(t);
}

/* ---- work ---- */

/* To the next system call stop; anything else is a failure of ours. */
static enum cp_status to_call_stop(struct cp_tracee *t, int64_t end_ms,
                                   struct cp_error *err)
{
    enum cp_status status = resume(t, PTRACE_SYSCALL, 0, err);
    int how;

    for (;;) {
        if (status == CP_OK)
            status = await(t, end_ms, &how, err);
        if (status != CP_OK || WSTOPSIG(how) == SYSCALL_STOP)
            return status;
        if (!is_event_stop(how))
            return cp_error_set(err, CP_EIO, "it got signal %d meanwhile",
                                WSTOPSIG(how));
        status = resume(t, PTRACE_SYSCALL, 0, err);
    }
}

enum cp_status cp_tracee_syscall(struct cp_tracee *t, long number,
                                 const uint64_t args[6], uint64_t *out,
                                 struct cp_error *err)
{
    struct user_regs_struct r = t->regs;
    int64_t end_ms = now_ms() + CALL_MS;
    enum cp_status status;

    r.rip = t->call_at;
    r.rax = (uint64_t)number;
    r.orig_rax = (uint64_t)-1;
    r.rdi = args[0];
    r.rsi = args[1];
    r.rdx = args[2];
    r.r10 = args[3];
    r.r8 = args[4];
    r.r9 = args[5];
    status = set_regs(t, &r, err);
    if (status == CP_OK)
        status = to_call_stop(t, end_ms, err); /* before it */
    if (status == CP_OK)
        status = to_call_stop(t, end_ms, err); /* and behind */
    if (status == CP_OK)
        status = get_regs(t, &r, err);
    if (status == CP_OK && r.rax > (uint64_t)-MOST_ERROR)
        return cp_error_set(err, CP_EIO, "%s", strerror((int)-(int64_t)r.rax));
    if (status == CP_OK)
        *out = r.rax;
    return status;
}

/* Runs it until the function has returned; its result is in *out. */
static enum cp_status run_to_end(struct cp_tracee *t,
                                 const struct cp_tracee_call *call,
                                 uint64_t *out, struct cp_error *err)
{
    int64_t end_ms = now_ms() + call->timeout_ms;
    struct user_regs_struct r;
    enum cp_status status;

    do {
        status = to_call_stop(t, end_ms, err);
        if (status == CP_OK)
            status = get_regs(t, &r, err);
    } while (status == CP_OK &&
             (r.rip != t->call_at + 2 || r.rsp != call->stack_top));
    if (status != CP_OK)
        return status;
    *out = r.orig_rax;
    r.orig_rax = (uint64_t)-1;
    status = set_regs(t, &r, err);
    return status == CP_OK ? to_call_stop(t, end_ms, err) : status;
}

enum cp_status cp_tracee_call(struct cp_tracee *t,
                              const struct cp_tracee_call *call, uint64_t *out,
                              struct cp_error *err)
{
    struct user_regs_struct r = t->regs;
    enum cp_status status;

    r.rsp = call->stack_top - 8;
    r.rbp = 0;
    r.rip = call->function;
    r.rax = 0;
    r.orig_rax = (uint64_t)-1;
    r.rdi = call->args[0];
    r.rsi = call->args[1];
    r.rdx = call->args[2];
    r.rcx = call->args[3];
    if (!cp_tracee_write(t, r.rsp, &t->call_at, 8))
        return fail("cannot write its memory", err);
    status = set_regs(t, &r, err);
    return status == CP_OK ? run_to_end(t, call, out, err) : status;
}
