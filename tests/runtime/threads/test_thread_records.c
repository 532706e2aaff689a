/* test_thread_records - the hash table by tid, the free list and iteration. */
#include "runtime/threads/thread_records.h"
#include "signal/tables/thread.h"

#include "check.h"

#define CHAINS 4096 /* of the module: these tids share a chain */
#define N 3

static const int32_t tids[N] = { 7, 7 + CHAINS, 7 + 2 * CHAINS };

static struct cp_signal_thread *add(int32_t tid)
{
    struct cp_signal_thread *t = cp_thread_records_alloc();

    if (CHECK(t))
        cp_thread_records_insert(t, tid);
    return t;
}

/* Removes each of three colliding records in turn; the others stay. */
static void test_chain(void)
{
    for (int removed = 0; removed < N; removed++) {
        struct cp_signal_thread *t[N];

        for (int i = 0; i < N; i++)
            t[i] = add(tids[i]);
        CHECK_INT(cp_thread_records_used(), N);
        cp_thread_records_free(t[removed]);
        for (int i = 0; i < N; i++)
            CHECK(cp_thread_records_find(tids[i]) ==
                  (i == removed ? NULL : t[i]));
        for (int i = 0; i < N; i++)
            if (i != removed)
                cp_thread_records_free(t[i]);
        CHECK_INT(cp_thread_records_used(), 0);
    }
    CHECK_INT(cp_thread_records_count(), N); /* reused, not added */
}

/* A reused record is empty, but keeps its number. */
static void test_reuse(void)
{
    struct cp_signal_thread *t = add(100), *again;
    uint32_t number = t->number;

    t->runtime.start_pc = 1;
    t->cpu.from_ns = 2;
    cp_thread_records_free(t);
    CHECK_INT(atomic_load(&t->tid), 0);
    again = add(101);
    CHECK(again == t && again->number == number);
    CHECK_INT(again->runtime.start_pc, 0);
    CHECK_INT(again->cpu.from_ns, 0);
    CHECK(cp_signal_thread_at(number) == again);
    cp_thread_records_free(again);
}

/* The forking thread has a new tid in the child. */
static void test_new_tid(void)
{
    struct cp_signal_thread *t = add(200);

    cp_thread_records_remove(t);
    cp_thread_records_insert(t, 201);
    CHECK(!cp_thread_records_find(200));
    CHECK(cp_thread_records_find(201) == t);
    cp_thread_records_free(t);
}

/* More records than one chunk has. */
static void test_iteration(void)
{
    enum { MANY = CP_THREADS_CHUNK + 10 };
    static struct cp_signal_thread *all[MANY];
    const struct cp_signal_thread *t = NULL;
    int n = 0;

    for (int i = 0; i < MANY; i++)
        all[i] = add(1000 + i);
    for (int i = 0; i < MANY; i += 2)
        cp_thread_records_free(all[i]);
    while ((t = cp_thread_records_next(t))) {
        CHECK_INT(atomic_load(&t->tid) % 2, 1);
        n++;
    }
    CHECK_INT(n, MANY / 2);
    for (int i = 1; i < MANY; i += 2)
        cp_thread_records_free(all[i]);
    CHECK(!cp_thread_records_next(NULL));
}

int main(void)
{
    RUN(test_chain);
    RUN(test_reuse);
    RUN(test_new_tid);
    RUN(test_iteration);
    return check_failures != 0;
}
