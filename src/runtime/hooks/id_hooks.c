/*
 * id_hooks.c - hooks of setuid and the other functions that change the user and
 * group ids of all threads.
 *
 * libc makes every thread do the system call, and aborts if it succeeds in some
 * threads and fails in others. Capabilities belong to a thread. So the threads
 * of the library can make a single-threaded program abort: if the program has
 * dropped its capabilities (capset) and such a call fails, or if it has kept
 * them across setuid (PR_SET_KEEPCAPS) but the library's threads have lost
 * them.
 *
 * The hook therefore does the system call in the calling thread alone first. If
 * that fails, no other thread tries. Otherwise libc then does it in all
 * threads; in the caller it has no further effect. If a thread of the library
 * lacks the capability, the hook skips libc, and the library's threads keep
 * their ids.
 *
 * One thread at a time changes ids: two threads that had both changed their own
 * ids first might lack the capability to follow each other.
 */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "runtime/hooks/real_function.h"
#include "runtime/os/sandbox.h"
#include "runtime/threads/thread_records.h"
#include "runtime/threads/threads.h"
#include "signal/unwinder/syscall.h"

#define EXPORT __attribute__((visibility("default")))
#define FEW_GROUPS 64

/* Whether the library has no threads here, as in a child of vfork. */
static bool has_no_own_threads(void)
{
    int32_t own[CP_THREADS_MAX_INTERNAL];

    return cp_sandbox_is_sealed() || cp_threads_list_internal(own) == 0;
}

/*
 * All signals except libc's own two (32 and 33), by which it makes the threads
 * do the call, and SIGTRAP of perf events, which kernels before 5.18 do not
 * keep pending while it is blocked.
 */
#define OTHERS_MASK (~((uint64_t)3 << 31 | (uint64_t)1 << (SIGTRAP - 1)))
#define MASK_BYTES 8

static void set_mask(uint64_t mask)
{
    (void)CP_SYSCALL(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0,
                     MASK_BYTES);
}

static uint64_t block_others(void)
{
    uint64_t mask = OTHERS_MASK, before = 0;

    (void)CP_SYSCALL(SYS_rt_sigprocmask, SIG_BLOCK, (long)&mask, (long)&before,
                     MASK_BYTES);
    return before;
}

/*
 * Acquires the right to change ids, and blocks signals. Returns false if libc
 * should do the call without the hook: the library has no threads, or a signal
 * handler interrupted this function in the same thread.
 *
 * Signals are blocked while the turn is held: a handler that left by longjmp
 * would keep the turn, or libc's lock, held. A single-threaded program may do
 * that; without the library's threads libc would take no lock.
 */
static bool acquire_turn(uint64_t *out_mask)
{
    int32_t self, other = 0;

    if (has_no_own_threads())
        return false;
    self = (int32_t)CP_SYSCALL(SYS_gettid, 0);
    *out_mask = block_others();
    while (!atomic_compare_exchange_strong(&cp_threads_id_change_owner, &other,
                                           self)) {
        set_mask(*out_mask);
        if (other == self)
            return false;
        (void)CP_SYSCALL(SYS_futex, (long)&cp_threads_id_change_owner,
                         FUTEX_WAIT_PRIVATE, other);
        other = 0;
        *out_mask = block_others();
    }
    return true;
}

/* Wakes all waiters: a signal handler may keep one of them from running. */
static void release_turn(uint64_t mask)
{
    atomic_store(&cp_threads_id_change_owner, 0);
    (void)CP_SYSCALL(SYS_futex, (long)&cp_threads_id_change_owner,
                     FUTEX_WAKE_PRIVATE, INT_MAX);
    set_mask(mask);
}

/* Whether a thread lacks the capability; tid 0 is the calling thread. */
static bool lacks_capability(int32_t tid, unsigned capability)
{
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, tid };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

    return CP_SYSCALL(SYS_capget, (long)&head, (long)data) == 0 &&
           !(data[0].effective >> capability & 1);
}

/* Whether a thread of the library lacks the capability. */
static bool does_own_thread_lack(unsigned capability)
{
    int32_t own[CP_THREADS_MAX_INTERNAL];
    size_t n = cp_threads_list_internal(own);

    for (size_t i = 0; i < n; i++)
        if (lacks_capability(own[i], capability))
            return true;
    return false;
}

/* Whether the calling thread is the program's only one; takes no lock. */
static bool is_single(void)
{
    return cp_thread_records_used() <= 1;
}

/*
 * The process in which the library's threads have ids that differ from the
 * program's; 0 if none.
 */
static _Atomic int32_t diverged_pid;

/*
 * Whether the library's threads cannot do the call that the caller has just
 * done. A call that needed no capability works in every thread, unless the ids
 * have diverged before.
 */
static bool must_diverge(unsigned capability, bool had_capability)
{
    int32_t pid = (int32_t)CP_SYSCALL(SYS_getpid, 0);

    if (!had_capability && atomic_load(&diverged_pid) != pid)
        return false;
    if (!does_own_thread_lack(capability) || !is_single())
        return false;
    atomic_store(&diverged_pid, pid);
    return true;
}

