/*
 * atexit_fork_lock.c - the counters of threads inside and of forks, and the
 * bounded waits for them.
 */
#include "runtime/process/atexit_fork_lock.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/assert/assert.h"
#include "signal/unwinder/syscall.h"

#define POLL_NS 50000
/* 20 ms: a thread that can run is inside for about a microsecond. */
#define MAX_FORK_POLLS 400
/* 200 ms: the fork of a large process takes that long. */
#define MAX_ENTER_POLLS 4000

/*
 * The counters are signed: a fork in a signal handler may see n_own of the
 * interrupted thread before that thread is counted in n_inside.
 */
static struct {
    _Atomic bool is_enabled;
    _Atomic int32_t n_inside; /* threads that have entered */
    _Atomic int32_t n_forks;  /* forks under way */
    _Atomic int32_t n_stuck;  /* threads inside that forks no longer wait for */
    _Atomic bool is_fork_slow; /* entering threads do not wait for forks */
} shared;

static _Thread_local int32_t n_own;     /* 1 while this thread is inside */
static _Thread_local int32_t n_forking; /* nested forks of this thread */

static void sleep_one_poll(void)
{
    const struct timespec time = { 0, POLL_NS };

    (void)CP_SYSCALL(SYS_nanosleep, (long)&time, 0);
}

void cp_atexit_fork_lock_enable(void)
{
    atomic_store(&shared.is_enabled, true);
}

/* Sets n_own first, so that a fork in a signal handler excludes this thread. */
static void count_self(void)
{
    CP_ASSERT(n_own == 0);
    n_own = 1;
    atomic_signal_fence(memory_order_seq_cst);
    atomic_fetch_add(&shared.n_inside, 1);
}

static bool must_wait(void)
{
    return atomic_load(&shared.n_forks) && !atomic_load(&shared.is_fork_slow);
}

bool cp_atexit_fork_lock_acquire(void)
{
    if (!atomic_load_explicit(&shared.is_enabled, memory_order_relaxed) ||
        n_own || n_forking)
        return false;
    count_self();
    for (int i = 0; must_wait(); i++) {
        if (i == MAX_ENTER_POLLS) {
            atomic_store(&shared.is_fork_slow, true);
            break;
        }
        cp_atexit_fork_lock_release();
        sleep_one_poll();
        count_self();
    }
    return true;
}

void cp_atexit_fork_lock_release(void)
{
    int32_t left = atomic_fetch_sub(&shared.n_inside, 1) - 1;

    CP_ASSERT(n_own == 1);
    atomic_signal_fence(memory_order_seq_cst);
    n_own = 0;
    if (left < atomic_load_explicit(&shared.n_stuck, memory_order_relaxed))
        atomic_store(&shared.n_stuck, left > 0 ? left : 0);
}

bool cp_atexit_fork_lock_before_fork(void)
{
    int32_t others = 0;

    n_forking++;
    atomic_fetch_add(&shared.n_forks, 1);
    for (int i = 0; i < MAX_FORK_POLLS; i++) {
        others = atomic_load(&shared.n_inside) - n_own;
        if (others <= atomic_load(&shared.n_stuck))
            return true;
        sleep_one_poll();
    }
    atomic_store(&shared.n_stuck, others);
    return false;
}

/*
 * A signal handler may fork while it interrupts a fork of the same thread. The
 * child of the inner fork then still has the outer one to end: n_forking is 1.
 */
void cp_atexit_fork_lock_after_fork(bool is_child)
{
    int32_t left;

    CP_ASSERT(n_forking > 0);
    n_forking--;
    if (is_child) {
        left = n_forking;
        atomic_store(&shared.n_forks, left);
        atomic_store(&shared.n_inside, n_own);
        atomic_store(&shared.n_stuck, 0);
    } else {
        left = atomic_fetch_sub(&shared.n_forks, 1) - 1;
    }
    if (left == 0)
        atomic_store(&shared.is_fork_slow, false);
}
