/* tracee_repair.c - restarts waits, and continues partial transfers. */
#include "launch/tracee_repair.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "launch/tracee.h"
#include "launch/tracee_state.h"
#include "launch/tracee_stop.h"

#define RESTART_BLOCK 516      /* ERESTART_RESTARTBLOCK */
#define RESTART_NO_HANDLER 514 /* ERESTARTNOHAND: EINTR if a handler runs */
#define RED_ZONE 128
#define MAX_VECTOR 1024 /* UIO_MAXIOV */
#define NS_PER_MS 1000000
#define NO_TIMEOUT_MS (INT64_MAX / 2)
#define NO_ARG (-1)

/* Calls that a stop can leave partial; fields are argument indexes. */
static const struct transfer {
    long call;
    int buffer; /* address; advances */
    int length; /* bytes; shrinks */
    int offset; /* file position; advances */
    int vector; /* array of struct iovec; `length` counts its elements */
    int flags;  /* continue only with MSG_WAITALL here */
} transfers[] = {
    { SYS_read, 1, 2, NO_ARG, NO_ARG, NO_ARG }, /* if is_endless_read */
    { SYS_write, 1, 2, NO_ARG, NO_ARG, NO_ARG },
    { SYS_pwrite64, 1, 2, 3, NO_ARG, NO_ARG },
    { SYS_sendto, 1, 2, NO_ARG, NO_ARG, NO_ARG },
    { SYS_recvfrom, 1, 2, NO_ARG, NO_ARG, 3 },
    { SYS_getrandom, 0, 1, NO_ARG, NO_ARG, NO_ARG },
    { SYS_sendfile, NO_ARG, 3, NO_ARG, NO_ARG, NO_ARG },
    { SYS_splice, NO_ARG, 4, NO_ARG, NO_ARG, NO_ARG },
    { SYS_copy_file_range, NO_ARG, 4, NO_ARG, NO_ARG, NO_ARG },
    { SYS_writev, NO_ARG, 2, NO_ARG, 1, NO_ARG },
    { SYS_pwritev, NO_ARG, 2, 3, 1, NO_ARG },
    { SYS_vmsplice, NO_ARG, 2, NO_ARG, 1, NO_ARG },
};

static unsigned long long *arg(struct user_regs_struct *r, int i)
{
    unsigned long long *args[] = { &r->rdi, &r->rsi, &r->rdx,
                                   &r->r10, &r->r8,  &r->r9 };

    CP_ASSERT(i >= 0 && i < 6);
    return args[i];
}

/* The message and vector that a continued call uses. */
struct scratch {
    struct msghdr message;
    struct iovec vector[MAX_VECTOR];
};

/* Removes the first `done` bytes of a vector; returns the elements left. */
static size_t skip_bytes(struct iovec *v, size_t n, uint64_t done)
{
    size_t i = 0;

    while (i < n && done >= v[i].iov_len)
        done -= v[i++].iov_len;
    if (i == n)
        return 0;
    v[i].iov_base = (char *)v[i].iov_base + done;
    v[i].iov_len -= done;
    memmove(v, v + i, (n - i) * sizeof(*v));
    return n - i;
}

/* Reads a vector of the thread and removes its first `done` bytes. */
static size_t read_rest(struct cp_tracee *t, struct scratch *s, uint64_t at,
                        uint64_t n, uint64_t done)
{
    if (n == 0 || n > MAX_VECTOR ||
        !cp_tracee_read(t, at, s->vector, n * sizeof(*s->vector)))
        return 0;
    return skip_bytes(s->vector, n, done);
}

/*
 * Returns an address below the red zone for call arguments; the kernel copies
 * the data at entry.
 */
static uint64_t scratch_at(const struct user_regs_struct *r)
{
    return (r->rsp - RED_ZONE - sizeof(struct scratch)) & ~(uint64_t)15;
}

static bool advance_vector(struct cp_tracee *t, const struct transfer *how,
                           struct user_regs_struct *r, uint64_t done)
{
    static struct scratch s;
    uint64_t at = scratch_at(r) + offsetof(struct scratch, vector);
    size_t n =
        read_rest(t, &s, *arg(r, how->vector), *arg(r, how->length), done);

    if (n == 0 || !cp_tracee_write(t, at, s.vector, n * sizeof(*s.vector)))
        return false;
    *arg(r, how->vector) = at;
    *arg(r, how->length) = n;
    return true;
}

/*
 * Advances the message of sendmsg or recvmsg. The first part has carried the
 * control data.
 */
static bool advance_message(struct cp_tracee *t, struct user_regs_struct *r,
                            uint64_t done)
{
    static struct scratch s;
    uint64_t at = scratch_at(r);
    size_t n;

    if (!cp_tracee_read(t, r->rsi, &s.message, sizeof(s.message)))
        return false;
    n = read_rest(t, &s, (uint64_t)(uintptr_t)s.message.msg_iov,
                  s.message.msg_iovlen, done);
    s.message.msg_iov = (void *)(at + offsetof(struct scratch, vector));
    s.message.msg_iovlen = n;
    s.message.msg_control = NULL;
    s.message.msg_controllen = 0;
    if (n == 0 || !cp_tracee_write(t, at, &s,
                                   offsetof(struct scratch, vector) +
                                       n * sizeof(*s.vector)))
        return false;
    r->rsi = at;
    return true;
}

