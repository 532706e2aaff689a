/*
 * id_hooks.c - the functions that change the ids of all threads.
 *
 * libc has every thread make the call, and ends the program if some may and
 * others may not. Capabilities are a thread's own: a program of one thread that
 * has given up its own (capset) and sees such a call refused, or that has kept
 * them over a setuid (PR_SET_KEEPCAPS) where our threads have not, would die of
 * it. So the thread that calls goes first, alone: what it may not do nobody is
 * asked to do. Then libc has all of them do it, the caller once more, which
 * changes nothing; unless a thread of ours may not, and stays what it is.
 * One thread at a time: two that had gone first, each its own way, could not
 * follow each other.
 */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
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

/* Without threads of ours, or in a child of vfork, libc is on its own. */
static bool is_alone(void)
{
    int32_t own[CP_THREADS_MAX_INTERNAL];

    return cp_sandbox_is_sealed() || cp_threads_list_internal(own) == 0;
}

/*
 * All signals but libc's own two, by which it has the threads do it, and that
 * of events, which no kernel before 5.18 keeps.
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
 * False: libc is on its own. As long as it is ours no handler runs that could
 * leave by longjmp, and take our turn with it, or libc's lock: a program of one
 * thread may do that, and knows nothing of those that are ours.
 */
static bool take_turn(uint64_t *out_mask)
{
    int32_t self, other = 0;

    if (is_alone())
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

/* All wake up: a handler may take one of them elsewhere. */
static void give_turn(uint64_t mask)
{
    atomic_store(&cp_threads_id_change_owner, 0);
    (void)CP_SYSCALL(SYS_futex, (long)&cp_threads_id_change_owner,
                     FUTEX_WAKE_PRIVATE, INT_MAX);
    set_mask(mask);
}

/* Whether a thread lacks that capability; 0 is the one that asks. */
static bool lacks_right(int32_t tid, unsigned right)
{
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, tid };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

    return CP_SYSCALL(SYS_capget, (long)&head, (long)data) == 0 &&
           !(data[0].effective >> right & 1);
}

static bool does_one_lack(unsigned right)
{
    int32_t own[CP_THREADS_MAX_INTERNAL];
    size_t n = cp_threads_list_internal(own);

    for (size_t i = 0; i < n; i++)
        if (lacks_right(own[i], right))
            return true;
    return false;
}

/* Whether the program has no thread but the one that asks; without a lock. */
static bool is_single(void)
{
    return cp_thread_records_used() <= 1;
}

/* The process in which our threads have stayed behind, with other ids. */
static _Atomic int32_t parted_pid;

/* Whether a thread of ours cannot follow one that had the right, or not. */
static bool must_part(unsigned right, bool had_right)
{
    int32_t pid = (int32_t)CP_SYSCALL(SYS_getpid, 0);

    if (!had_right && atomic_load(&parted_pid) != pid)
        return false; /* nor did it need it: to be what it could be anyway */
    if (!does_one_lack(right) || !is_single())
        return false;
    atomic_store(&parted_pid, pid);
    return true;
}

/* What the caller alone has come to. */
enum outcome {
    FAILED,   /* errno says why */
    FOR_ALL,  /* libc is to do it for all threads */
    FOR_SELF, /* and that is all */
};

struct change {
    long number; /* of the call */
    unsigned right;
    long ids[3];
    bool lacked_right; /* it was done without */
};

/* Three times -1: whether that is a mistake libc knows, and all may do it. */
static bool is_nothing(const struct change *c)
{
    return (uint32_t)(c->ids[0] & c->ids[1] & c->ids[2]) == UINT32_MAX;
}

static enum outcome change_self(struct change *c)
{
    long result;

    if (is_nothing(c))
        return FOR_ALL;
    c->lacked_right = lacks_right(0, c->right);
    result = CP_SYSCALL(c->number, c->ids[0], c->ids[1], c->ids[2]);
    if (result < 0) {
        errno = (int)-result;
        return FAILED;
    }
    return must_part(c->right, !c->lacked_right) ? FOR_SELF : FOR_ALL;
}

