/*
 * leak_registers.c - requests the registers of running threads, reads those of
 * sleeping threads, and waits for replies.
 */
#include "runtime/heap/leak_registers.h"

#include <string.h>
#include <sys/syscall.h>

#include "base/assert/assert.h"
#include "runtime/heap/leak.h"
#include "runtime/os/clock.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/stacks/signal_owner.h"
#include "runtime/stacks/signal_owner.h"
#include "runtime/stacks/sleeping_stack.h"
#include "runtime/threads/thread_state.h"
#include "runtime/threads/threads.h"
#include "signal/tables/thread.h"

#define REPLY_TIMEOUT_NS 200000000 /* several scheduler ticks */
#define REPLY_POLL_NS 500000
#define FROM_KERNEL UINT32_MAX /* registers_awaited of a sleeping thread */

/*
 * Reads those registers of a sleeping thread that the kernel reports, and
 * withdraws the request. Returns false if the thread runs.
 */
static bool read_sleeping(struct cp_signal_thread *t, int32_t tid)
{
    struct cp_sleep_registers site;

    if (cp_sleeping_stack_read_registers(&site, tid) != CP_SLEEP_PARTIAL)
        return false;
    atomic_fetch_and(&t->requests.pending, ~(uint32_t)CP_REQUEST_REGISTERS);
    memcpy(t->registers.values, site.args, sizeof(site.args));
    t->registers.sp = site.sp;
    t->registers.awaited = FROM_KERNEL;
    return true;
}

/* Returns false if the thread blocks the signal or has ended. */
static bool request(struct cp_signal_thread *t, int32_t tid)
{
    if (cp_thread_blocks_signal(tid, cp_signal_owner_signal()))
        return false;
    t->registers.awaited = atomic_load(&t->registers.n_replies) + 1;
    return cp_threads_request(t, tid, CP_REQUEST_REGISTERS);
}

bool cp_leak_has_registers(const struct cp_signal_thread *t)
{
    return t->registers.awaited == FROM_KERNEL ||
           (t->registers.awaited != 0 &&
            t->registers.awaited == atomic_load(&t->registers.n_replies));
}

static void request_all(struct cp_leak *leak)
{
    for (uint32_t i = 0; i < cp_threads_count_records(); i++) {
        struct cp_signal_thread *t = cp_signal_thread_at(i);
        int32_t tid = atomic_load(&t->tid);

        t->registers.awaited = 0;
        explicit_bzero(t->registers.values, sizeof(t->registers.values));
        if (tid == 0)
            continue;
        if (read_sleeping(t, tid))
            leak->n_asleep++;
        else if (request(t, tid))
            leak->n_requested++;
        else
            t->registers.awaited = 0;
    }
}

/*
 * Withdraws the request: a late reply would store pointers in the record, and
 * the scan would find them.
 */
static void cancel(void *context, struct cp_signal_thread *t)
{
    (void)context;
    atomic_fetch_and(&t->requests.pending, ~(uint32_t)CP_REQUEST_REGISTERS);
}

/* Returns how many running threads have not replied yet. */
static uint32_t count_pending(struct cp_leak *leak)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < cp_threads_count_records(); i++) {
        struct cp_signal_thread *t = cp_signal_thread_at(i);
        int32_t tid = atomic_load(&t->tid);

        if (tid == 0 || t->registers.awaited == 0 || cp_leak_has_registers(t))
            continue;
        if (read_sleeping(t, tid)) {
            CP_ASSERT(leak->n_requested > 0);
            leak->n_requested--;
            leak->n_asleep++;
        } else {
            n++;
        }
    }
    return n;
}

void cp_leak_read_registers(struct cp_leak *leak)
{
    const struct timespec span = { 0, REPLY_POLL_NS };
    int64_t start = cp_clock_ns(CLOCK_MONOTONIC), now = start;

    CP_ASSERT(atomic_load(&cp_refresh_lock.word) != 0);
    request_all(leak);
    while ((leak->n_no_reply = count_pending(leak)) > 0 &&
           now - start < REPLY_TIMEOUT_NS) {
        (void)CP_SYSCALL(SYS_nanosleep, (long)&span, 0);
        now = cp_clock_ns(CLOCK_MONOTONIC);
    }
    CP_ASSERT(leak->n_no_reply <= leak->n_requested);
    cp_threads_each(cancel, NULL);
    leak->reply_ns = (uint64_t)(cp_clock_ns(CLOCK_MONOTONIC) - start);
}
