/* tracee_stop.c - the ptrace and waitpid calls for one thread. */
#include "launch/tracee_stop.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "launch/tracee.h"
#include "launch/tracee_state.h"
#include "launch/tracee_repair.h"

#define POLL_NS 50000
#define STATE_POLL_NS 500000
#define STOP_TIMEOUT_MS 1000            /* after PTRACE_INTERRUPT */
#define NEW_SLEEP_TIMEOUT_NS 1500000000 /* see is_age_known */

int64_t cp_tracee_now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t cp_tracee_now_ms(void)
{
    return cp_tracee_now_ns() / 1000000;
}

enum cp_status cp_tracee_fail(const char *what, struct cp_error *err)
{
    return cp_error_set(err, CP_EIO, "%s: %s", what, strerror(errno));
}

enum cp_status cp_tracee_get_regs(const struct cp_tracee *t,
                                  struct user_regs_struct *out,
                                  struct cp_error *err)
{
    struct iovec v = { out, sizeof(*out) };

    if (ptrace(PTRACE_GETREGSET, t->tid, NT_PRSTATUS, &v) == 0)
        return CP_OK;
    return cp_tracee_fail("cannot read the registers of the thread", err);
}

enum cp_status cp_tracee_set_regs(const struct cp_tracee *t,
                                  const struct user_regs_struct *regs,
                                  struct cp_error *err)
{
    struct user_regs_struct copy = *regs;
    struct iovec v = { &copy, sizeof(copy) };

    if (ptrace(PTRACE_SETREGSET, t->tid, NT_PRSTATUS, &v) == 0)
        return CP_OK;
    return cp_tracee_fail("cannot set the registers of the thread", err);
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

enum cp_status cp_tracee_wait_stop(struct cp_tracee *t, int64_t end_ms,
                                   int *out, struct cp_error *err)
{
    const struct timespec poll = { 0, POLL_NS };

    for (;;) {
        pid_t got = waitpid(t->tid, out, __WALL | WNOHANG);

        if (got == t->tid && WIFSTOPPED(*out)) {
            t->is_stopped = true;
            return CP_OK;
        }
        if (got == t->tid || (got < 0 && errno != EINTR)) {
            t->is_gone = true;
            return cp_error_set(err, CP_EIO, "the thread has ended");
        }
        if (cp_tracee_now_ms() > end_ms)
            return cp_error_set(err, CP_EOTHER,
                                "the thread did not stop in time");
        (void)nanosleep(&poll, NULL);
    }
}

enum cp_status cp_tracee_resume(struct cp_tracee *t, int request, int sig,
                                struct cp_error *err)
{
    CP_ASSERT(!t->is_gone);
    if (ptrace((enum __ptrace_request)request, t->tid, 0, (long)sig) == 0) {
        t->is_stopped = false;
        return CP_OK;
    }
    return cp_tracee_fail("cannot resume the thread", err);
}

bool cp_tracee_is_event_stop(int wait_status)
{
    return wait_status >> 16 == PTRACE_EVENT_STOP;
}

static enum cp_status request_stop(const struct cp_tracee *t,
                                   struct cp_error *err)
{
    if (ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) == 0)
        return CP_OK;
    return cp_tracee_fail("cannot stop the thread", err);
}

/*
 * Stops the thread by PTRACE_INTERRUPT. If a different stop comes first, the
 * kernel discards the request, so it is repeated.
 */
static enum cp_status stop(struct cp_tracee *t, int64_t end_ms,
                           struct cp_error *err)
{
    enum cp_status status = request_stop(t, err);
    int wait_status = 0;

    while (status == CP_OK) {
        status = cp_tracee_wait_stop(t, end_ms, &wait_status, err);
        if (status != CP_OK || cp_tracee_is_event_stop(wait_status))
            break;
        status = request_stop(t, err);
        if (status == CP_OK)
            status =
                cp_tracee_resume(t, PTRACE_CONT,
                                 WSTOPSIG(wait_status) == CP_TRACEE_CALL_STOP
                                     ? 0
                                     : WSTOPSIG(wait_status),
                                 err);
    }
    if (status == CP_OK && WSTOPSIG(wait_status) != SIGTRAP)
        return cp_error_set(
            err, CP_EUSAGE,
            "the process is stopped by a signal; continue it first: "
            "kill -CONT PID");
    return status;
}

/* Resumes a thread that has stopped at a system call or for a signal. */
static enum cp_status pass_stops(struct cp_tracee *t, struct cp_error *err)
{
    int wait_status;

    if (cp_tracee_wait_stop(t, cp_tracee_now_ms() - 1, &wait_status, err) !=
        CP_OK)
        return t->is_gone ? CP_EIO : CP_OK;
    return cp_tracee_resume(t, PTRACE_CONT,
                            WSTOPSIG(wait_status) == CP_TRACEE_CALL_STOP ||
                                    cp_tracee_is_event_stop(wait_status)
                                ? 0
                                : WSTOPSIG(wait_status),
                            err);
}

/*
 * Whether the start of the current sleep is known, or does not matter. It
 * matters for a wait that restarts with its full timeout. began_ns is when the
 * sleep was first seen. A sleep that was under way at the first poll may be
 * older, so the caller waits for the next one, at most NEW_SLEEP_TIMEOUT_NS.
 */
static bool is_age_known(const struct cp_tracee_state *p, long first_sleep,
                         int64_t began_ns)
{
    return (p->call != SYS_epoll_wait && p->call != SYS_epoll_pwait) ||
           (int)p->args[3] <= 0 || p->n_sleeps != first_sleep ||
           cp_tracee_now_ns() - began_ns > NEW_SLEEP_TIMEOUT_NS;
}

/* Waits until the thread may be stopped; sets the start of its sleep. */
static enum cp_status wait_until_stoppable(struct cp_tracee *t, int64_t end_ms,
                                           int64_t *began_ns,
                                           struct cp_error *err)
{
    const struct timespec poll = { 0, STATE_POLL_NS };
    long first_sleep = -1, sleep = -1;

    for (;;) {
        enum cp_status status = pass_stops(t, err);
        struct cp_tracee_state state;

        if (status != CP_OK)
            return status;
        cp_tracee_state_read(t->tid, &state);
        if (first_sleep < 0)
            first_sleep = state.n_sleeps;
        if (state.n_sleeps != sleep)
            *began_ns = cp_tracee_now_ns();
        sleep = state.n_sleeps;
        if (cp_tracee_state_may_stop(t->tid, &state) &&
            is_age_known(&state, first_sleep, *began_ns)) {
            cp_tracee_save_remainder(t, &state);
            return CP_OK;
        }
        if (cp_tracee_now_ms() > end_ms)
            return cp_error_set(
                err, CP_EOTHER,
                "the thread sleeps in a system call that must not be "
                "interrupted");
        (void)nanosleep(&poll, NULL);
    }
}

enum cp_status cp_tracee_interrupt(struct cp_tracee *t, int64_t end_ms,
                                   struct cp_error *err)
{
    int64_t began_ns = 0;
    enum cp_status status = wait_until_stoppable(t, end_ms, &began_ns, err);

    if (status == CP_OK)
        status = stop(t, end_ms + STOP_TIMEOUT_MS, err);
    if (status == CP_OK)
        status = cp_tracee_repair(t, began_ns, err);
    return status;
}
