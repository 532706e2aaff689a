/*
 * test_waits - the block and mutex profiles of known waits: exact at a rate of
 * 1, unbiased at other rates. The clock and the threads are simulated, and the
 * random numbers are the same in each run.
 */
#include "signal/tables/calls.h"
#include "signal/waits/waits.h"

#include <stdlib.h>

#include "check.h"

#define SLOTS 64
#define FRAMES 4096
#define MAX_WAITERS 8
#define TURNS 40000

static struct cp_signal_thread records[MAX_WAITERS];
static uint64_t clock_ns;
static char lock;

static uint64_t now_ns(void)
{
    return clock_ns;
}

static void map(struct cp_signal_samples *s)
{
    s->n_slots = SLOTS;
    s->n_frames = FRAMES;
    s->slots = calloc(SLOTS, sizeof(*s->slots));
    s->frames = calloc(FRAMES, sizeof(*s->frames));
}

static void begin(uint64_t rate_ns, uint64_t fraction)
{
    cp_waits.now_ns = now_ns;
    clock_ns = 1000;
    atomic_store(&cp_waits.block_rate_ns, rate_ns);
    atomic_store(&cp_waits.mutex_fraction, fraction);
    for (size_t i = 0; i < SLOTS; i++) {
        cp_waits.block.slots[i] = (struct cp_signal_slot){ 0 };
        cp_waits.mutex.slots[i] = (struct cp_signal_slot){ 0 };
    }
}

/* The sums over a table. */
struct sums {
    double n, ns;
};

static struct sums sums_of(const struct cp_signal_samples *s)
{
    struct sums sums = { 0, 0 };

    for (size_t i = 0; i < SLOTS; i++) {
        sums.n +=
            (double)atomic_load(&s->slots[i].count) / CP_WAITS_COUNT_SCALE;
        sums.ns += (double)atomic_load(&s->slots[i].value);
    }
    return sums;
}

static bool is_near(double got, double want, double part)
{
    return got > want * (1 - part) && got < want * (1 + part);
}

static void unlock(void)
{
    struct cp_unlock_event event;

    if (!cp_waits_have_waiters(&lock))
        return;
    event = cp_waits_before_unlock(&lock);
    cp_waits_after_unlock(&lock, &event, 0);
}

/*
 * n threads start to wait, one every ns. Then the holder unlocks, and each of
 * them in turn after the same time. Returns the sum of all waits.
 */
static uint64_t turn(int n, uint64_t ns)
{
    struct cp_wait waits[MAX_WAITERS];
    uint64_t sum = 0;

    for (int i = 0; i < n; i++) {
        cp_signal_self = &records[i];
        cp_wait_begin(&waits[i], CP_WAIT_MUTEX, &lock, 0);
        clock_ns += ns;
        sum += ns * (uint64_t)(i + 1);
    }
    for (int i = 0; i < n; i++) {
        unlock();
        cp_signal_self = &records[i];
        cp_wait_end(&waits[i], 0);
        clock_ns += ns;
        sum += ns * (uint64_t)(n - 1 - i);
    }
    unlock();
    return sum;
}

static void test_all_is_exact(void)
{
    uint64_t sum = 0;

    begin(1, 1);
    for (int i = 0; i < 10; i++)
        sum += turn(5, 70);
    CHECK(sums_of(&cp_waits.block).n == 50);
    CHECK(sums_of(&cp_waits.block).ns == (double)sum);
    CHECK(sums_of(&cp_waits.mutex).n == 50);
    CHECK(sums_of(&cp_waits.mutex).ns == (double)sum);
}

static void test_sampled_is_not_biased(void)
{
    static const struct {
        const char *name;
        int n;
        uint64_t rate_ns, fraction;
    } rows[] = {
        { "one waits", 1, 1000, 10 },
        { "three wait", 3, 1000, 10 },
        { "eight wait", 8, 2000, 10 },
        { "eight wait, one in two", 8, 500, 2 },
        { "four wait, one in a hundred", 4, 10000, 100 },
    };

    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        uint64_t sum = 0;
        struct sums block, mutex;

        check_case(rows[r].name);
        begin(rows[r].rate_ns, rows[r].fraction);
        for (int i = 0; i < TURNS; i++)
            sum += turn(rows[r].n, 100);
        block = sums_of(&cp_waits.block);
        mutex = sums_of(&cp_waits.mutex);
        CHECK(is_near(block.n, TURNS * rows[r].n, 0.05));
        CHECK(is_near(block.ns, (double)sum, 0.05));
        CHECK(is_near(mutex.n, TURNS * rows[r].n, 0.05));
        CHECK(is_near(mutex.ns, (double)sum, 0.05));
    }
}

/* A wait as long as the rate is always recorded, with its own length. */
static void test_long_waits_are_exact(void)
{
    begin(1000, 0);
    for (int i = 0; i < 100; i++)
        CHECK(turn(1, 1000 + (uint64_t)i) == 1000 + (uint64_t)i);
    CHECK(sums_of(&cp_waits.block).n == 100);
    CHECK(sums_of(&cp_waits.block).ns == 104950);
    CHECK(sums_of(&cp_waits.mutex).n == 0);
}

static void test_aborted_wait(void)
{
    struct cp_wait wait;

    begin(1, 1);
    cp_signal_self = &records[0];
    cp_wait_begin(&wait, CP_WAIT_MUTEX, &lock, 0);
    clock_ns += 50;
    cp_wait_abort(&wait);
    CHECK(!cp_waits_have_waiters(&lock));
    CHECK(sums_of(&cp_waits.block).n == 0);
}

/* One profile without the other. */
static void test_block_or_mutex_alone(void)
{
    begin(0, 1);
    CHECK(turn(2, 10) == 40);
    CHECK(sums_of(&cp_waits.block).n == 0);
    CHECK(sums_of(&cp_waits.mutex).n == 2);
    CHECK(sums_of(&cp_waits.mutex).ns == 40);
    begin(1, 0);
    CHECK(turn(2, 10) == 40);
    CHECK(sums_of(&cp_waits.block).ns == 40);
    CHECK(sums_of(&cp_waits.mutex).n == 0);
}

int main(void)
{
    map(&cp_waits.block);
    map(&cp_waits.mutex);
    RUN(test_all_is_exact);
    RUN(test_sampled_is_not_biased);
    RUN(test_long_waits_are_exact);
    RUN(test_aborted_wait);
    RUN(test_block_or_mutex_alone);
    return check_failures != 0;
}
