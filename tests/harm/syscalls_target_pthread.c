/*
 * syscalls_target_pthread.c - libc's locks, conditions, semaphores, barriers
 * and joins: waits that a peer ends, or that time out.
 */
#include "syscalls_target.h"

#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#define TIMEOUT_NS (3 * MS)

struct objects {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
    pthread_cond_t cond;
    pthread_barrier_t barrier;
    sem_t sem;
    _Atomic int is_held;
    _Atomic int is_set;
};

/* Each run allocates its objects: a peer may still use the previous ones. */
static void make_objects(struct slot *s, struct objects *o)
{
    pthread_condattr_t attr;

    must(pthread_mutex_init(&o->mutex, NULL), "pthread_mutex_init");
    must(pthread_rwlock_init(&o->rwlock, NULL), "pthread_rwlock_init");
    must(pthread_condattr_init(&attr), "pthread_condattr_init");
    must(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC),
         "pthread_condattr_setclock");
    must(pthread_cond_init(&o->cond, &attr), "pthread_cond_init");
    must(pthread_barrier_init(&o->barrier, NULL, 2), "pthread_barrier_init");
    must(sem_init(&o->sem, 0, 0), "sem_init");
    o->is_held = o->is_set = 0;
    s->object = o;
}

static void await_holder(struct objects *o)
{
    while (!o->is_held)
        pause_ns(50000);
}

/* Holds both locks for a moment, or until the call returns (is_set). */
static void hold(struct slot *s)
{
    struct objects *o = s->object;

    (void)pthread_mutex_lock(&o->mutex);
    (void)pthread_rwlock_wrlock(&o->rwlock);
    o->is_held = 1;
    short_delay(s);
    while (o->is_set && !s->is_acked)
        pause_ns(100000);
    (void)pthread_rwlock_unlock(&o->rwlock);
    (void)pthread_mutex_unlock(&o->mutex);
}

typedef int locker(struct objects *o, int64_t ns);

static int lock_mutex(struct objects *o, int64_t ns)
{
    struct timespec t = after_ns(CLOCK_REALTIME, ns);

    return pthread_mutex_timedlock(&o->mutex, &t);
}

static int clock_lock_mutex(struct objects *o, int64_t ns)
{
    struct timespec t = after_ns(CLOCK_MONOTONIC, ns);

    return pthread_mutex_clocklock(&o->mutex, CLOCK_MONOTONIC, &t);
}

static int lock_read(struct objects *o, int64_t ns)
{
    struct timespec t = after_ns(CLOCK_REALTIME, ns);

    return pthread_rwlock_timedrdlock(&o->rwlock, &t);
}

static int lock_write(struct objects *o, int64_t ns)
{
    struct timespec t = after_ns(CLOCK_REALTIME, ns);

    return pthread_rwlock_timedwrlock(&o->rwlock, &t);
}

static void check_lock(struct slot *s, locker *lock, bool is_rwlock)
{
    struct objects o;

    make_objects(s, &o);
    peer_begin(s, hold);
    await_holder(&o);
    if (expect_code(s, "the lock", lock(&o, LONG_NS), 0))
        (void)(is_rwlock ? pthread_rwlock_unlock(&o.rwlock)
                         : pthread_mutex_unlock(&o.mutex));
    peer_end(s);
}

static void check_lock_timeout(struct slot *s, locker *lock)
{
    struct objects o;
    int64_t start;

    make_objects(s, &o);
    o.is_set = 1;
    peer_begin(s, hold);
    await_holder(&o);
    start = now_ns();
    if (expect_code(s, "the lock", lock(&o, TIMEOUT_NS), ETIMEDOUT))
        expect_lasted(s, "the lock", start, TIMEOUT_NS - MS);
    s->is_acked = 1;
    peer_end(s);
}

static int lock_plainly(struct objects *o, int64_t ns)
{
    (void)ns;
    return pthread_mutex_lock(&o->mutex);
}

static void run_mutex(struct slot *s)
{
    check_lock(s, lock_plainly, false);
}

static void run_timedlock(struct slot *s)
{
    check_lock(s, lock_mutex, false);
}

static void run_clocklock(struct slot *s)
{
    check_lock(s, clock_lock_mutex, false);
}

static void run_rdlock(struct slot *s)
{
    check_lock(s, lock_read, true);
}

static void run_wrlock(struct slot *s)
{
    check_lock(s, lock_write, true);
}

static void run_mutex_timeout(struct slot *s)
{
    check_lock_timeout(s, draw(s, 2) ? lock_mutex : clock_lock_mutex);
}

static void run_rwlock_timeout(struct slot *s)
{
    check_lock_timeout(s, draw(s, 2) ? lock_read : lock_write);
}

static void set_cond(struct slot *s)
{
    struct objects *o = s->object;

    short_delay(s);
    (void)pthread_mutex_lock(&o->mutex);
    o->is_set = 1;
    (void)pthread_cond_broadcast(&o->cond);
    (void)pthread_mutex_unlock(&o->mutex);
}

static void check_cond(struct slot *s, bool is_timed)
{
    struct timespec t = after_ns(CLOCK_MONOTONIC, LONG_NS);
    struct objects o;

    make_objects(s, &o);
    (void)pthread_mutex_lock(&o.mutex);
    peer_begin(s, set_cond);
    while (!o.is_set)
        if (!expect_code(s, "the wait",
                         is_timed
                             ? pthread_cond_timedwait(&o.cond, &o.mutex, &t)
                             : pthread_cond_wait(&o.cond, &o.mutex),
                         0))
            break;
    (void)pthread_mutex_unlock(&o.mutex);
    peer_end(s);
}

