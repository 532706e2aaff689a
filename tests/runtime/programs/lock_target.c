/*
 * lock_target.c - known lock waits, for tests/cli/locks.
 *
 * Each mode makes one kind of contention and prints the expected profile:
 * "wait COUNT SHORTEST LONGEST", the times in nanoseconds of all waiters
 * together. The order does not depend on time: the holder waits until the
 * kernel shows that all waiters sleep, holds the lock for a while and unlocks.
 * That while is the shortest; the time that the waiters measure is the longest.
 * Waiters of a condition may also wait for its mutex and wake up several times,
 * so they count their waits.
 */
#include <cpprof.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 64
#define HOLD_NS 60000000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;
static mtx_t mtx;
static int n_waiters = 1, ends[2];
static _Atomic long waited_ns;
static long held_ns = 1;
static _Atomic int n_waited, n_conds;
static _Atomic int tids[MAX_THREADS];
static atomic_bool is_over;

static long now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void hold(long ns)
{
    struct timespec span = { 0, ns };

    while (nanosleep(&span, &span) != 0)
        ;
}

/* Waits until the kernel shows that the thread sleeps. */
static void await_sleep(_Atomic int *tid)
{
    char path[64], text[512];

    for (;;) {
        ssize_t n;
        int fd;
        const char *end;

        while (*tid == 0)
            (void)sched_yield();
        (void)snprintf(path, sizeof(path), "/proc/self/task/%d/stat", *tid);
        fd = open(path, O_RDONLY);
        n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
        if (fd >= 0)
            (void)close(fd);
        text[n > 0 ? n : 0] = '\0';
        end = strrchr(text, ')');
        if (end && end[2] == 'S')
            return;
        (void)sched_yield();
    }
}

/* The holder's work with the lock held: the minimal time of all waits. */
static void let_wait(void)
{
    long begin;

    for (int i = 0; i < n_waiters; i++)
        await_sleep(&tids[i]);
    begin = now_ns();
    hold(HOLD_NS);
    held_ns = now_ns() - begin;
}

/* The holder and the waiters of each kind of lock. */

__attribute__((noinline)) static void waiter_mutex(void)
{
    (void)pthread_mutex_lock(&mutex);
    (void)pthread_mutex_unlock(&mutex);
}

static void before_mutex(void)
{
    (void)pthread_mutex_lock(&mutex);
}

__attribute__((noinline)) static void holder_unlocks(void)
{
    let_wait();
    (void)pthread_mutex_unlock(&mutex);
}

/* The last unlock of a recursive lock releases it; only that one is charged. */
static void before_recursive(void)
{
    pthread_mutexattr_t attr;

    (void)pthread_mutexattr_init(&attr);
    (void)pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    (void)pthread_mutex_init(&mutex, &attr);
    (void)pthread_mutex_lock(&mutex);
    (void)pthread_mutex_lock(&mutex);
}

