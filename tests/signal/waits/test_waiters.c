/*
 * test_waiters - slots of waiters: kept, released, exhausted; and what an
 * unlock is charged with. One thread plays all threads, except in the last
 * tests.
 */
#include "signal/waits/waiters.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "check.h"

#define THREADS 2500 /* more than a claim probes */

static struct cp_signal_thread records[THREADS];
static char locks[4096];

static void be(int number)
{
    cp_signal_self = number < 0 ? NULL : &records[number];
}

static void begin(void)
{
    for (int i = 0; i < THREADS; i++)
        atomic_store(&records[i].waits.waiter_slot, 0);
    be(-1);
    cp_waiters_reset_after_fork();
    atomic_store(&cp_waiters_unlisted, 0);
}

/* Another lock, in the same bucket as the first or in another one. */
static const void *lock_beside(bool is_same)
{
    for (size_t i = 1; i < sizeof(locks); i++)
        if ((cp_waiters_bucket(&locks[i]) == cp_waiters_bucket(&locks[0])) ==
            is_same)
            return &locks[i];
    return NULL;
}

static void test_time_is_charged_once(void)
{
    struct cp_waiter_slot a, b;
    struct cp_waiters_found found;

    begin();
    CHECK(!cp_waiters_has_sampled(locks));
    be(0);
    a = cp_waiters_enter(locks, 100);
    CHECK(cp_waiters_has_sampled(locks));
    be(1);
    b = cp_waiters_enter(locks, 150);
    found = cp_waiters_collect(locks, 200);
    CHECK(found.ns == 150 && found.n_sampled == 2 && found.n_all == 2);
    found = cp_waiters_collect(locks, 200);
    CHECK(found.ns == 0 && found.n_sampled == 0 && found.n_all == 2);
    cp_waiters_exit(a);
    found = cp_waiters_collect(locks, 230);
    CHECK(found.ns == 30 && found.n_sampled == 1 && found.n_all == 1);
    cp_waiters_exit(b);
    CHECK(!cp_waiters_has_sampled(locks));
    CHECK(cp_waiters_collect(locks, 300).n_all == 0);
}

static void test_waiters_that_are_not_sampled(void)
{
    struct cp_waiter_slot a, b;
    struct cp_waiters_found found;

    begin();
    be(0);
    a = cp_waiters_enter(locks, 0);
    CHECK(!cp_waiters_has_sampled(locks));
    be(1);
    b = cp_waiters_enter(locks, 10);
    found = cp_waiters_collect(locks, 30);
    CHECK(found.ns == 20 && found.n_sampled == 1 && found.n_all == 2);
    cp_waiters_exit(b);
    cp_waiters_exit(a);
    CHECK(!cp_waiters_has_sampled(locks));
}

static void test_locks_of_one_bucket(void)
{
    const void *other = lock_beside(true);
    struct cp_waiter_slot a;

    begin();
    be(0);
    CHECK(other != NULL);
    a = cp_waiters_enter(other, 10);
    CHECK(cp_waiters_has_sampled(locks)); /* false positive: same bucket */
    CHECK(cp_waiters_collect(locks, 30).n_all == 0);
    CHECK(cp_waiters_collect(other, 30).ns == 20);
    cp_waiters_exit(a);
}

static void test_a_slot_is_kept(void)
{
    struct cp_waiter_slot a, b, inner;

    begin();
    be(0);
    a = cp_waiters_enter(locks, 10);
    inner = cp_waiters_enter(locks, 20); /* in a signal handler */
    CHECK(a.is_kept && !inner.is_kept && a.number != inner.number);
    CHECK(cp_waiters_collect(locks, 30).ns == 30);
    cp_waiters_exit(inner);
    CHECK(cp_waiters_collect(locks, 40).ns == 10);
    cp_waiters_exit(a);
    b = cp_waiters_enter(locks, 50);
    CHECK(b.number == a.number);
    cp_waiters_exit(b);
    b = cp_waiters_enter(lock_beside(false), 60);
    CHECK(b.number != a.number && b.is_kept);
    cp_waiters_exit(b);
    be(1); /* claims the released slot */
    b = cp_waiters_enter(locks, 70);
    CHECK(b.number == a.number);
    cp_waiters_exit(b);
}

