/*
 * stress_locks.c - threads that wait for each other in every way, while all
 * waits are recorded.
 *
 * Counters under the locks check mutual exclusion.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

#define N_MUTEXES 5
#define N_HANDS 3 /* threads per kind of lock */

static pthread_mutex_t mutexes[N_MUTEXES];
static long under_mutex[N_MUTEXES];
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static long under_rwlock[2];
static pthread_spinlock_t spin;
static long under_spin;
static mtx_t mtx;
__attribute__((unused)) static long under_mtx;

static struct timespec soon(clockid_t clock)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    t.tv_nsec += 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

/* Normal, recursive, error-checking, priority-inheriting, robust. */
static void init_mutex(int i)
{
    static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                 PTHREAD_MUTEX_ERRORCHECK };
    pthread_mutexattr_t attr;

    (void)pthread_mutexattr_init(&attr);
    if (i < 3)
        (void)pthread_mutexattr_settype(&attr, types[i]);
    if (i == 3)
        (void)pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    if (i == 4)
        (void)pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    (void)pthread_mutex_init(&mutexes[i], &attr);
    (void)pthread_mutexattr_destroy(&attr);
}

void stress_prepare_locks(void)
{
    for (int i = 0; i < N_MUTEXES; i++)
        init_mutex(i);
    (void)pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    (void)mtx_init(&mtx, mtx_plain);
}

/* Checks that no other thread changed the counter. */
static void touch(long *count)
{
    long before = *count;

    *count = before + 1;
    stress_work(200);
    if (*count != before + 1)
        stress_fail("two had one lock");
}

static int take_mutex(pthread_mutex_t *m, long n)
{
    struct timespec t = soon(n % 5 ? CLOCK_REALTIME : CLOCK_MONOTONIC);

    switch (n % 5) {
#if !defined(__SANITIZE_THREAD__) /* it does not support this one */
    case 0:
        return pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &t);
#endif
    case 1:
        return pthread_mutex_timedlock(m, &t);
    case 2:
        return pthread_mutex_trylock(m);
    default:
        return pthread_mutex_lock(m);
    }
}

static void use_mutexes(long n)
{
    for (int i = 0; i < N_MUTEXES; i++) {
        int status = take_mutex(&mutexes[i], n + i);

        if (status == ETIMEDOUT || status == EBUSY)
            continue;
        if (status == EINVAL && i == 3)
            continue; /* older kernels support one clock for these */
        if (status != 0)
            stress_fail("a mutex was refused");
        touch(&under_mutex[i]);
        if (i == 1 && (pthread_mutex_lock(&mutexes[i]) != 0 ||
                       pthread_mutex_unlock(&mutexes[i]) != 0))
            stress_fail("a mutex was not recursive");
        if (i == 2 && pthread_mutex_lock(&mutexes[i]) != EDEADLK)
            stress_fail("a mutex did not check");
        if (pthread_mutex_unlock(&mutexes[i]) != 0)
            stress_fail("a mutex was not ours");
    }
}

static void use_rwlock(long n)
{
    if (n % 3 == 0) {
        (void)pthread_rwlock_wrlock(&rwlock);
        touch(&under_rwlock[0]);
        under_rwlock[1]++;
    } else {
        (void)pthread_rwlock_rdlock(&rwlock);
        stress_work(300);
        if (under_rwlock[0] != under_rwlock[1])
            stress_fail("a reader saw a writer");
    }
    (void)pthread_rwlock_unlock(&rwlock);
}

static void use_small_locks(long n)
{
    (void)n;
    (void)pthread_spin_lock(&spin);
    touch(&under_spin);
    (void)pthread_spin_unlock(&spin);
#if !defined(__SANITIZE_THREAD__) /* it does not support these */
    (void)mtx_lock(&mtx);
    touch(&under_mtx);
    (void)mtx_unlock(&mtx);
#endif
}

/* Several threads contend for one kind of lock. */
static void many_hands(long n, void *(*hand)(void *))
{
    pthread_t threads[N_HANDS];

    for (long i = 0; i < N_HANDS; i++)
        if (pthread_create(&threads[i], NULL, hand, (void *)(n + i)) != 0)
            stress_fail("pthread_create");
    for (int i = 0; i < N_HANDS; i++)
        (void)pthread_join(threads[i], NULL);
}

static void *hold_locks(void *arg)
{
    for (long i = (long)arg, end = i + 50; i < end; i++) {
        use_mutexes(i);
        use_rwlock(i);
        use_small_locks(i);
        stress_allocate(i);
    }
    return NULL;
}

static void locks(long n)
{
    many_hands(n, hold_locks);
}