/* Result of the call in the calling thread. */
enum outcome {
    FAILED,   /* errno is set */
    FOR_ALL,  /* succeeded; libc must do the call in all threads */
    FOR_SELF, /* succeeded; the other threads keep their ids */
};

struct change {
    long number;            /* system call number */
    unsigned capability;    /* capability that the call may need */
    long ids[3];            /* arguments */
    bool lacked_capability; /* the call succeeded without `capability` */
};

/* Whether all ids are -1 (no change): libc decides whether that is an error. */
static bool is_no_change(const struct change *c)
{
    return (uint32_t)(c->ids[0] & c->ids[1] & c->ids[2]) == UINT32_MAX;
}

static enum outcome change_self(struct change *c)
{
    long result;

    if (is_no_change(c))
        return FOR_ALL;
    c->lacked_capability = lacks_capability(0, c->capability);
    result = CP_SYSCALL(c->number, c->ids[0], c->ids[1], c->ids[2]);
    if (result < 0) {
        errno = (int)-result;
        return FAILED;
    }
    return must_diverge(c->capability, !c->lacked_capability) ? FOR_SELF
                                                              : FOR_ALL;
}

/* Returns -1, 0, or the result of `call`, which is libc's function. */
#define CHANGE(symbol, call, ...)                                              \
    do {                                                                       \
        struct change change = { __VA_ARGS__, false };                         \
        uint64_t mask = 0;                                                     \
        bool has_turn = acquire_turn(&mask);                                   \
        enum outcome outcome = has_turn ? change_self(&change) : FOR_ALL;      \
        int result = outcome == FAILED ? -1 : 0;                               \
        CP_REAL(symbol);                                                       \
                                                                               \
        if (outcome == FOR_ALL)                                                \
            result = call;                                                     \
        if (has_turn)                                                          \
            release_turn(mask);                                                \
        return result;                                                         \
    } while (0)

/*
 * Without the capability, setuid and setgid change the effective id only. That
 * may give the capability back (setuid(0) of a program that had dropped root
 * temporarily), and a second setuid would change all three ids. So would a
 * thread of the library that has the capability. These functions change the
 * effective id only, in all threads.
 */
static int set_effective_user(uid_t id)
{
    CP_REAL(setresuid);
    return real((uid_t)-1, id, (uid_t)-1);
}

static int set_effective_group(gid_t id)
{
    CP_REAL(setresgid);
    return real((gid_t)-1, id, (gid_t)-1);
}

EXPORT int setuid(uid_t id)
{
    CHANGE(setuid, change.lacked_capability ? set_effective_user(id) : real(id),
           SYS_setuid, CAP_SETUID, { id });
}

EXPORT int setgid(gid_t id)
{
    CHANGE(setgid,
           change.lacked_capability ? set_effective_group(id) : real(id),
           SYS_setgid, CAP_SETGID, { id });
}

EXPORT int seteuid(uid_t id)
{
    CHANGE(seteuid, real(id), SYS_setresuid, CAP_SETUID, { -1, id, -1 });
}

EXPORT int setegid(gid_t id)
{
    CHANGE(setegid, real(id), SYS_setresgid, CAP_SETGID, { -1, id, -1 });
}

EXPORT int setreuid(uid_t ruid, uid_t euid)
{
    CHANGE(setreuid, real(ruid, euid), SYS_setreuid, CAP_SETUID,
           { ruid, euid });
}

EXPORT int setregid(gid_t rgid, gid_t egid)
{
    CHANGE(setregid, real(rgid, egid), SYS_setregid, CAP_SETGID,
           { rgid, egid });
}

EXPORT int setresuid(uid_t ruid, uid_t euid, uid_t suid)
{
    CHANGE(setresuid, real(ruid, euid, suid), SYS_setresuid, CAP_SETUID,
           { ruid, euid, suid });
}

EXPORT int setresgid(gid_t rgid, gid_t egid, gid_t sgid)
{
    CHANGE(setresgid, real(rgid, egid, sgid), SYS_setresgid, CAP_SETGID,
           { rgid, egid, sgid });
}

EXPORT int setgroups(size_t n, const gid_t *groups)
{
    CHANGE(setgroups, real(n, groups), SYS_setgroups, CAP_SETGID,
           { (long)n, (long)groups });
}

/* Sets as many groups as the kernel accepts, as libc's initgroups does. */
static int set_groups(const gid_t *groups, int n)
{
    int before = errno, failed;

    do
        failed = setgroups((size_t)n, groups);
    while (failed && errno == EINVAL && --n > 0);
    if (!failed)
        errno = before;
    return failed;
}

/* libc's initgroups does not call the hook of setgroups. */
EXPORT int initgroups(const char *user, gid_t group)
{
    gid_t few[FEW_GROUPS], *many;
    int n = FEW_GROUPS, failed = -1;

    CP_REAL(initgroups);
    if (has_no_own_threads())
        return real(user, group);
    if (getgrouplist(user, group, few, &n) >= 0)
        return set_groups(few, n);
    many = cp_alloc((size_t)n, sizeof(*many), NULL);
    if (!many)
        errno = ENOMEM;
    else if (getgrouplist(user, group, many, &n) >= 0)
        failed = set_groups(many, n);
    else
        errno = EAGAIN; /* the user has got more groups since the last call */
    cp_free(many);
    return failed;
}
