/* test_thread_timer.c - how much of a thread's time samples account for. */
#include "runtime/threads/thread_timer.h"
#include "signal/tables/thread.h"

#include <unistd.h>

#include "check.h"

#define PERIOD_NS 4000000
#define NOBODY 5000000 /* more than the kernel gives */

static struct cp_signal_thread thread;

static uint64_t seen(int32_t tid, uint64_t from_ns)
{
    atomic_store(&thread.tid, tid);
    atomic_store(&thread.cpu.period_ns, PERIOD_NS);
    atomic_store(&thread.cpu.count, 5);
    thread.cpu.from_ns = from_ns;
    return cp_thread_timer_seen_ns(&thread);
}

/* Also of one that had not run yet when it was first seen. */
static void test_gone(void)
{
    CHECK_INT(seen(NOBODY, 1000), 5 * PERIOD_NS);
    CHECK_INT(seen(NOBODY, 0), 5 * PERIOD_NS);
}

static void test_there(void)
{
    uint64_t all = seen(gettid(), 0);

    CHECK(all > 1000);
    CHECK(seen(gettid(), 1000) >= all - 1000);
    CHECK(seen(gettid(), all) > 0);
}

static void test_off(void)
{
    atomic_store(&thread.cpu.period_ns, 0);
    CHECK_INT(cp_thread_timer_seen_ns(&thread), 0);
}

int main(void)
{
    RUN(test_gone);
    RUN(test_there);
    RUN(test_off);
    return check_failures != 0;
}