/* A ring of threads that take turns with conditions. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    long turn;
    _Atomic long hand;
} ring = { .lock = PTHREAD_MUTEX_INITIALIZER,
           .changed = PTHREAD_COND_INITIALIZER };

static void *go_round(void *arg)
{
    long mine = atomic_fetch_add(&ring.hand, 1) % N_HANDS;

    (void)arg;
    for (int i = 0; i < 30; i++) {
        (void)pthread_mutex_lock(&ring.lock);
        while (ring.turn % N_HANDS != mine) {
            struct timespec t = soon(CLOCK_REALTIME);

            if (i % 2)
                (void)pthread_cond_wait(&ring.changed, &ring.lock);
            else
                (void)pthread_cond_timedwait(&ring.changed, &ring.lock, &t);
        }
        ring.turn++;
        (void)pthread_cond_broadcast(&ring.changed);
        (void)pthread_mutex_unlock(&ring.lock);
    }
    return NULL;
}

static void conditions(long n)
{
    many_hands(n, go_round);
}

static pthread_barrier_t barrier;
static sem_t sem;

/* Each thread posts once and then waits once, so that none waits forever. */
static void *post_and_wait(void *arg)
{
    for (int i = 0; i < 50; i++) {
        (void)pthread_barrier_wait(&barrier);
        (void)sem_post(&sem);
        stress_work(200);
        while (sem_wait(&sem) != 0)
            ;
    }
    return arg;
}

static void meetings(long n)
{
    (void)pthread_barrier_init(&barrier, NULL, N_HANDS);
    (void)sem_init(&sem, 0, 0);
    many_hands(n, post_and_wait);
    (void)sem_destroy(&sem);
    (void)pthread_barrier_destroy(&barrier);
}

/* Threads that are cancelled while they wait. */
static void unlock(void *m)
{
    (void)pthread_mutex_unlock(m);
}

static void *wait_for_ever(void *arg)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    struct timespec hour = { 3600, 0 };

#if defined(__SANITIZE_ADDRESS__) /* its stacks cannot be unwound for cleanup  \
                                     handlers */
    arg = (void *)1;
#endif
    while ((long)arg % 2) /* a signal of the profiler may interrupt it */
        (void)nanosleep(&hour, NULL);
    (void)pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    for (;;)
        (void)pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    return NULL;
}

static void cancellations(long n)
{
    pthread_t threads[4];
    void *result;

    for (long i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, wait_for_ever, (void *)(n + i)))
            stress_fail("pthread_create");
    stress_work(50000);
    for (int i = 0; i < 4; i++) {
        (void)pthread_cancel(threads[i]);
        (void)pthread_join(threads[i], &result);
        if (result != PTHREAD_CANCELED)
            stress_fail("a wait was not cancelled");
    }
}

/* A holder exits with the mutex locked: the next one gets EOWNERDEAD. */
static void *die_with(void *m)
{
    (void)pthread_mutex_lock(m);
    return NULL;
}

static void owner_deaths(long n)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t m;
    pthread_t thread;

    (void)n;
    (void)pthread_mutexattr_init(&attr);
    (void)pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    (void)pthread_mutex_init(&m, &attr);
    (void)pthread_mutexattr_destroy(&attr);
    if (pthread_create(&thread, NULL, die_with, &m) != 0)
        stress_fail("pthread_create");
    (void)pthread_join(thread, NULL);
    if (pthread_mutex_lock(&m) != EOWNERDEAD)
        stress_fail("a dead owner was not told of");
    (void)pthread_mutex_consistent(&m);
    (void)pthread_mutex_unlock(&m);
    (void)pthread_mutex_destroy(&m);
}

/* Blocking calls: pipes between threads, and short sleeps. */
static int ends[2];

static void *feed(void *arg)
{
    for (int i = 0; i < 20; i++) {
        struct timespec nap = { 0, 50000 };

        (void)nanosleep(&nap, NULL);
        if (write(ends[1], "x", 1) != 1)
            stress_fail("write");
    }
    return arg;
}

static void reads(long n)
{
    pthread_t thread;
    char byte;

    (void)n;
    if (pipe(ends) != 0 || pthread_create(&thread, NULL, feed, NULL) != 0)
        stress_fail("pipe");
    for (int i = 0; i < 20; i++)
        while (read(ends[0], &byte, 1) != 1)
            if (errno != EINTR)
                stress_fail("read");
    (void)pthread_join(thread, NULL);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

struct stress_job stress_locks[] = {
    { .name = "locks", .run = locks },
    { .name = "conditions", .run = conditions },
    { .name = "meetings", .run = meetings },
    { .name = "cancelled waits", .run = cancellations },
    { .name = "deaths of owners", .run = owner_deaths },
    { .name = "reads", .run = reads },
    { .name = NULL },
};
