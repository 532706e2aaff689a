/* test_thread_timer - the CPU time that a timer has seen. */
#include "runtime/threads/thread_timer.h"
#include "signal/tables/thread.h"

#include <unistd.h>

#include "check.h"

#define PERIOD_NS 4000000
#define NO_TID 5000000 /* above the kernel's maximum */

static struct cp_signal_thread thread;

static uint64_t seen(int32_t tid, uint64_t from_ns)
{
    atomic_store(&thread.tid, tid);
    atomic_store(&thread.cpu.period_ns, PERIOD_NS);
    atomic_store(&thread.cpu.count, 5);
    thread.cpu.from_ns = from_ns;
    return cp_thread_timer_seen_ns(&thread);
}

/* The clock of an exited thread reads 0: its samples count. */
static void test_exited(void)
{
    CHECK_INT(seen(NO_TID, 1000), 5 * PERIOD_NS);
    CHECK_INT(seen(NO_TID, 0), 5 * PERIOD_NS);
}

static void test_alive(void)
{
    uint64_t all = seen(gettid(), 0);

    CHECK(all > 1000);
    CHECK(seen(gettid(), 1000) >= all - 1000);
    CHECK(seen(gettid(), all) > 0);
}

static void test_no_timer(void)
{
    atomic_store(&thread.cpu.period_ns, 0);
    CHECK_INT(cp_thread_timer_seen_ns(&thread), 0);
}

int main(void)
{
    RUN(test_exited);
    RUN(test_alive);
    RUN(test_no_timer);
    return check_failures != 0;
}
