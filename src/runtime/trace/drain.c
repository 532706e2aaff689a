/* drain.c - runs the drain's thread. The state of a drain is also a futex. */
#include "runtime/trace/drain.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/threads/internal_thread.h"
#include "signal/unwinder/syscall.h"

/*
 * NOT_STARTED -> RUNNING (start) -> STOPPING (stop) -> STOPPED (thread), or
 * RUNNING -> STOPPED if step returns false.
 */
enum { NOT_STARTED, RUNNING, STOPPING, STOPPED };

static void wait_for_change(struct cp_drain *d, uint32_t from,
                            const struct timespec *timeout)
{
    (void)CP_SYSCALL(SYS_futex, (long)&d->state, FUTEX_WAIT_PRIVATE, from,
                     (long)timeout);
}

static void wake(struct cp_drain *d)
{
    (void)CP_SYSCALL(SYS_futex, (long)&d->state, FUTEX_WAKE_PRIVATE, 1);
}

static void run(void *arg)
{
    const struct timespec period = { 0, CP_DRAIN_PERIOD_NS };
    struct cp_drain *d = arg;
    bool is_last = false;

    while (!is_last && atomic_load(&d->state) == RUNNING) {
        wait_for_change(d, RUNNING, &period);
        is_last = atomic_load(&d->state) == RUNNING && !d->step(d->context);
    }
    atomic_store(&d->state, STOPPED);
    wake(d); /* uses only the address: the owner may have freed *d */
}

enum cp_status cp_drain_start(struct cp_drain *d, const char *name,
                              struct cp_error *err)
{
    enum cp_status status;

    d->pid = getpid();
    atomic_store(&d->state, RUNNING);
    status = cp_internal_thread_start(name, run, d, err);
    if (status != CP_OK)
        atomic_store(&d->state, NOT_STARTED);
    return status;
}

bool cp_drain_stop(struct cp_drain *d)
{
    uint32_t running = RUNNING;

    if (atomic_load(&d->state) == NOT_STARTED)
        return true;
    if (d->pid != getpid())
        return false;
    if (atomic_compare_exchange_strong(&d->state, &running, STOPPING))
        wake(d);
    while (atomic_load(&d->state) != STOPPED)
        wait_for_change(d, STOPPING, NULL);
    return true;
}
