/* test_alloc_sampler - the sampling distances, and the live table. */
#include "signal/heap/alloc_sampler.h"

#include <math.h>

#include "check.h"

#define N_OVERFLOW 64
#define SLOTS ((CP_LIVE_PRIMARY + N_OVERFLOW) * CP_LIVE_BUCKET)
#define SEEDS 100
#define DRAWS 10000

static _Atomic uint64_t keys[SLOTS];
static struct cp_live_entry entries[SLOTS];
static struct cp_signal_slot slots[4];

static void prepare(void)
{
    cp_alloc_sampler.live.n_overflow = N_OVERFLOW;
    cp_alloc_sampler.live.entries = entries;
    cp_alloc_sampler.live.keys = keys;
    cp_alloc_sampler.samples.slots = slots;
    cp_alloc_sampler.samples.n_slots = sizeof(slots) / sizeof(*slots);
}

/* The mean of exponential draws, by three standard errors, for each seed. */
static void test_draw(void)
{
    const double interval = 524288;
    int n_off = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct cp_alloc_thread t = { .random = seed };
        double sum = 0;

        for (int i = 0; i < DRAWS; i++) {
            uint64_t bytes = cp_alloc_draw_distance(&t, (uint64_t)interval);

            CHECK(bytes > 0);
            sum += (double)bytes;
        }
        n_off += fabs(sum / DRAWS - interval) > 3 * interval / sqrt(DRAWS);
    }
    CHECK(n_off <= 2); /* expected: 0.27 */
}

/* Threads that start one after the other draw different numbers. */
static void test_threads_differ(void)
{
    uint64_t before[8] = { 0 };
    int n_same = 0;

    for (int thread = 0; thread < 50; thread++) {
        struct cp_alloc_thread t = { 0 };

        for (int i = 0; i < 8; i++) {
            uint64_t bytes = cp_alloc_draw_distance(&t, 1 << 30);

            for (int k = 0; k < 8; k++)
                n_same += bytes == before[k];
            before[i] = bytes;
        }
    }
    CHECK(n_same <= 1);
}

/* Sizes of one class follow each other and differ by a sixteenth at most. */
static void test_classes(void)
{
    uint64_t first = 0;

    for (uint64_t size = 1; size < (uint64_t)1 << 20; size++) {
        uint32_t step =
            cp_alloc_size_class(size) - cp_alloc_size_class(size - 1);

        CHECK(step <= 1);
        if (step)
            first = size;
        CHECK(step || (size >= 32 && (size - first) * 16 < first));
    }
    for (int bits = 20; bits < 64; bits++) {
        uint64_t size = (uint64_t)1 << bits;

        CHECK_INT(cp_alloc_size_class(size) - cp_alloc_size_class(size - 1), 1);
        CHECK_INT(
            cp_alloc_size_class(size / 16 * 17) - cp_alloc_size_class(size), 1);
    }
    CHECK(cp_alloc_size_class(UINT64_MAX) < 1024);
}

static void test_live(void)
{
    static char memory[4096];
    struct cp_live_entry entry = { 2, 100, 100 }, got;

    CHECK(!cp_alloc_may_be_sampled(memory));
    cp_live_insert(memory, entry);
    CHECK(cp_alloc_may_be_sampled(memory));
    CHECK(cp_live_contains(memory, 2));
    CHECK(!cp_live_contains(memory, 1));
    CHECK_INT(cp_live_remove(memory + 16).slot, 0);
    got = cp_live_remove(memory);
    CHECK_INT(got.slot, 2);
    CHECK_INT(got.size, 100);
    CHECK_INT(cp_live_remove(memory).slot, 0);
    CHECK(!cp_alloc_may_be_sampled(memory));
    cp_alloc_count_free(memory, got);
    CHECK_INT(atomic_load(&slots[1].freed), 1);
    CHECK_INT(atomic_load(&slots[1].freed_value), 100);
}

/* More blocks than slots: a block that does not fit is counted as freed. */
static void test_full(void)
{
    const uint64_t n = (uint64_t)4 * SLOTS;
    struct cp_live_entry entry = { 3, 10, 10 };
    uint64_t n_live, n_taken = 0;

    for (uint64_t i = 1; i <= n; i++)
        cp_live_insert((void *)(uintptr_t)(i * 4096), entry);
    n_live = atomic_load(&cp_alloc_sampler.counts.n_live);
    CHECK(n_live <= SLOTS && n_live > SLOTS / 10 * 9);
    CHECK_INT(n_live + atomic_load(&cp_alloc_sampler.counts.n_lost), n);
    CHECK_INT(atomic_load(&slots[2].freed), n - n_live);
    for (uint64_t i = 1; i <= n; i++)
        n_taken += cp_live_remove((void *)(uintptr_t)(i * 4096)).slot == 3;
    CHECK_INT(n_taken, n_live);
    CHECK_INT(atomic_load(&cp_alloc_sampler.counts.n_live), 0);
    CHECK_INT(atomic_load(&cp_alloc_sampler.counts.n_in_overflow), 0);
}

int main(void)
{
    prepare();
    RUN(test_draw);
    RUN(test_threads_differ);
    RUN(test_classes);
    RUN(test_live);
    RUN(test_full);
    return check_failures != 0;
}
