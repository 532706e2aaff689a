/* drain.c - see drain.h. */
#include "runtime/trace/drain.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "runtime/threads/own_thread.h"
#include "signal/unwinder/syscall.h"

enum { NEVER, RUNNING, ENDING, ENDED };

static void await_change(struct cp_drain *d, uint32_t from,
                         const struct timespec *most)
{
    (void)CP_SYSCALL(SYS_futex, (long)&d->word, FUTEX_WAIT_PRIVATE, from,
                     (long)most);
}

static void wake(struct cp_drain *d)
{
    (void)CP_SYSCALL(SYS_futex, (long)&d->word, FUTEX_WAKE_PRIVATE, 1);
}

static void run(void *arg)
{
    const struct timespec pause = { 0, CP_DRAIN_NS };
    struct cp_drain *d = arg;
    bool is_last = false;

    while (!is_last && atomic_load(&d->word) == RUNNING) {
        await_change(d, RUNNING, &pause);
        is_last = atomic_load(&d->word) == RUNNING && !d->turn(d->context);
    }
    atomic_store(&d->word, ENDED);
    wake(d); /* by the address alone: *d may be gone */
}

enum cp_status cp_drain_start(struct cp_drain *d, const char *name,
                              struct cp_error *err)
{
    enum cp_status status;

    d->pid = getpid();
    atomic_store(&d->word, RUNNING);
    status = cp_own_thread_start(name, run, d, err);
    if (status != CP_OK)
        atomic_store(&d->word, NEVER);
    return status;
}

bool cp_drain_end(struct cp_drain *d)
{
    uint32_t word = RUNNING;

    if (atomic_load(&d->word) == NEVER)
        return true;
    if (d->pid != getpid())
        return false;
    if (atomic_compare_exchange_strong(&d->word, &word, ENDING))
        wake(d);
    while (atomic_load(&d->word) != ENDED)
        await_change(d, ENDING, NULL);
    return true;
}