static void test_a_thread_ends(void)
{
    struct cp_waiter_slot a, b;

    begin();
    be(0);
    a = cp_waiters_enter(locks, 10);
    cp_waiters_unregister(&records[0]); /* cancelled in a wait */
    CHECK(!cp_waiters_has_sampled(locks));
    CHECK(cp_waiters_collect(locks, 30).n_all == 0);
    be(1);
    b = cp_waiters_enter(locks, 20);
    CHECK(b.number == a.number);
    cp_waiters_exit(b);
    be(-1); /* a thread without a record */
    a = cp_waiters_enter(locks, 30);
    CHECK(a.number && a.number != b.number && !a.is_kept);
    cp_waiters_exit(a);
}

static void test_more_waiters_than_slots(void)
{
    static struct cp_waiter_slot places[THREADS];
    uint32_t n_listed = 0, n_kept = 0;

    begin();
    for (int i = 0; i < THREADS; i++) {
        be(i);
        places[i] = cp_waiters_enter(locks, 10);
        n_listed += places[i].number != 0;
        n_kept += places[i].is_kept;
    }
    CHECK(n_listed + atomic_load(&cp_waiters_unlisted) == THREADS);
    CHECK(n_listed >= 2000 && n_listed < THREADS);
    CHECK(n_kept > 0 && n_kept < n_listed);
    CHECK(cp_waiters_collect(locks, 11).ns == n_listed);
    for (int i = 0; i < THREADS; i++)
        cp_waiters_exit(places[i]);
    CHECK(!cp_waiters_has_sampled(locks));
    be(THREADS - 1); /* kept slots leave room */
    CHECK(cp_waiters_enter(locks, 20).number != 0);
    cp_waiters_reset_after_fork();
    CHECK(!cp_waiters_has_sampled(locks));
    CHECK(cp_waiters_enter(locks, 20).number == places[0].number);
}

/* Each thread has waited once, for its own lock, and may keep its slot. */
static void test_threads_that_do_not_wait_leave_room(void)
{
    static struct cp_signal_thread many[10000];
    uint32_t n_kept = 0;

    begin();
    for (size_t i = 0; i < 10000; i++) {
        const void *lock = (const void *)(uintptr_t)(4096 + i * 64);
        struct cp_waiter_slot place;

        cp_signal_self = &many[i];
        place = cp_waiters_enter(lock, 10);
        n_kept += place.is_kept;
        cp_waiters_exit(place);
    }
    CHECK(n_kept > 1000 && n_kept < 5000);
    CHECK(atomic_load(&cp_waiters_unlisted) == 0);
    for (size_t i = 0; i < 10000; i++)
        cp_waiters_unregister(&many[i]);
    be(0); /* slots are free again */
    CHECK(cp_waiters_enter(locks, 20).is_kept);
}

static struct cp_waiter_slot crowd[THREADS];

static void let_wait(const void *lock, int from, int to)
{
    for (int i = from; i < to; i++) {
        be(i);
        crowd[i] = cp_waiters_enter(lock, 10);
    }
}

static void let_end(int from, int to)
{
    for (int i = from; i < to; i++) {
        cp_waiters_exit(crowd[i]);
        cp_waiters_unregister(&records[i]);
    }
}

static void test_many_waited_once(void)
{
    begin();
    let_wait(locks, 0, 2000);
    CHECK(cp_waiters_scan_length(locks) == 2000);
    let_end(0, 1999);
    CHECK(cp_waiters_collect(locks, 20).n_all ==
          1); /* the last waiter is found */
    CHECK(cp_waiters_scan_length(locks) == 2000);
    let_end(1999, 2000);
    CHECK(cp_waiters_collect(locks, 30).n_all == 0);
    CHECK(cp_waiters_scan_length(locks) < 100);
    let_wait(locks, 0, 300);
    CHECK(cp_waiters_collect(locks, 40).n_all == 300);
    let_end(0, 300);
}

/* Real threads wait for several locks, end, and start again. */

#define CROWD 6
#define CUTTING (CLOCKS_PER_SEC / 5) /* CPU time; a yield may take long */
#define WAITS 20000

static _Atomic uint64_t clock_ticks = 1;
static _Atomic uint64_t waited, told;
static _Atomic bool is_over;