/* -1, 0, or what libc says of `call`. */
#define CHANGE(symbol, call, ...)                                              \
    do {                                                                       \
        struct change change = { __VA_ARGS__, false };                         \
        uint64_t mask = 0;                                                     \
        bool has_turn = take_turn(&mask);                                      \
        enum outcome outcome = has_turn ? change_self(&change) : FOR_ALL;      \
        int result = outcome == FAILED ? -1 : 0;                               \
        CP_REAL(symbol);                                                       \
                                                                               \
        if (outcome == FOR_ALL)                                                \
            result = call;                                                     \
        if (has_turn)                                                          \
            give_turn(mask);                                                   \
        return result;                                                         \
    } while (0)

/*
 * Without the right, setuid and setgid change the effective id alone. That may
 * bring the right back (setuid(0) of who had put its rights aside), and the
 * second time they would change all three; and a thread of ours that has it
 * would.
 */
static int set_effective_user(uid_t id)
{
    CP_REAL(setresuid);
    return next((uid_t)-1, id, (uid_t)-1);
}

static int set_effective_group(gid_t id)
{
    CP_REAL(setresgid);
    return next((gid_t)-1, id, (gid_t)-1);
}

EXPORT int setuid(uid_t id)
{
    CHANGE(setuid, change.lacked_right ? set_effective_user(id) : next(id),
           SYS_setuid, CAP_SETUID, { id });
}

EXPORT int setgid(gid_t id)
{
    CHANGE(setgid, change.lacked_right ? set_effective_group(id) : next(id),
           SYS_setgid, CAP_SETGID, { id });
}

EXPORT int seteuid(uid_t id)
{
    CHANGE(seteuid, next(id), SYS_setresuid, CAP_SETUID, { -1, id, -1 });
}

EXPORT int setegid(gid_t id)
{
    CHANGE(setegid, next(id), SYS_setresgid, CAP_SETGID, { -1, id, -1 });
}

EXPORT int setreuid(uid_t real, uid_t effective)
{
    CHANGE(setreuid, next(real, effective), SYS_setreuid, CAP_SETUID,
           { real, effective });
}

EXPORT int setregid(gid_t real, gid_t effective)
{
    CHANGE(setregid, next(real, effective), SYS_setregid, CAP_SETGID,
           { real, effective });
}

EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
    CHANGE(setresuid, next(real, effective, saved), SYS_setresuid, CAP_SETUID,
           { real, effective, saved });
}

EXPORT int setresgid(gid_t real, gid_t effective, gid_t saved)
{
    CHANGE(setresgid, next(real, effective, saved), SYS_setresgid, CAP_SETGID,
           { real, effective, saved });
}

EXPORT int setgroups(size_t n, const gid_t *groups)
{
    CHANGE(setgroups, next(n, groups), SYS_setgroups, CAP_SETGID,
           { (long)n, (long)groups });
}

/* The kernel may take fewer than there are. */
static int set_most(const gid_t *groups, int n)
{
    int before = errno, failed;

    do
        failed = setgroups((size_t)n, groups);
    while (failed && errno == EINVAL && --n > 0);
    if (!failed)
        errno = before;
    return failed;
}

/* libc's goes past our setgroups. */
EXPORT int initgroups(const char *user, gid_t group)
{
    gid_t few[FEW_GROUPS], *many;
    int n = FEW_GROUPS, failed = -1;

    CP_REAL(initgroups);
    if (is_alone())
        return next(user, group);
    if (getgrouplist(user, group, few, &n) >= 0)
        return set_most(few, n);
    many = cp_alloc((size_t)n, sizeof(*many), NULL);
    if (!many)
        errno = ENOMEM;
    else if (getgrouplist(user, group, many, &n) >= 0)
        failed = set_most(many, n);
    else
        errno = EAGAIN; /* there are more by now */
    cp_free(many);
    return failed;
}
