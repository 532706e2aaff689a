/* test_sampling_phase - new threads continue the periods of exited ones. */
#include "runtime/threads/sampling_phase.h"
#include "signal/tables/thread.h"

#include "check.h"

#define PERIOD_NS 10000000
#define N 3
#define MANY 5000

static struct cp_signal_thread threads[MANY];

/* Slots are reused by number, not in the order of release. */
static void test_release_order(void)
{
    static const int orders[][N] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                     { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    uint64_t left[N] = { 0 };

    cp_sampling_phase_begin(PERIOD_NS);
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        for (size_t k = 0; k < N; k++) {
            uint64_t got = cp_sampling_phase_acquire(&threads[k]);

            CHECK(got > 0 && got <= PERIOD_NS);
            CHECK(left[k] == 0 || left[k] == got);
            left[k] = got - got / 3 + k;
        }
        for (size_t k = 0; k < N; k++)
            cp_sampling_phase_release(&threads[orders[i][k]],
                                      left[orders[i][k]]);
    }
}

/* A thread that lives on keeps its slot. */
static void test_slot_is_kept(void)
{
    cp_sampling_phase_begin(PERIOD_NS);
    for (size_t k = 0; k < N; k++)
        (void)cp_sampling_phase_acquire(&threads[k]);
    cp_sampling_phase_release(&threads[2], 2222);
    cp_sampling_phase_release(&threads[0], 1111);
    CHECK_INT(cp_sampling_phase_acquire(&threads[0]), 1111);
    CHECK_INT(cp_sampling_phase_acquire(&threads[2]), 2222);
}

/* Remainders of an earlier profile are ignored. */
static void test_generations(void)
{
    cp_sampling_phase_begin(PERIOD_NS);
    (void)cp_sampling_phase_acquire(&threads[0]);
    cp_sampling_phase_begin(1000);
    CHECK(cp_sampling_phase_acquire(&threads[1]) <= 1000);
    cp_sampling_phase_release(&threads[0], 5000);
    CHECK(cp_sampling_phase_acquire(&threads[2]) <= 1000);
    cp_sampling_phase_release(&threads[1], 77);
    cp_sampling_phase_release(&threads[1], 88); /* released already */
    CHECK_INT(cp_sampling_phase_acquire(&threads[1]), 77);
    cp_sampling_phase_release(&threads[1], 0);
    CHECK(cp_sampling_phase_acquire(&threads[1]) <= 1000);
}

static void test_more_threads_than_slots(void)
{
    cp_sampling_phase_begin(PERIOD_NS);
    for (size_t i = 0; i < MANY; i++) {
        uint64_t got = cp_sampling_phase_acquire(&threads[i]);

        CHECK(got > 0 && got <= PERIOD_NS);
    }
    for (size_t i = MANY; i-- > 0;)
        cp_sampling_phase_release(&threads[i], i + 1);
    for (size_t i = 0; i < 1000; i++)
        CHECK_INT(cp_sampling_phase_acquire(&threads[i]), i + 1);
}

int main(void)
{
    RUN(test_release_order);
    RUN(test_slot_is_kept);
    RUN(test_generations);
    RUN(test_more_threads_than_slots);
    return check_failures != 0;
}
