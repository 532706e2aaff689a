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
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/error.h"
#include "launch/tracee_repair.h"
#include "launch/tracee_stop.h"

#define XSTATE_BYTES ((size_t)16 << 10)
#define CALL_MS 2000 /* for a single system call */

/* ---- keeping and putting back what it is ---- */

static enum cp_status block_signals(struct cp_tracee *t, struct cp_error *err)
{
    uint64_t all = ~(uint64_t)0;

    if (ptrace(PTRACE_GETSIGMASK, t->tid, 8, &t->mask) == 0 &&
        ptrace(PTRACE_SETSIGMASK, t->tid, 8, &all) == 0)
        return CP_OK;
    return cp_tracee_fail("cannot block its signals", err);
}

static enum cp_status keep_xstate(struct cp_tracee *t, struct cp_error *err)
{
    t->xstate.iov_base = cp_alloc(XSTATE_BYTES, 1, err);
    t->xstate.iov_len = XSTATE_BYTES;
    if (!t->xstate.iov_base)
        return CP_ENOMEM;
    if (ptrace(PTRACE_GETREGSET, t->tid, NT_X86_XSTATE, &t->xstate) != 0)
        return cp_tracee_fail("cannot read vector registers", err);
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

    t->regs.rip -= CP_TRACEE_CALL_BYTES; /* it will be made when all is over */
    t->regs.rax = t->regs.orig_rax;
    t->regs.orig_rax = (uint64_t)-1;
    none.orig_rax = (uint64_t)-1;
    status = cp_tracee_set_regs(t, &none, err);
    if (status == CP_OK)
        status = cp_tracee_resume(t, PTRACE_SYSCALL, 0, err);
    if (status == CP_OK)
        status = cp_tracee_await(t, cp_tracee_now_ms() + CALL_MS, &how, err);
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

/*
 * A thread that runs cannot be detached without a stop, which could end its
 * system call: the kernel detaches it when the calling thread ends.
 */
static void release(struct cp_tracee *t)
{
    if (!t->is_gone && t->is_stopped)
        (void)ptrace(PTRACE_DETACH, t->tid, 0, 0);
    cp_free(t->xstate.iov_base);
    cp_free(t);
}

enum cp_status cp_tracee_begin(struct cp_tracee **out,
                               const struct cp_tracee_catch *how,
                               struct cp_error *err)
{
    struct cp_tracee *t = cp_alloc(1, sizeof(*t), err);
    int64_t end_ms = cp_tracee_now_ms() + how->timeout_ms;
    enum cp_status status;

    if (!t)
        return CP_ENOMEM;
    t->tid = how->tid;
    t->quiet = how->quiet;
    if (ptrace(PTRACE_SEIZE, t->tid, 0, PTRACE_O_TRACESYSGOOD) != 0) {
        int number = errno;

        status = cp_tracee_fail("ptrace", err);
        cp_free(t);
        errno = number;
        return status;
    }
    status = cp_tracee_interrupt(t, end_ms, err);
    if (status == CP_OK)
        status = cp_tracee_settle(t, how, end_ms, err);
    if (status != CP_OK) {
        release(t);
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
        cp_tracee_resume(t, PTRACE_CONT, 0, NULL) == CP_OK)
        (void)cp_tracee_await(t, cp_tracee_now_ms() + CALL_MS, &how, NULL);
    if (!t->is_gone) {
        cp_tracee_shorten_timeout(t);
        (void)cp_tracee_set_regs(t, &t->regs, NULL);
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
    enum cp_status status = cp_tracee_resume(t, PTRACE_SYSCALL, 0, err);
    int how;

    for (;;) {
        if (status == CP_OK)
            status = cp_tracee_await(t, end_ms, &how, err);
        if (status != CP_OK || WSTOPSIG(how) == CP_TRACEE_CALL_STOP)
            return status;
        if (!cp_tracee_is_event_stop(how))
            return cp_error_set(err, CP_EIO, "it got signal %d meanwhile",
                                WSTOPSIG(how));
        status = cp_tracee_resume(t, PTRACE_SYSCALL, 0, err);
    }
}

enum cp_status cp_tracee_syscall(struct cp_tracee *t, long number,
                                 const uint64_t args[6], uint64_t *out,
                                 struct cp_error *err)
{
    struct user_regs_struct r = t->regs;
    int64_t end_ms = cp_tracee_now_ms() + CALL_MS;
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
    status = cp_tracee_set_regs(t, &r, err);
    if (status == CP_OK)
        status = to_call_stop(t, end_ms, err); /* before it */
    if (status == CP_OK)
        status = to_call_stop(t, end_ms, err); /* and behind */
    if (status == CP_OK)
        status = cp_tracee_get_regs(t, &r, err);
    if (status == CP_OK && r.rax > (uint64_t)-CP_TRACEE_MAX_ERROR)
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
    int64_t end_ms = cp_tracee_now_ms() + call->timeout_ms;
    struct user_regs_struct r;
    enum cp_status status;

    do {
        status = to_call_stop(t, end_ms, err);
        if (status == CP_OK)
            status = cp_tracee_get_regs(t, &r, err);
    } while (status == CP_OK && (r.rip != t->call_at + CP_TRACEE_CALL_BYTES ||
                                 r.rsp != call->stack_top));
    if (status != CP_OK)
        return status;
    *out = r.orig_rax;
    r.orig_rax = (uint64_t)-1;
    status = cp_tracee_set_regs(t, &r, err);
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
        return cp_tracee_fail("cannot write its memory", err);
    status = cp_tracee_set_regs(t, &r, err);
    return status == CP_OK ? run_to_end(t, call, out, err) : status;
}
