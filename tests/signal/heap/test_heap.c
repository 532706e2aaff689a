/* test_heap - what is drawn, and the table of blocks that live. */
#include "signal/heap/heap.h"
#include "signal/tables/samples.h"

#include <math.h>

#include "check.h"

#define FAR 64
#define PLACES ((CP_HEAP_NEAR + FAR) * CP_HEAP_BUCKET)
#define SEEDS 100
#define DRAWS 10000

static _Atomic uint64_t keys[PLACES];
static struct cp_heap_entry entries[PLACES];
static struct cp_signal_slot slots[4];

static void prepare(void)
{
    cp_heap_sampler.live.n_far = FAR;
    cp_heap_sampler.live.entries = entries;
    cp_heap_sampler.live.keys = keys;
    cp_heap_sampler.samples.slots = slots;
}

/* The mean of exponential draws, by three standard errors, for each seed. */
static void test_draw(void)
{
    const double interval = 524288;
    int n_off = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct cp_heap_thread t = { .random = seed };
        double sum = 0;

        for (int i = 0; i < DRAWS; i++) {
            uint64_t bytes = cp_heap_draw(&t, (uint64_t)interval);

            CHECK(bytes > 0);
            sum += (double)bytes;
        }
        n_off += fabs(sum / DRAWS - interval) > 3 * interval / sqrt(DRAWS);
    }
    CHECK(n_off <= 2); /* 0.27 are to be expected */
}

/* Threads that start one after the other draw different numbers. */
static void test_threads_differ(void)
{
    uint64_t before[8] = { 0 };
    int n_same = 0;

    for (int thread = 0; thread < 50; thread++) {
        struct cp_heap_thread t = { 0 };

        for (int i = 0; i < 8; i++) {
            uint64_t bytes = cp_heap_draw(&t, 1 << 30);

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
        uint32_t step = cp_heap_class_of(size) - cp_heap_class_of(size - 1);

        CHECK(step <= 1);
        if (step)
            first = size;
        CHECK(step || (size >= 32 && (size - first) * 16 < first));
    }
    for (int bits = 20; bits < 64; bits++) {
        uint64_t size = (uint64_t)1 << bits;

        CHECK_INT(cp_heap_class_of(size) - cp_heap_class_of(size - 1), 1);
        CHECK_INT(cp_heap_class_of(size / 16 * 17) - cp_heap_class_of(size), 1);
    }
    CHECK(cp_heap_class_of(UINT64_MAX) < 1024);
}

static void test_live(void)
{
    static char memory[4096];
    struct cp_heap_entry entry = { 2, 100, 100 }, got;

    CHECK(!cp_heap_may_be_sampled(memory));
    cp_heap_put(memory, entry);
    CHECK(cp_heap_may_be_sampled(memory));
    CHECK(cp_heap_is_live(memory, 2));
    CHECK(!cp_heap_is_live(memory, 1));
    CHECK_INT(cp_heap_take(memory + 16).slot, 0);
    got = cp_heap_take(memory);
    CHECK_INT(got.slot, 2);
    CHECK_INT(got.size, 100);
    CHECK_INT(cp_heap_take(memory).slot, 0);
    CHECK(!cp_heap_may_be_sampled(memory));
    cp_heap_count_free(memory, got);
    CHECK_INT(atomic_load(&slots[1].gone), 1);
    CHECK_INT(atomic_load(&slots[1].gone_value), 100);
}

/* More than there is room for: what does not fit is counted as gone. */
static void test_full(void)
{
    const uint64_t n = (uint64_t)4 * PLACES;
    struct cp_heap_entry entry = { 3, 10, 10 };
    uint64_t n_live, n_taken = 0;

    for (uint64_t i = 1; i <= n; i++)
        cp_heap_put((void *)(uintptr_t)(i * 4096), entry);
    n_live = atomic_load(&cp_heap_sampler.counts.n_live);
    CHECK(n_live <= PLACES && n_live > PLACES / 10 * 9);
    CHECK_INT(n_live + atomic_load(&cp_heap_sampler.counts.n_lost), n);
    CHECK_INT(atomic_load(&slots[2].gone), n - n_live);
    for (uint64_t i = 1; i <= n; i++)
        n_taken += cp_heap_take((void *)(uintptr_t)(i * 4096)).slot == 3;
    CHECK_INT(n_taken, n_live);
    CHECK_INT(atomic_load(&cp_heap_sampler.counts.n_live), 0);
    CHECK_INT(atomic_load(&cp_heap_sampler.counts.n_away), 0);
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
