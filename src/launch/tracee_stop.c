/* tracee_stop.c - see tracee_stop.h. */
#include "launch/tracee_stop.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "launch/tracee.h"
#include "launch/tracee_place.h"
#include "launch/tracee_repair.h"

#define POLL_NS 50000
#define PLACE_POLL_NS 500000
#define STOP_MS 1000 /* for a stop that was asked for */
#define FRESH_TIMEOUT_NS 1500000000

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
    return cp_tracee_fail("cannot read registers", err);
}

enum cp_status cp_tracee_set_regs(const struct cp_tracee *t,
                                  const struct user_regs_struct *regs,
                                  struct cp_error *err)
{
    struct user_regs_struct copy = *regs;
    struct iovec v = { &copy, sizeof(copy) };

    if (ptrace(PTRACE_SETREGSET, t->tid, NT_PRSTATUS, &v) == 0)
        return CP_OK;
    return cp_tracee_fail("cannot set registers", err);
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

enum cp_status cp_tracee_await(struct cp_tracee *t, int64_t end_ms, int *out,
                               struct cp_error *err)
{
    const struct timespec nap = { 0, POLL_NS };

    for (;;) {
        pid_t got = waitpid(t->tid, out, __WALL | WNOHANG);

        if (got == t->tid && WIFSTOPPED(*out)) {
            t->is_stopped = true;
            return CP_OK;
        }
        if (got == t->tid || (got < 0 && errno != EINTR)) {
            t->is_gone = true;
            return cp_error_set(err, CP_EIO, "it has ended meanwhile");
        }
        if (cp_tracee_now_ms() > end_ms)
            return cp_error_set(err, CP_EOTHER, "no answer in time");
        (void)nanosleep(&nap, NULL);
    }
}

enum cp_status cp_tracee_resume(struct cp_tracee *t, int request, int sig,
                                struct cp_error *err)
{
    if (ptrace((enum __ptrace_request)request, t->tid, 0, (long)sig) == 0) {
        t->is_stopped = false;
        return CP_OK;
    }
    return cp_tracee_fail("cannot go on", err);
}

bool cp_tracee_is_event_stop(int how)
{
    return how >> 16 == PTRACE_EVENT_STOP;
}

static enum cp_status ask_to_stop(const struct cp_tracee *t,
                                  struct cp_error *err)
{
    if (ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) == 0)
        return CP_OK;
    return cp_tracee_fail("cannot stop it", err);
}

/* Any other stop that comes first takes the question with it. */
static enum cp_status stop(struct cp_tracee *t, int64_t end_ms,
                           struct cp_error *err)
{
    enum cp_status status = ask_to_stop(t, err);
    int how = 0;

    while (status == CP_OK) {
        status = cp_tracee_await(t, end_ms, &how, err);
        if (status != CP_OK || cp_tracee_is_event_stop(how))
            break;
        status = ask_to_stop(t, err);
        if (status == CP_OK)
            status = cp_tracee_resume(
                t, PTRACE_CONT,
                WSTOPSIG(how) == CP_TRACEE_CALL_STOP ? 0 : WSTOPSIG(how), err);
    }
    if (status == CP_OK && WSTOPSIG(how) != SIGTRAP)
        return cp_error_set(err, CP_EUSAGE,
                            "it is stopped by a signal; continue it first");
    return status;
}

/* Lets it go on if it has stopped by itself: at a call, or for a signal. */
static enum cp_status pass_stops(struct cp_tracee *t, struct cp_error *err)
{
    int how;

    if (cp_tracee_await(t, cp_tracee_now_ms() - 1, &how, err) != CP_OK)
        return t->is_gone ? CP_EIO : CP_OK;
    return cp_tracee_resume(t, PTRACE_CONT,
                            WSTOPSIG(how) == CP_TRACEE_CALL_STOP ||
                                    cp_tracee_is_event_stop(how)
                                ? 0
                                : WSTOPSIG(how),
                            err);
}

/*
 * Is it known since when the thread sleeps, if that matters? It does for a wait
 * whose timeout starts again from the beginning. *began_ns is when the thread
 * was first seen there; a sleep that began before the first look may be older,
 * and the next one is waited for, but not for long.
 */
static bool is_age_known(const struct cp_tracee_place *p, long first_sleep,
                         int64_t began_ns)
{
    return (p->call != SYS_epoll_wait && p->call != SYS_epoll_pwait) ||
           (int)p->args[3] <= 0 || p->n_sleeps != first_sleep ||
           cp_tracee_now_ns() - began_ns > FRESH_TIMEOUT_NS;
}

/* Waits for a place where it may be stopped; it is there since *began_ns. */
static enum cp_status await_place(struct cp_tracee *t, int64_t end_ms,
                                  int64_t *began_ns, struct cp_error *err)
{
    const struct timespec nap = { 0, PLACE_POLL_NS };
    long first_sleep = -1, sleep = -1;

    for (;;) {
        enum cp_status status = pass_stops(t, err);
        struct cp_tracee_place place;

        if (status != CP_OK)
            return status;
        cp_tracee_place_read(t->tid, &place);
        if (first_sleep < 0)
            first_sleep = place.n_sleeps;
        if (place.n_sleeps != sleep)
            *began_ns = cp_tracee_now_ns();
        sleep = place.n_sleeps;
        if (cp_tracee_place_may_stop(t->tid, &place) &&
            is_age_known(&place, first_sleep, *began_ns)) {
            cp_tracee_save_remainder(t, &place);
            return CP_OK;
        }
        if (cp_tracee_now_ms() > end_ms)
            return cp_error_set(err, CP_EOTHER,
                                "it sleeps in a system call that must not be "
                                "interrupted");
        (void)nanosleep(&nap, NULL);
    }
}

enum cp_status cp_tracee_interrupt(struct cp_tracee *t, int64_t end_ms,
                                   struct cp_error *err)
{
    int64_t began_ns = 0;
    enum cp_status status = await_place(t, end_ms, &began_ns, err);

    if (status == CP_OK)
        status = stop(t, end_ms + STOP_MS, err);
    if (status == CP_OK)
        status = cp_tracee_repair(t, began_ns, err);
    return status;
}
