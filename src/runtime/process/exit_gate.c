/* exit_gate.c - see exit_gate.h. */
#include "runtime/process/exit_gate.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include "signal/unwinder/syscall.h"

#define POLL_NS 50000
#define FORK_POLLS 400   /* who can run is inside for a microsecond */
#define ENTER_POLLS 4000 /* a fork can take long, and stops others anyway */

/* Signed: of a thread that a handler has interrupted, one may be counted here
 * that is not there yet. */
static struct {
    _Atomic bool is_open;
    _Atomic int32_t n_inside, n_forks;
    _Atomic int32_t n_stuck; /* of those inside, who is not waited for */
    _Atomic bool is_long;    /* nor is for forks, until there are none */
} gate;

static _Thread_local int32_t n_own;     /* 1: this thread is inside */
static _Thread_local int32_t n_forking; /* it forks: what it waits for is it */

static void nap(void)
{
    const struct timespec time = { 0, POLL_NS };

    (void)CP_SYSCALL(SYS_nanosleep, (long)&time, 0);
}

void cp_exit_gate_open(void)
{
    atomic_store(&gate.is_open, true);
}

/* A fork says so and then looks who is inside; we look the other way. */
static void enter(void)
{
    n_own = 1;
    atomic_signal_fence(memory_order_seq_cst);
    atomic_fetch_add(&gate.n_inside, 1);
}

static bool must_wait(void)
{
    return atomic_load(&gate.n_forks) && !atomic_load(&gate.is_long);
}

bool cp_exit_gate_enter(void)
{
    if (!atomic_load_explicit(&gate.is_open, memory_order_relaxed) || n_own ||
        n_forking)
        return false;
    enter();
    for (int i = 0; must_wait(); i++) {
        if (i == ENTER_POLLS) {
            atomic_store(&gate.is_long, true);
            break;
        }
        cp_exit_gate_leave();
        nap();
        enter();
    }
    return true;
}

void cp_exit_gate_leave(void)
{
    int32_t left = atomic_fetch_sub(&gate.n_inside, 1) - 1;

    atomic_signal_fence(memory_order_seq_cst);
    n_own = 0;
    if (left < atomic_load_explicit(&gate.n_stuck, memory_order_relaxed))
        atomic_store(&gate.n_stuck, left > 0 ? left : 0);
}

bool cp_exit_gate_before_fork(void)
{
    int32_t others = 0;

    n_forking++;
    atomic_fetch_add(&gate.n_forks, 1);
    for (int i = 0; i < FORK_POLLS; i++) {
        others = atomic_load(&gate.n_inside) - n_own;
        if (others <= atomic_load(&gate.n_stuck))
            return true;
        nap();
    }
    atomic_store(&gate.n_stuck, others);
    return false;
}

/* A child of a handler that had come upon a fork still has that one to end. */
void cp_exit_gate_after_fork(bool is_child)
{
    int32_t left;

    n_forking--;
    if (is_child) {
        left = n_forking;
        atomic_store(&gate.n_forks, left);
        atomic_store(&gate.n_inside, n_own);
        atomic_store(&gate.n_stuck, 0);
    } else {
        left = atomic_fetch_sub(&gate.n_forks, 1) - 1;
    }
    if (left == 0)
        atomic_store(&gate.is_long, false);
}
