/* test_readers - reader slots, epochs and the grace period. */
#include "signal/tables/readers.h"
#include "signal/unwinder/unwind_table.h"

#include <pthread.h>
#include <time.h>

#include "check.h"

#define N_PUBLISHED 200

static void test_all_slots_in_use(void)
{
    struct cp_reader_slot *slots[CP_READER_SLOTS];

    for (uint32_t i = 0; i < CP_READER_SLOTS; i++)
        CHECK((slots[i] = cp_readers_enter(7)) != NULL);
    CHECK(cp_readers_enter(7) == NULL);
    cp_readers_exit(slots[5]);
    CHECK(cp_readers_enter(7) == slots[5]);
    for (uint32_t i = 0; i < CP_READER_SLOTS; i++)
        cp_readers_exit(slots[i]);
}

static void test_epochs(void)
{
    struct cp_reader_slot *first = cp_readers_enter(7);
    struct cp_reader_slot *second = cp_readers_enter(7);
    uint32_t epochs[CP_READER_SLOTS];

    cp_readers_epochs(epochs);
    CHECK(!cp_readers_quiesced(epochs));
    cp_readers_exit(second);
    CHECK(!cp_readers_quiesced(epochs));
    cp_readers_exit(first);
    CHECK(cp_readers_quiesced(epochs));
    CHECK(cp_readers_enter(7) == first); /* a later reader does not count */
    CHECK(cp_readers_quiesced(epochs));
    cp_readers_exit(first);
}

static void test_reset_after_fork(void)
{
    uint32_t epochs[CP_READER_SLOTS];

    CHECK(cp_readers_enter(3) != NULL);
    cp_readers_reset_after_fork();
    cp_readers_epochs(epochs);
    CHECK(cp_readers_quiesced(epochs));
    CHECK(cp_readers_wait());
}

static void test_wait_times_out(void)
{
    struct cp_reader_slot *slot = cp_readers_enter(0);

    CHECK(!cp_readers_wait());
    cp_readers_exit(slot);
    CHECK(cp_readers_wait());
}

static void test_publish(void)
{
    static _Atomic uint64_t cache[CP_UNWIND_CACHE_SLOTS];
    static const struct cp_unwind_table table = { .cache = cache };

    CHECK(cp_unwind_table_current() != NULL);
    cp_readers_publish(&table);
    CHECK(cp_unwind_table_current() == &table);
    cp_readers_publish(NULL);
    CHECK(cp_unwind_table_current() != &table &&
          cp_unwind_table_current() != NULL);
}

static _Atomic(_Atomic int *) published;
static atomic_bool is_over;

/* Reads the published object, which must not be freed meanwhile. */
static void *read_objects(void *arg)
{
    long n_freed = 0;

    while (!atomic_load(&is_over)) {
        struct cp_reader_slot *slot =
            cp_readers_enter((uint32_t)(uintptr_t)arg);
        _Atomic int *object = atomic_load(&published);

        for (int i = 0; i < 100; i++)
            n_freed += atomic_load(object) == 0;
        cp_readers_exit(slot);
    }
    return (void *)(uintptr_t)n_freed;
}

/* An object is "freed" (set to 0) only after the grace period. */
static void test_no_reader_sees_a_freed_object(void)
{
    static _Atomic int objects[N_PUBLISHED];
    pthread_t threads[3];
    void *n_freed;

    atomic_store(&objects[0], 1);
    atomic_store(&published, &objects[0]);
    for (uintptr_t i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, read_objects, (void *)i) == 0);
    for (int i = 1; i < N_PUBLISHED; i++) {
        atomic_store(&objects[i], 1);
        atomic_store(&published, &objects[i]);
        if (cp_readers_wait())
            atomic_store(&objects[i - 1], 0);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_join(threads[i], &n_freed) == 0);
        CHECK(n_freed == NULL);
    }
}

int main(void)
{
    RUN(test_all_slots_in_use);
    RUN(test_epochs);
    RUN(test_reset_after_fork);
    RUN(test_wait_times_out);
    RUN(test_publish);
    RUN(test_no_reader_sees_a_freed_object);
    return check_failures != 0;
}