static void run_cond_wait(struct slot *s)
{
    check_cond(s, false);
}

static void run_cond_timedwait(struct slot *s)
{
    check_cond(s, true);
}

/* POSIX permits spurious wake-ups; then the wait is repeated. */
static void run_cond_timeout(struct slot *s)
{
    int64_t start = now_ns();
    struct timespec t = after_ns(CLOCK_MONOTONIC, TIMEOUT_NS);
    struct objects o;
    int code;

    make_objects(s, &o);
    (void)pthread_mutex_lock(&o.mutex);
    do
        code = pthread_cond_timedwait(&o.cond, &o.mutex, &t);
    while (code == 0);
    (void)pthread_mutex_unlock(&o.mutex);
    (void)expect_code(s, "pthread_cond_timedwait", code, ETIMEDOUT);
    expect_lasted(s, "pthread_cond_timedwait", start, TIMEOUT_NS);
}

static void post_late(struct slot *s)
{
    struct objects *o = s->object;

    short_delay(s);
    (void)sem_post(&o->sem);
}

static int wait_sem(struct objects *o, int64_t ns)
{
    (void)ns;
    return sem_wait(&o->sem);
}

static int timed_wait_sem(struct objects *o, int64_t ns)
{
    struct timespec t = after_ns(CLOCK_REALTIME, ns);

    return sem_timedwait(&o->sem, &t);
}

static int clock_wait_sem(struct objects *o, int64_t ns)
{
    struct timespec t = after_ns(CLOCK_MONOTONIC, ns);

    return sem_clockwait(&o->sem, CLOCK_MONOTONIC, &t);
}

static void check_sem(struct slot *s, locker *wait)
{
    struct objects o;

    make_objects(s, &o);
    peer_begin(s, post_late);
    (void)expect(s, "the wait", wait(&o, LONG_NS), 0);
    peer_end(s);
}

static void run_sem_wait(struct slot *s)
{
    check_sem(s, wait_sem);
}

static void run_sem_timedwait(struct slot *s)
{
    check_sem(s, timed_wait_sem);
}

static void run_sem_clockwait(struct slot *s)
{
    check_sem(s, clock_wait_sem);
}

static void run_sem_timeout(struct slot *s)
{
    int64_t start = now_ns();
    struct objects o;
    locker *wait = draw(s, 2) ? timed_wait_sem : clock_wait_sem;

    make_objects(s, &o);
    if (expect_error(s, "the wait", wait(&o, TIMEOUT_NS), ETIMEDOUT))
        expect_lasted(s, "the wait", start, TIMEOUT_NS - MS);
}

static void meet(struct slot *s)
{
    struct objects *o = s->object;

    short_delay(s);
    (void)pthread_barrier_wait(&o->barrier);
}

static void run_barrier(struct slot *s)
{
    struct objects o;
    int code;

    make_objects(s, &o);
    peer_begin(s, meet);
    code = pthread_barrier_wait(&o.barrier);
    if (code != PTHREAD_BARRIER_SERIAL_THREAD)
        (void)expect_code(s, "pthread_barrier_wait", code, 0);
    peer_end(s);
    (void)pthread_barrier_destroy(&o.barrier);
}

static void *live_shortly(void *value)
{
    pause_ns(600000);
    return value;
}

static void check_join(struct slot *s, bool is_timed)
{
    struct timespec t = after_ns(CLOCK_REALTIME, LONG_NS);
    void *value = NULL;
    pthread_t thread;
    int code;

    must(pthread_create(&thread, NULL, live_shortly, s), "pthread_create");
    code = is_timed ? pthread_timedjoin_np(thread, &value, &t)
                    : pthread_join(thread, &value);
    if (expect_code(s, "the join", code, 0))
        (void)expect(s, "the thread's value", value == s, 1);
    else
        (void)pthread_join(thread, NULL);
}

static void run_join(struct slot *s)
{
    check_join(s, false);
}

static void run_timedjoin(struct slot *s)
{
    check_join(s, true);
}

const struct call pthread_calls[] = {
    { "mutex_lock", run_mutex, NULL, NULL, 0 },
    { "mutex_timedlock", run_timedlock, NULL, NULL, 0 },
    { "mutex_clocklock", run_clocklock, NULL, NULL, 0 },
    { "mutex-times-out", run_mutex_timeout, NULL, NULL, 0 },
    { "rwlock_timedrdlock", run_rdlock, NULL, NULL, 0 },
    { "rwlock_timedwrlock", run_wrlock, NULL, NULL, 0 },
    { "rwlock-times-out", run_rwlock_timeout, NULL, NULL, 0 },
    { "cond_wait", run_cond_wait, NULL, NULL, 0 },
    { "cond_timedwait", run_cond_timedwait, NULL, NULL, 0 },
    { "cond-times-out", run_cond_timeout, NULL, NULL, 0 },
    { "sem_wait", run_sem_wait, NULL, NULL, 0 },
    { "sem_timedwait", run_sem_timedwait, NULL, NULL, 0 },
    { "sem_clockwait", run_sem_clockwait, NULL, NULL, 0 },
    { "sem-times-out", run_sem_timeout, NULL, NULL, 0 },
    { "barrier_wait", run_barrier, NULL, NULL, 0 },
    { "pthread_join", run_join, NULL, NULL, 0 },
    { "pthread_timedjoin", run_timedjoin, NULL, NULL, 0 },
    { 0 },
};
