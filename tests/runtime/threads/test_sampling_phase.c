/* test_phases - who goes on with which period. */
#include "runtime/threads/sampling_phase.h"
#include "signal/tables/thread.h"

#include "check.h"

#define PERIOD_NS 10000000
#define N 3
#define MANY 5000

static struct cp_signal_thread threads[MANY];

/* Whatever the order in which they end, each comes upon its own period. */
static void test_order(void)
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

/* One that lives on keeps its place. */
static void test_long_life(void)
{
    cp_sampling_phase_begin(PERIOD_NS);
    for (size_t k = 0; k < N; k++)
        (void)cp_sampling_phase_acquire(&threads[k]);
    cp_sampling_phase_release(&threads[2], 2222);
    cp_sampling_phase_release(&threads[0], 1111);
    CHECK_INT(cp_sampling_phase_acquire(&threads[0]), 1111);
    CHECK_INT(cp_sampling_phase_acquire(&threads[2]), 2222);
}

/* What is left of another profile's period counts for nothing. */
static void test_turns(void)
{
    cp_sampling_phase_begin(PERIOD_NS);
    (void)cp_sampling_phase_acquire(&threads[0]);
    cp_sampling_phase_begin(1000);
    CHECK(cp_sampling_phase_acquire(&threads[1]) <= 1000);
    cp_sampling_phase_release(&threads[0], 5000);
    CHECK(cp_sampling_phase_acquire(&threads[2]) <= 1000);
    cp_sampling_phase_release(&threads[1], 77);
    cp_sampling_phase_release(&threads[1], 88); /* it has given it back */
    CHECK_INT(cp_sampling_phase_acquire(&threads[1]), 77);
    cp_sampling_phase_release(&threads[1], 0);
    CHECK(cp_sampling_phase_acquire(&threads[1]) <= 1000);
}

static void test_many(void)
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
    RUN(test_order);
    RUN(test_long_life);
    RUN(test_turns);
    RUN(test_many);
    return check_failures != 0;
}
