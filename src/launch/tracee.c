/*
 * tracee.c - saves and restores the state of a stopped thread, and runs system
 * calls and functions on it. x86-64; tracee_unsupported.c is for others.
 *
 * In a thread that is interrupted in a system call, rax holds what the kernel
 * will do (ERESTARTSYS and others) and orig_rax the number of the call. After
 * all registers are restored in the same kind of stop, the kernel acts as if
 * nothing had happened. Some calls end with EINTR at every stop (epoll_wait);
 * they are restarted too, unless a signal handler is to run.
 *
 * A called function returns to a syscall instruction. The thread stops before
 * the kernel executes that call, and the stack pointer distinguishes it from
 * other calls. So no breakpoint is needed, whose SIGTRAP the program may block.
 */
#include "launch/tracee.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "launch/tracee_repair.h"
#include "launch/tracee_stop.h"

#define XSTATE_BYTES ((size_t)16 << 10)
#define SYSCALL_TIMEOUT_MS 2000

/* ---- saving and restoring ---- */

static enum cp_status block_signals(struct cp_tracee *t, struct cp_error *err)
{
    uint64_t all = ~(uint64_t)0;

    if (ptrace(PTRACE_GETSIGMASK, t->tid, 8, &t->mask) == 0 &&
        ptrace(PTRACE_SETSIGMASK, t->tid, 8, &all) == 0)
        return CP_OK;
    return cp_tracee_fail("cannot block the signals of the thread", err);
}

static enum cp_status save_xstate(struct cp_tracee *t, struct cp_error *err)
{
    t->xstate.iov_base = cp_alloc(XSTATE_BYTES, 1, err);
    t->xstate.iov_len = XSTATE_BYTES;
    if (!t->xstate.iov_base)
        return CP_ENOMEM;
    if (ptrace(PTRACE_GETREGSET, t->tid, NT_X86_XSTATE, &t->xstate) != 0)
        return cp_tracee_fail("cannot read the vector registers", err);
    if (t->xstate.iov_len >= XSTATE_BYTES)
        return cp_error_set(err, CP_EUSAGE,
                            "the vector registers have more than 16 KB");
    return CP_OK;
}

/* Cancels the system call that the thread is about to execute. */
static enum cp_status skip_syscall(struct cp_tracee *t, struct cp_error *err)
{
    struct user_regs_struct none = t->regs;
    enum cp_status status;
    int wait_status;

    t->regs.rip -= CP_TRACEE_CALL_BYTES; /* cp_tracee_end restarts it */
    t->regs.rax = t->regs.orig_rax;
    t->regs.orig_rax = (uint64_t)-1;
    none.orig_rax = (uint64_t)-1;
    status = cp_tracee_set_regs(t, &none, err);
    if (status == CP_OK)
        status = cp_tracee_resume(t, PTRACE_SYSCALL, 0, err);
    if (status == CP_OK)
        status = cp_tracee_wait_stop(t, cp_tracee_now_ms() + SYSCALL_TIMEOUT_MS,
                                     &wait_status, err);
    return status;
}

static enum cp_status save(struct cp_tracee *t, struct cp_error *err)
{
    enum cp_status status = save_xstate(t, err);

    if (status == CP_OK)
        status = block_signals(t, err);
    if (status == CP_OK && t->is_entry)
        status = skip_syscall(t, err);
    return status;
}

/*
 * Releases the thread. A running thread cannot be detached without a stop,
 * which could interrupt its system call. The kernel detaches it when the
 * calling thread ends.
 */
static void release(struct cp_tracee *t)
{
    if (!t->is_gone && t->is_stopped)
        (void)ptrace(PTRACE_DETACH, t->tid, 0, 0);
    cp_free(t->xstate.iov_base);
    cp_free(t);
}

enum cp_status cp_tracee_begin(struct cp_tracee **out,
                               const struct cp_tracee_options *options,
                               struct cp_error *err)
{
    struct cp_tracee *t = cp_alloc(1, sizeof(*t), err);
    int64_t end_ms = cp_tracee_now_ms() + options->timeout_ms;
    enum cp_status status;

    if (!t)
        return CP_ENOMEM;
    t->tid = options->tid;
    t->safe_points = options->safe_points;
    if (ptrace(PTRACE_SEIZE, t->tid, 0, PTRACE_O_TRACESYSGOOD) != 0) {
        int saved_errno = errno;

        status = cp_tracee_fail("ptrace", err);
        cp_free(t);
        errno = saved_errno;
        return status;
    }
    status = cp_tracee_interrupt(t, end_ms, err);
    if (status == CP_OK)
        status = cp_tracee_run_to_safe_point(t, options, end_ms, err);
    if (status != CP_OK) {
        release(t);
        return status;
    }
    status = save(t, err);
    if (status == CP_OK)
        *out = t;
    else
        cp_tracee_end(t);
    return status;
}