static void wait_once(const void *lock)
{
    uint64_t begin = atomic_fetch_add(&clock_ticks, 1);
    struct cp_waiter_slot place = cp_waiters_enter(lock, begin);

    if (begin % 4 == 0)
        (void)sched_yield();
    cp_waiters_exit(place);
    atomic_fetch_add(&waited, atomic_load(&clock_ticks) - begin);
}

static void *wait_often(void *arg)
{
    be((int)(intptr_t)arg);
    for (size_t i = 0; i < WAITS; i++) {
        wait_once(&locks[i / 8 % 3 * 100]);
        if (i % 1000 == 0)
            cp_waiters_unregister(cp_signal_self);
    }
    return NULL;
}

static void *ask_often(void *arg)
{
    for (size_t i = 0; !atomic_load(&is_over); i++) {
        const void *lock = &locks[i % 3 * 100];

        if (cp_waiters_has_sampled(lock))
            atomic_fetch_add(
                &told, cp_waiters_collect(lock, atomic_load(&clock_ticks)).ns);
        (void)sched_yield();
    }
    return arg;
}

static void test_many_at_once(void)
{
    pthread_t waiters[CROWD], askers[2];

    begin();
    for (intptr_t i = 0; i < CROWD; i++)
        (void)pthread_create(&waiters[i], NULL, wait_often, (void *)i);
    for (int i = 0; i < 2; i++)
        (void)pthread_create(&askers[i], NULL, ask_often, NULL);
    for (int i = 0; i < CROWD; i++)
        (void)pthread_join(waiters[i], NULL);
    atomic_store(&is_over, true);
    for (int i = 0; i < 2; i++)
        (void)pthread_join(askers[i], NULL);
    CHECK(atomic_load(&told) <= atomic_load(&waited));
    CHECK(atomic_load(&cp_waiters_unlisted) == 0);
    for (size_t i = 0; i < 3; i++) {
        CHECK(!cp_waiters_has_sampled(&locks[i * 100]));
        CHECK(cp_waiters_collect(&locks[i * 100], UINT64_MAX).n_all == 0);
    }
}

static void *cut_often(void *arg)
{
    while (!atomic_load(&is_over))
        (void)cp_waiters_collect(locks, 5); /* charges nothing */
    return arg;
}

/* A lock whose slots start where the minimal scan of the first lock ends. */
static const void *lock_behind(void)
{
    uint32_t wanted = (cp_waiters_bucket(locks) + 8) % CP_WAITERS_BUCKETS;
    uintptr_t address = 16;

    while (cp_waiters_bucket((const void *)address) != wanted)
        address += 16;
    return (const void *)address;
}

/* A waiter that enters while the scan is shortened is still within it. */
static void test_no_waiter_is_beyond_the_scan(void)
{
    pthread_t cutters[2];
    const void *behind = lock_behind();
    uint32_t n_cut_off = 0;

    begin();
    let_wait(locks, 0, 64);
    let_wait(behind, 64, 165);
    let_end(64, 65);
    atomic_store(&is_over, false);
    for (int i = 0; i < 2; i++)
        (void)pthread_create(&cutters[i], NULL, cut_often, NULL);
    for (clock_t end = clock() + CUTTING; clock() < end;) {
        let_wait(behind, 64, 65);
        let_wait(locks, 165, 166); /* far from the start, for a moment */
        let_end(165, 166);
        let_end(64, 65);
        let_wait(locks, 64, 65); /* just beyond the minimal scan */
        (void)sched_yield();
        n_cut_off += cp_waiters_collect(locks, 5).n_all != 65;
        let_end(64, 65);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < 2; i++)
        (void)pthread_join(cutters[i], NULL);
    CHECK(n_cut_off == 0);
    let_end(0, 64);
    let_end(65, 165);
}

int main(void)
{
    RUN(test_time_is_charged_once);
    RUN(test_waiters_that_are_not_sampled);
    RUN(test_locks_of_one_bucket);
    RUN(test_a_slot_is_kept);
    RUN(test_a_thread_ends);
    RUN(test_more_waiters_than_slots);
    RUN(test_threads_that_do_not_wait_leave_room);
    RUN(test_many_waited_once);
    RUN(test_many_at_once);
    RUN(test_no_waiter_is_beyond_the_scan);
    return check_failures != 0;
}