__attribute__((noinline)) static void unlock_inside(void)
{
    (void)pthread_mutex_unlock(&mutex);
    (void)pthread_mutex_lock(&mutex);
    (void)pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void holder_recurses(void)
{
    let_wait();
    unlock_inside();
    (void)pthread_mutex_unlock(&mutex);
}

static void before_read(void)
{
    (void)pthread_rwlock_wrlock(&rwlock);
}

__attribute__((noinline)) static void holder_writes(void)
{
    let_wait();
    (void)pthread_rwlock_unlock(&rwlock);
}

__attribute__((noinline)) static void waiter_reads(void)
{
    (void)pthread_rwlock_rdlock(&rwlock);
    (void)pthread_rwlock_unlock(&rwlock);
}

static void before_mtx(void)
{
    (void)mtx_init(&mtx, mtx_plain);
    (void)mtx_lock(&mtx);
}

__attribute__((noinline)) static void holder_mtx(void)
{
    let_wait();
    (void)mtx_unlock(&mtx);
}

__attribute__((noinline)) static void waiter_mtx(void)
{
    (void)mtx_lock(&mtx);
    (void)mtx_unlock(&mtx);
}

static void before_mtx_recursive(void)
{
    (void)mtx_init(&mtx, mtx_plain | mtx_recursive);
    (void)mtx_lock(&mtx);
    (void)mtx_lock(&mtx);
}

__attribute__((noinline)) static void holder_mtx_recurses(void)
{
    let_wait();
    (void)mtx_unlock(&mtx);
    (void)mtx_unlock(&mtx);
}

static void before_sem(void)
{
    (void)sem_init(&sem, 0, 1);
    (void)sem_wait(&sem); /* free: no wait */
}

__attribute__((noinline)) static void holder_sem(void)
{
    let_wait();
    for (int i = 0; i < n_waiters; i++)
        (void)sem_post(&sem);
}

__attribute__((noinline)) static void waiter_sem(void)
{
    (void)sem_wait(&sem);
}

static void before_spin(void)
{
    (void)pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    (void)pthread_spin_lock(&spin);
}

__attribute__((noinline)) static void holder_spin(void)
{
    for (int i = 0; i < n_waiters; i++)
        while (tids[i] == 0)
            (void)sched_yield();
    hold(HOLD_NS);
    (void)pthread_spin_unlock(&spin);
}

__attribute__((noinline)) static void waiter_spin(void)
{
    (void)pthread_spin_lock(&spin);
    (void)pthread_spin_unlock(&spin);
}

/* Each waiter announces its wait with the lock held, so that none is missed. */
__attribute__((noinline)) static void holder_cond(void)
{
    while (n_conds < n_waiters || pthread_mutex_trylock(&mutex) != 0)
        (void)sched_yield();
    (void)pthread_mutex_unlock(&mutex);
    let_wait();
    (void)pthread_mutex_lock(&mutex);
    is_over = true;
    (void)pthread_cond_broadcast(&condition);
    (void)pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void waiter_cond(void)
{
    (void)pthread_mutex_lock(&mutex);
    while (!is_over) {
        n_conds++;
        (void)pthread_cond_wait(&condition, &mutex);
    }
    (void)pthread_mutex_unlock(&mutex);
}

static int end_soon(void *tid)
{
    atomic_store((_Atomic int *)tid, (int)syscall(SYS_gettid));
    return 7;
}

static int end_late(void *unused)
{
    (void)unused;
    return sem_wait(&sem);
}

static void before_thrd(void)
{
    (void)sem_init(&sem, 0, 0);
}

/* Joining a thread that has ended, or an invalid join, is no wait. */
__attribute__((noinline)) static void waiter_thrd(void)
{
    _Atomic int tid = 0;
    int result = 0;
    thrd_t thread;

    (void)thrd_create(&thread, end_soon, (void *)&tid);
    while (tid == 0 || syscall(SYS_tgkill, getpid(), (int)tid, 0) == 0)
        (void)sched_yield();
    if (thrd_join(thread, &result) != thrd_success || result != 7 ||
        pthread_join(pthread_self(), NULL) != EDEADLK)
        exit(3);
    (void)thrd_create(&thread, end_late, NULL);
    (void)thrd_join(thread, NULL);
}

/* Calls that are recorded only with block_io. */

__attribute__((noinline)) static void waiter_sleep(void)
{
    hold(HOLD_NS);
}

static void before_pipe(void)
{
    if (pipe(ends) != 0)
        exit(3);
}

__attribute__((noinline)) static void holder_pipe(void)
{
    char bytes[MAX_THREADS] = { 0 };

    let_wait();
    if (write(ends[1], bytes, (size_t)n_waiters) != n_waiters)
        exit(3);
}

__attribute__((noinline)) static void waiter_pipe(void)
{
    char byte;

    if (read(ends[0], &byte, 1) != 1)
        exit(3);
}

/* The same with the functions that _FORTIFY_SOURCE calls. */
ssize_t __read_chk(int fd, void *bytes, size_t n, size_t room);

__attribute__((noinline)) static void waiter_checked(void)
{
    char byte;

    if (__read_chk(ends[0], &byte, 1, sizeof(byte)) != 1)
        exit(3);
}

static void nothing(void)
{
}

static const struct mode {
    const char *name;
    void (*before)(void), (*holder)(void), (*waiter)(void);
} modes[] = {
    { "mutex", before_mutex, holder_unlocks, waiter_mutex },
    { "recursive", before_recursive, holder_recurses, waiter_mutex },
    { "mtx_recursive", before_mtx_recursive, holder_mtx_recurses, waiter_mtx },
    { "rwlock", before_read, holder_writes, waiter_reads },
    { "mtx", before_mtx, holder_mtx, waiter_mtx },
    { "sem", before_sem, holder_sem, waiter_sem },
    { "spin", before_spin, holder_spin, waiter_spin },
    { "sleep", nothing, nothing, waiter_sleep },
    { "pipe", before_pipe, holder_pipe, waiter_pipe },
    { "checked", before_pipe, holder_pipe, waiter_checked },
    { "cond", nothing, holder_cond, waiter_cond },
    { "thrd", before_thrd, holder_sem, waiter_thrd },
};

static const struct mode *mode;

static void *run_waiter(void *arg)
{
    long begin;

    tids[(size_t)arg] = (int)syscall(SYS_gettid);
    begin = now_ns();
    mode->waiter();
    waited_ns += now_ns() - begin;
    n_waited++;
    return NULL;
}

static int save(const char *kind, const char *folder)
{
    struct cpprof_profile *p = cpprof_start(kind);
    char path[4096];
    int fd, failed;

    (void)snprintf(path, sizeof(path), "%s/%s-%s.pb.gz", folder, mode->name,
                   kind);
    fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    failed = !p || fd < 0 || cpprof_stop(p, fd) != 0;
    if (failed)
        (void)fprintf(stderr, "%s: %s\n", kind, cpprof_error());
    return failed;
}

int main(int argc, char **argv)
{
    pthread_t threads[MAX_THREADS];

    if (argc < 4)
        return 2;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (strcmp(modes[i].name, argv[1]) == 0)
            mode = &modes[i];
    n_waiters = atoi(argv[2]);
    if (!mode || n_waiters < 1 || n_waiters > MAX_THREADS)
        return 2;
    if (cpprof_set_block_rate(1) != 0 || cpprof_set_mutex_fraction(1) != 0) {
        (void)fprintf(stderr, "%s\n", cpprof_error());
        return 1;
    }
    mode->before();
    for (int i = 0; i < n_waiters; i++)
        (void)pthread_create(&threads[i], NULL, run_waiter, (void *)(size_t)i);
    mode->holder();
    while (n_waited < n_waiters)
        (void)sched_yield();
    if (cpprof_set_block_rate(0) != 0 || cpprof_set_mutex_fraction(0) != 0)
        return 1;
    for (int i = 0; i < n_waiters; i++)
        (void)pthread_join(threads[i], NULL);
    (void)printf("wait %d %ld %ld\n", n_conds ? n_conds : n_waiters,
                 n_waiters * held_ns, (long)waited_ns);
    return save("block", argv[3]) | save("mutex", argv[3]);
}
