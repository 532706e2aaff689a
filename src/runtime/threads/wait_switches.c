/* wait_switches.c - derives the flags that hooks of waiting calls test. */
#include "runtime/threads/wait_switches.h"

#include "base/assert/assert.h"
#include "runtime/os/clock.h"
#include "runtime/os/lock.h"
#include "signal/waits/waits.h"

static struct {
    struct cp_lock lock;    /* protects all below */
    bool is_block_io;       /* the block profile includes sleeps and I/O */
    bool is_trace;          /* a trace runs */
    bool is_wall;           /* a wall-clock profile runs */
    _Atomic bool is_saving; /* set once; also read without the lock */
} state;

static uint64_t now_ns(void)
{
    return (uint64_t)cp_clock_ns(CLOCK_MONOTONIC);
}

/* Runs before any hook can read the pointer, so hooks need no ordering. */
__attribute__((constructor(101))) static void set_clock(void)
{
    cp_waits.now_ns = now_ns;
}

/* Called with the lock held. */
static void derive_flags(void)
{
    uint64_t rate = atomic_load(&cp_waits.block_rate_ns);
    bool is_noted = state.is_saving || state.is_wall;

    CP_ASSERT(cp_lock_is_held(&state.lock));
    atomic_store(&cp_waits.is_block_io, rate && state.is_block_io);
    atomic_store(&cp_waits.is_enabled,
                 rate || state.is_trace ||
                     atomic_load(&cp_waits.mutex_fraction));
    atomic_store(&cp_waits.is_io_enabled,
                 state.is_trace || is_noted || (rate && state.is_block_io));
    atomic_store(&cp_waits.is_published, is_noted);
    atomic_store(&cp_waits.is_traced, state.is_trace);
    if (cp_waits.on_change)
        cp_waits.on_change();
}

static void set_flag(bool *flag, bool value)
{
    cp_lock_acquire(&state.lock);
    *flag = value;
    derive_flags();
    cp_lock_release(&state.lock);
}

void cp_wait_switches_set_rate(_Atomic uint64_t *rate, uint64_t value)
{
    cp_lock_acquire(&state.lock);
    atomic_store(rate, value);
    derive_flags();
    cp_lock_release(&state.lock);
}

void cp_wait_switches_set_block_io(bool is_enabled)
{
    set_flag(&state.is_block_io, is_enabled);
}

void cp_wait_switches_set_trace(bool is_running)
{
    set_flag(&state.is_trace, is_running);
}

void cp_wait_switches_set_wall(bool is_running)
{
    set_flag(&state.is_wall, is_running);
}

void cp_wait_switches_save_registers(void)
{
    if (atomic_exchange(&state.is_saving, true))
        return;
    cp_lock_acquire(&state.lock);
    derive_flags();
    cp_lock_release(&state.lock);
}

void cp_wait_switches_reset_after_fork(void)
{
    cp_lock_reset(&state.lock);
    cp_lock_acquire(&state.lock);
    state.is_trace = false;
    state.is_wall = false;
    derive_flags();
    cp_lock_release(&state.lock);
}
