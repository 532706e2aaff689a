/* test_parallel.c - tests src/base/parallel.c. */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "check.h"

#define MAX_ITEMS 1000

static atomic_int runs[MAX_ITEMS];

static void count(void *context, size_t piece)
{
    atomic_int *counters = context;

    atomic_fetch_add(&counters[piece], 1);
}

static const size_t counts[] = { 0, 1, 2, 3, 16, 17, MAX_ITEMS };

static void check_counts(void)
{
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        for (size_t k = 0; k < MAX_ITEMS; k++)
            atomic_store(&runs[k], 0);
        cp_parallel_run(counts[i], count, runs);
        for (size_t k = 0; k < MAX_ITEMS; k++)
            CHECK_INT(atomic_load(&runs[k]), k < counts[i]);
    }
}

static void test_each_piece_once(void)
{
    check_counts();
}

static void test_on_one_core(void)
{
    cpu_set_t all, one;
    size_t core = 0;

    CHECK_INT(sched_getaffinity(0, sizeof(all), &all), 0);
    while (!CPU_ISSET(core, &all))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    CHECK_INT(sched_setaffinity(0, sizeof(one), &one), 0);
    CHECK_INT(cp_parallel_width(), 1);
    check_counts();
    CHECK_INT(sched_setaffinity(0, sizeof(all), &all), 0);
}

static void test_width(void)
{
    cpu_set_t all;
    int n;

    CHECK_INT(sched_getaffinity(0, sizeof(all), &all), 0);
    n = CPU_COUNT(&all);
    CHECK_INT(cp_parallel_width(), n > 16 ? 16 : n);
}

/* The writes of the pieces are visible when the call returns. */
static void fill(void *context, size_t piece)
{
    ((int *)context)[piece] = (int)piece + 1;
}

static void test_results_are_there(void)
{
    int results[64] = { 0 };

    for (int pass = 0; pass < 50; pass++) {
        memset(results, 0, sizeof(results));
        cp_parallel_run(64, fill, results);
        for (int i = 0; i < 64; i++)
            CHECK_INT(results[i], i + 1);
    }
}

/* Two pieces on two threads; the other thread is slow. */
struct pair {
    pthread_t caller;
    atomic_int n_begun;
    atomic_bool is_done;
};

static void run_one_of_two(void *context, size_t piece)
{
    struct pair *pair = context;

    (void)piece;
    atomic_fetch_add(&pair->n_begun, 1);
    while (atomic_load(&pair->n_begun) < 2)
        (void)sched_yield();
    if (pthread_equal(pthread_self(), pair->caller))
        return;
    for (int i = 0; i < 1000; i++)
        (void)sched_yield();
    atomic_store(&pair->is_done, true);
}

static void test_waits_for_all(void)
{
    struct pair pair = { .caller = pthread_self() };

    if (!CHECK(cp_parallel_width() >= 1) || cp_parallel_width() < 2)
        return;
    cp_parallel_run(2, run_one_of_two, &pair);
    CHECK(atomic_load(&pair.is_done));
}

/* A piece may call cp_parallel_run itself. */
static void run_more(void *context, size_t piece)
{
    (void)piece;
    cp_parallel_run(10, count, context);
}

static void test_nested(void)
{
    for (size_t k = 0; k < MAX_ITEMS; k++)
        atomic_store(&runs[k], 0);
    cp_parallel_run(8, run_more, runs);
    for (size_t k = 0; k < 10; k++)
        CHECK_INT(atomic_load(&runs[k]), 8);
}

int main(void)
{
    RUN(test_each_piece_once);
    RUN(test_on_one_core);
    RUN(test_width);
    RUN(test_results_are_there);
    RUN(test_waits_for_all);
    RUN(test_nested);
    return check_failures != 0;
}