/* Programs expect short reads, except from devices that never end. */
static bool is_endless_read(const struct cp_tracee *t,
                            const struct user_regs_struct *r)
{
    static const char *const devices[] = { "/dev/zero", "/dev/urandom",
                                           "/dev/random" };
    char link[64], path[64];
    ssize_t n;

    (void)snprintf(link, sizeof(link), "/proc/%ld/fd/%d", (long)t->tid,
                   (int)r->rdi);
    n = readlink(link, path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = '\0';
    for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
        if (strcmp(path, devices[i]) == 0)
            return true;
    return false;
}

/*
 * Advances the arguments by `done` bytes. Returns false if nothing is left to
 * transfer.
 */
static bool advance(struct cp_tracee *t, struct user_regs_struct *r,
                    uint64_t done)
{
    const struct transfer *how = NULL;

    if (r->orig_rax == SYS_sendmsg ||
        (r->orig_rax == SYS_recvmsg && r->rdx & MSG_WAITALL))
        return advance_message(t, r, done);
    for (size_t i = 0; i < sizeof(transfers) / sizeof(*transfers); i++)
        if (transfers[i].call == (long)r->orig_rax)
            how = &transfers[i];
    if (r->orig_rax == SYS_read && !is_endless_read(t, r))
        return false;
    if (!how || (how->flags != NO_ARG && !(*arg(r, how->flags) & MSG_WAITALL)))
        return false;
    if (how->offset != NO_ARG)
        *arg(r, how->offset) += done;
    if (how->vector != NO_ARG)
        return advance_vector(t, how, r, done);
    if (done >= *arg(r, how->length))
        return false;
    *arg(r, how->length) -= done;
    if (how->buffer != NO_ARG)
        *arg(r, how->buffer) += done;
    return true;
}

/*
 * Runs the thread through one system call and reads its registers into *r.
 * Signals are delivered; system calls of their handlers have a different rsp.
 */
static enum cp_status run_call(struct cp_tracee *t, struct user_regs_struct *r,
                               struct cp_error *err)
{
    enum cp_status status = CP_OK;
    int wait_status = 0, sig = 0;

    for (int n_stops = 0; status == CP_OK && n_stops < 2;) {
        status = cp_tracee_resume(t, PTRACE_SYSCALL, sig, err);
        if (status == CP_OK)
            status = cp_tracee_wait_stop(t, NO_TIMEOUT_MS, &wait_status, err);
        if (status == CP_OK)
            status = cp_tracee_get_regs(t, r, err);
        sig = 0;
        if (WSTOPSIG(wait_status) == CP_TRACEE_CALL_STOP)
            n_stops += r->rsp == t->regs.rsp;
        else if (!cp_tracee_is_event_stop(wait_status))
            sig = WSTOPSIG(wait_status);
    }
    return status;
}

static enum cp_status continue_transfer(struct cp_tracee *t,
                                        struct user_regs_struct *rest,
                                        struct cp_error *err)
{
    enum cp_status status;

    rest->rip -= CP_TRACEE_CALL_BYTES;
    rest->rax = rest->orig_rax;
    rest->orig_rax = (uint64_t)-1;
    status = cp_tracee_set_regs(t, rest, err);
    if (status == CP_OK)
        status = run_call(t, rest, err);
    if (status != CP_OK)
        return status;
    if (rest->rax < (uint64_t)-CP_TRACEE_MAX_ERROR)
        t->regs.rax += rest->rax;
    t->regs.orig_rax = (uint64_t)-1; /* the call is not restarted */
    return cp_tracee_set_regs(t, &t->regs, err);
}

/*
 * Returns the deadline of a wait that would restart with its full timeout; 0
 * for other calls.
 */
static int64_t timeout_end_ns(const struct user_regs_struct *r,
                              int64_t began_ns)
{
    int timeout_ms = (int)r->r10;

    if ((r->orig_rax != SYS_epoll_wait && r->orig_rax != SYS_epoll_pwait) ||
        timeout_ms <= 0)
        return 0;
    return began_ns + (int64_t)timeout_ms * NS_PER_MS;
}

void cp_tracee_shorten_timeout(struct cp_tracee *t)
{
    int64_t left = t->timeout_end_ns - cp_tracee_now_ns();

    if (t->timeout_end_ns)
        t->regs.r10 =
            left > 0 ? (unsigned long long)((left + NS_PER_MS - 1) / NS_PER_MS)
                     : 0;
}

/*
 * Restores the memory that the interrupted sleep has overwritten with its
 * remaining time.
 */
static void restore_remainder(const struct cp_tracee *t)
{
    if (t->remainder_at && (long)t->regs.rax == -RESTART_BLOCK)
        (void)cp_tracee_write(t, t->remainder_at, t->remainder,
                              sizeof(t->remainder));
}

void cp_tracee_save_remainder(struct cp_tracee *t,
                              const struct cp_tracee_state *p)
{
    t->remainder_at = p->call == SYS_nanosleep ? p->args[1]
                      : p->call == SYS_clock_nanosleep && p->args[1] == 0
                          ? p->args[3]
                          : 0;
    if (t->remainder_at &&
        !cp_tracee_read(t, t->remainder_at, t->remainder, sizeof(t->remainder)))
        t->remainder_at = 0;
}

enum cp_status cp_tracee_repair(struct cp_tracee *t, int64_t began_ns,
                                struct cp_error *err)
{
    enum cp_status status = cp_tracee_get_regs(t, &t->regs, err);
    struct user_regs_struct rest = t->regs;
    long result = (long)t->regs.rax, call = (long)t->regs.orig_rax;

    t->timeout_end_ns = 0;
    if (status != CP_OK || call < 0)
        return status;
    if (result == -EINTR && call != SYS_close) {
        t->regs.rax = (uint64_t)-RESTART_NO_HANDLER;
        t->timeout_end_ns = timeout_end_ns(&t->regs, began_ns);
        cp_tracee_shorten_timeout(t);
        return cp_tracee_set_regs(t, &t->regs, err);
    }
    restore_remainder(t);
    if (result > 0 && advance(t, &rest, (uint64_t)result))
        return continue_transfer(t, &rest, err);
    return CP_OK;
}