/*
 * The registers are restored in a PTRACE_INTERRUPT stop, where the kernel
 * decides how to restart an interrupted system call.
 */
void cp_tracee_end(struct cp_tracee *t)
{
    int wait_status;

    if (!t)
        return;
    if (!t->is_gone && ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) == 0 &&
        cp_tracee_resume(t, PTRACE_CONT, 0, NULL) == CP_OK)
        (void)cp_tracee_wait_stop(t, cp_tracee_now_ms() + SYSCALL_TIMEOUT_MS,
                                  &wait_status, NULL);
    if (!t->is_gone) {
        cp_tracee_shorten_timeout(t);
        (void)cp_tracee_set_regs(t, &t->regs, NULL);
        (void)ptrace(PTRACE_SETREGSET, t->tid, NT_X86_XSTATE, &t->xstate);
        (void)ptrace(PTRACE_SETSIGMASK, t->tid, 8, &t->mask);
    }
    release(t);
}

/* ---- calls ---- */

/* Runs to the next system call stop; a signal is an error. */
static enum cp_status run_to_syscall_stop(struct cp_tracee *t, int64_t end_ms,
                                          struct cp_error *err)
{
    enum cp_status status = cp_tracee_resume(t, PTRACE_SYSCALL, 0, err);
    int wait_status;

    for (;;) {
        if (status == CP_OK)
            status = cp_tracee_wait_stop(t, end_ms, &wait_status, err);
        if (status != CP_OK || WSTOPSIG(wait_status) == CP_TRACEE_CALL_STOP)
            return status;
        if (!cp_tracee_is_event_stop(wait_status))
            return cp_error_set(err, CP_EIO,
                                "the thread received signal %d during the call",
                                WSTOPSIG(wait_status));
        status = cp_tracee_resume(t, PTRACE_SYSCALL, 0, err);
    }
}

enum cp_status cp_tracee_syscall(struct cp_tracee *t, long number,
                                 const uint64_t args[6], uint64_t *out,
                                 struct cp_error *err)
{
    struct user_regs_struct r = t->regs;
    int64_t end_ms = cp_tracee_now_ms() + SYSCALL_TIMEOUT_MS;
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
        status = run_to_syscall_stop(t, end_ms, err); /* entry */
    if (status == CP_OK)
        status = run_to_syscall_stop(t, end_ms, err); /* exit */
    if (status == CP_OK)
        status = cp_tracee_get_regs(t, &r, err);
    if (status == CP_OK && r.rax > (uint64_t)-CP_TRACEE_MAX_ERROR)
        return cp_error_set(err, CP_EIO, "%s", strerror((int)-(int64_t)r.rax));
    if (status == CP_OK)
        *out = r.rax;
    return status;
}

/* Runs until the function has returned; *out is its result. */
static enum cp_status run_to_return(struct cp_tracee *t,
                                    const struct cp_tracee_call *call,
                                    uint64_t *out, struct cp_error *err)
{
    int64_t end_ms = cp_tracee_now_ms() + call->timeout_ms;
    struct user_regs_struct r;
    enum cp_status status;

    do {
        status = run_to_syscall_stop(t, end_ms, err);
        if (status == CP_OK)
            status = cp_tracee_get_regs(t, &r, err);
    } while (status == CP_OK && (r.rip != t->call_at + CP_TRACEE_CALL_BYTES ||
                                 r.rsp != call->stack_top));
    if (status != CP_OK)
        return status;
    *out = r.orig_rax;
    r.orig_rax = (uint64_t)-1;
    status = cp_tracee_set_regs(t, &r, err);
    return status == CP_OK ? run_to_syscall_stop(t, end_ms, err) : status;
}

enum cp_status cp_tracee_call(struct cp_tracee *t,
                              const struct cp_tracee_call *call, uint64_t *out,
                              struct cp_error *err)
{
    struct user_regs_struct r = t->regs;
    enum cp_status status;

    CP_ASSERT(call->stack_top % 16 == 0 && t->call_at);
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
        return cp_tracee_fail("cannot write the memory of the process", err);
    status = cp_tracee_set_regs(t, &r, err);
    return status == CP_OK ? run_to_return(t, call, out, err) : status;
}
