/*
 * lock_semantics.c - the results of every synchronization call, for
 * tests/cli/locks.
 *
 * Prints one line per call: its result or error number, also after the death of
 * an owner, the cancellation of a waiter and a fork. The output does not depend
 * on time; the test compares a run with the library and one without.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define SAY(call) (void)printf("%s: %s = %d\n", topic, #call, (call))

static const char *topic;
static const struct timespec past = { 1, 0 }, bad = { 1, 1000000000 };

/* Runs a function in a new thread and joins it. */
static void elsewhere(void *(*run)(void *), void *arg)
{
    pthread_t t;

    if (pthread_create(&t, NULL, run, arg) != 0 || pthread_join(t, NULL) != 0)
        abort();
}

/* Mutexes, of all types and protocols. */

static void *other_mutex(void *arg)
{
    pthread_mutex_t *m = arg;

    SAY(pthread_mutex_trylock(m));
    SAY(pthread_mutex_timedlock(m, &past));
    SAY(pthread_mutex_timedlock(m, &bad));
    SAY(pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &past));
    SAY(pthread_mutex_clocklock(m, CLOCK_PROCESS_CPUTIME_ID, &past));
    return NULL;
}

static void *other_unlocks(void *arg)
{
    SAY(pthread_mutex_unlock(arg));
    return NULL;
}

static void ask_mutex(const char *name, int type, int protocol, int shared)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t m;

    topic = name;
    (void)pthread_mutexattr_init(&attr);
    (void)pthread_mutexattr_settype(&attr, type);
    (void)pthread_mutexattr_setprotocol(&attr, protocol);
    (void)pthread_mutexattr_setpshared(&attr, shared);
    SAY(pthread_mutex_init(&m, &attr));
    SAY(pthread_mutex_lock(&m));
    elsewhere(other_mutex, &m);
    if (type != PTHREAD_MUTEX_NORMAL) {
        SAY(pthread_mutex_lock(&m));
        SAY(pthread_mutex_timedlock(&m, &past));
        SAY(pthread_mutex_unlock(&m));
        elsewhere(other_unlocks, &m);
    }
    SAY(pthread_mutex_unlock(&m));
    if (type == PTHREAD_MUTEX_ERRORCHECK)
        SAY(pthread_mutex_unlock(&m));
    SAY(pthread_mutex_timedlock(&m, &bad));
    SAY(pthread_mutex_unlock(&m));
}

/* Fields of the mutex that debuggers and some programs read. */
static void *show_owner(void *unused)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

    SAY(pthread_mutex_lock(&m));
    SAY(m.__data.__owner == gettid());
    SAY((int)m.__data.__nusers);
    SAY(pthread_mutex_unlock(&m));
    SAY(m.__data.__owner);
    SAY((int)m.__data.__nusers);
    return unused;
}

static void ask_owner(void)
{
    pid_t child;

    topic = "owner";
    (void)show_owner(NULL);
    topic = "owner, in a thread";
    elsewhere(show_owner, NULL);
    topic = "owner, in a child";
    (void)fflush(stdout);
    child = fork();
    if (child == 0) {
        (void)show_owner(NULL);
        elsewhere(show_owner, NULL);
        (void)fflush(stdout);
        _exit(0);
    }
    SAY(waitpid(child, NULL, 0) == child);
}

static void *die_with(void *arg)
{
    SAY(pthread_mutex_lock(arg));
    return NULL;
}

static void ask_robust(const char *name, int protocol)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t m;

    topic = name;
    (void)pthread_mutexattr_init(&attr);
    (void)pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    (void)pthread_mutexattr_setprotocol(&attr, protocol);
    SAY(pthread_mutex_init(&m, &attr));
    elsewhere(die_with, &m);
    SAY(pthread_mutex_lock(&m));
    SAY(pthread_mutex_consistent(&m));
    elsewhere(other_mutex, &m);
    SAY(pthread_mutex_unlock(&m));
    elsewhere(die_with, &m);
    SAY(pthread_mutex_timedlock(&m, &past));
    SAY(pthread_mutex_unlock(&m)); /* not made consistent */
    SAY(pthread_mutex_lock(&m));
    SAY(pthread_mutex_trylock(&m));
}

/* A waiter gets EOWNERDEAD when the owner dies. */
struct pair {
    pthread_mutex_t m;
    pthread_barrier_t both;
};

static void *hold_and_die(void *arg)
{
    struct pair *p = arg;

    (void)pthread_mutex_lock(&p->m);
    (void)pthread_barrier_wait(&p->both);
    return NULL;
}

static void ask_death(void)
{
    pthread_mutexattr_t attr;
    struct pair p;
    pthread_t t;

    topic = "waiting for one who dies";
    (void)pthread_mutexattr_init(&attr);
    (void)pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    (void)pthread_mutex_init(&p.m, &attr);
    (void)pthread_barrier_init(&p.both, NULL, 2);
    (void)pthread_create(&t, NULL, hold_and_die, &p);
    (void)pthread_barrier_wait(&p.both);
    SAY(pthread_mutex_lock(&p.m));
    SAY(pthread_join(t, NULL));
}

/* Read-write locks. */

static void *other_rwlock(void *arg)
{
    pthread_rwlock_t *l = arg;

    SAY(pthread_rwlock_tryrdlock(l));
    SAY(pthread_rwlock_trywrlock(l));
    SAY(pthread_rwlock_timedwrlock(l, &past));
    SAY(pthread_rwlock_timedwrlock(l, &bad));
    SAY(pthread_rwlock_clockwrlock(l, CLOCK_MONOTONIC, &past));
    SAY(pthread_rwlock_clockwrlock(l, CLOCK_PROCESS_CPUTIME_ID, &past));
    return NULL;
}

static void *other_reader(void *arg)
{
    pthread_rwlock_t *l = arg;

    SAY(pthread_rwlock_timedrdlock(l, &past));
    SAY(pthread_rwlock_timedrdlock(l, &bad));
    SAY(pthread_rwlock_clockrdlock(l, CLOCK_MONOTONIC, &past));
    return NULL;
}

static const struct timespec
    *volatile no_time; /* POSIX forbids it, but it works */

static void ask_rwlock(const char *name, int kind)
{
    pthread_rwlockattr_t attr;
    pthread_rwlock_t l;

    topic = name;
    (void)pthread_rwlockattr_init(&attr);
    (void)pthread_rwlockattr_setkind_np(&attr, kind);
    SAY(pthread_rwlock_init(&l, &attr));
    SAY(pthread_rwlock_wrlock(&l));
    SAY(pthread_rwlock_rdlock(&l));
    SAY(pthread_rwlock_wrlock(&l));
    elsewhere(other_rwlock, &l);
    elsewhere(other_reader, &l);
    SAY(pthread_rwlock_unlock(&l));
    SAY(pthread_rwlock_rdlock(&l));
    SAY(pthread_rwlock_rdlock(&l));
    SAY(pthread_rwlock_unlock(&l));
    elsewhere(other_rwlock, &l);
    SAY(pthread_rwlock_unlock(&l)); /* other_rwlock's */
    SAY(pthread_rwlock_unlock(&l));
    SAY(pthread_rwlock_timedrdlock(&l, &bad));
    SAY(pthread_rwlock_timedwrlock(&l, &past));
    SAY(pthread_rwlock_unlock(&l));
    SAY(pthread_rwlock_timedwrlock(&l, no_time));
    SAY(pthread_rwlock_unlock(&l));
}

/* C11's, spin locks, semaphores. */

static void *other_mtx(void *arg)
{
    mtx_t *m = arg;

    SAY(mtx_trylock(m));
    SAY(mtx_timedlock(m, &past));
    return NULL;
}

static void ask_mtx(const char *name, int type)
{
    mtx_t m;

    topic = name;
    SAY(mtx_init(&m, type));
    SAY(mtx_lock(&m));
    if (type & mtx_recursive) {
        SAY(mtx_lock(&m));
        SAY(mtx_timedlock(&m, &past));
        SAY(mtx_unlock(&m));
        SAY(mtx_unlock(&m));
    }
    elsewhere(other_mtx, &m);
    SAY(mtx_unlock(&m));
}

static void ask_spin(void)
{
    pthread_spinlock_t l;

    topic = "spin lock";
    SAY(pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE));
    SAY(pthread_spin_lock(&l));
    SAY(pthread_spin_trylock(&l));
    SAY(pthread_spin_unlock(&l));
    SAY(pthread_spin_trylock(&l));
    SAY(pthread_spin_unlock(&l));
}

#define SAY_ERRNO(call)                                                        \
    do {                                                                       \
        int result;                                                            \
                                                                               \
        errno = 0;                                                             \
        result = (call);                                                       \
        (void)printf("%s: %s = %d, errno %d\n", topic, #call, result, errno);  \
    } while (0)

static void ask_sem(void)
{
    sem_t s;

    topic = "semaphore";
    SAY(sem_init(&s, 0, 3));
    SAY_ERRNO(sem_wait(&s));
    SAY_ERRNO(sem_timedwait(&s, &past));
    SAY_ERRNO(sem_timedwait(&s, &bad));
    SAY_ERRNO(sem_clockwait(&s, CLOCK_MONOTONIC, &past));
    SAY_ERRNO(sem_trywait(&s));
    SAY_ERRNO(sem_timedwait(&s, &past));
    SAY_ERRNO(sem_clockwait(&s, CLOCK_MONOTONIC, &past));
    SAY_ERRNO(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &past));
}

/* Conditions, barriers, joins. */

static void ask_cond(void)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t m;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;

    topic = "condition";
    (void)pthread_mutexattr_init(&attr);
    (void)pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    (void)pthread_mutex_init(&m, &attr);
    SAY(pthread_cond_timedwait(&c, &m, &past)); /* the mutex is not held */
    SAY(pthread_mutex_lock(&m));
    SAY(pthread_cond_timedwait(&c, &m, &past));
    SAY(pthread_cond_timedwait(&c, &m, &bad));
    SAY(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past));
    SAY(pthread_mutex_unlock(&m)); /* the wait has locked it again */
}

static void ask_cnd(void)
{
    mtx_t m;
    cnd_t c;

    topic = "cnd";
    SAY(mtx_init(&m, mtx_plain));
    SAY(cnd_init(&c));
    SAY(mtx_lock(&m));
    SAY(cnd_timedwait(&c, &m, &past));
    SAY(mtx_unlock(&m));
}

static void *at_barrier(void *arg)
{
    int result = pthread_barrier_wait(arg);

    return (void *)(size_t)(result == PTHREAD_BARRIER_SERIAL_THREAD);
}

static void ask_barrier(void)
{
    pthread_barrier_t b;
    pthread_t t[3];
    size_t n_serial = 0;

    topic = "barrier";
    (void)pthread_barrier_init(&b, NULL, 4);
    for (int i = 0; i < 3; i++)
        (void)pthread_create(&t[i], NULL, at_barrier, &b);
    n_serial += (size_t)at_barrier(&b);
    for (int i = 0; i < 3; i++) {
        void *result;

        SAY(pthread_join(t[i], &result));
        n_serial += (size_t)result;
    }
    (void)printf("%s: %zu of 4 are told apart\n", topic, n_serial);
}

static void *await_sem(void *arg)
{
    while (sem_wait(arg) != 0)
        ;
    return arg;
}

static _Atomic int ended_tid;

static void *say_tid(void *unused)
{
    ended_tid = (int)syscall(SYS_gettid);
    return unused;
}

static int thrd_answers(void *arg)
{
    (void)arg;
    return 42;
}

/* An invalid clock is refused even if the wait would not block. */
static void ask_join_of_ended(void)
{
    pthread_t t;

    topic = "join of one that has ended";
    (void)pthread_create(&t, NULL, say_tid, NULL);
    while (ended_tid == 0 || syscall(SYS_tgkill, getpid(), ended_tid, 0) == 0)
        (void)sched_yield();
    SAY(pthread_clockjoin_np(t, NULL, CLOCK_PROCESS_CPUTIME_ID, &past));
    SAY(pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &bad));
}

static void ask_join(void)
{
    pthread_t t;
    thrd_t c11;
    sem_t s;
    void *result;
    int answer = 0;

    topic = "join";
    (void)sem_init(&s, 0, 0);
    SAY(pthread_join(pthread_self(), NULL));
    (void)pthread_create(&t, NULL, await_sem, &s);
    SAY(pthread_tryjoin_np(t, &result));
    SAY(pthread_timedjoin_np(t, &result, &past));
    SAY(pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, &past));
    (void)sem_post(&s);
    SAY(pthread_join(t, &result));
    (void)printf("%s: gave %s\n", topic, result == &s ? "its own" : "nothing");
    ask_join_of_ended();
    (void)thrd_create(&c11, thrd_answers, NULL);
    SAY(thrd_join(c11, &answer));
    (void)printf("%s: thrd %d\n", topic, answer);
}

/* Cancellation. */

static pthread_mutex_t cancel_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cancel_cond = PTHREAD_COND_INITIALIZER;
static sem_t cancel_sem, is_there;

static int cleaned_up;

static void clean_up(void *arg)
{
    cleaned_up =
        1 + pthread_mutex_unlock(arg); /* the wait has locked it again */
}

static void *in_cond(void *arg)
{
    (void)arg;
    (void)pthread_mutex_lock(&cancel_mutex);
    pthread_cleanup_push(clean_up, &cancel_mutex);
    (void)sem_post(&is_there);
    for (;;)
        (void)pthread_cond_wait(&cancel_cond, &cancel_mutex);
    pthread_cleanup_pop(1);
    return NULL;
}

static void *in_sem(void *arg)
{
    (void)arg;
    (void)sem_post(&is_there);
    (void)sem_wait(&cancel_sem);
    return NULL;
}

/* With a pending cancellation, sem_wait of a free semaphore ends the thread. */
static void *in_free_sem(void *arg)
{
    sem_t s;

    (void)arg;
    (void)sem_init(&s, 0, 1);
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    (void)sem_post(&is_there);
    while (sem_wait(&cancel_sem) != 0)
        ;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    (void)sem_wait(&s);
    return NULL;
}

static void ask_cancel(const char *name, void *(*run)(void *), bool posts)
{
    pthread_t t;
    void *result;

    topic = name;
    (void)sem_init(&cancel_sem, 0, 0);
    (void)sem_init(&is_there, 0, 0);
    (void)pthread_create(&t, NULL, run, NULL);
    (void)sem_wait(&is_there);
    SAY(pthread_cancel(t));
    if (posts)
        (void)sem_post(&cancel_sem);
    SAY(pthread_join(t, &result));
    (void)printf("%s: clean-up %d, %s\n", topic, cleaned_up,
                 result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
}

/* Between processes: a mutex in shared memory, whose owner is killed. */
static void ask_fork(void)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t *m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0, ends[2];
    char byte = 0;
    pid_t pid;

    topic = "fork";
    (void)pthread_mutexattr_init(&attr);
    (void)pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    (void)pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    SAY(pthread_mutex_init(m, &attr));
    SAY(pthread_mutex_lock(m));
    (void)fflush(stdout);
    if (pipe(ends) != 0)
        abort();
    pid = fork();
    if (pid == 0) {
        int first = pthread_mutex_timedlock(m, &past);

        if (write(ends[1], &byte, 1) != 1)
            _exit(9);
        _exit(first == ETIMEDOUT && pthread_mutex_lock(m) == 0 ? 7 : 8);
    }
    if (read(ends[0], &byte, 1) != 1)
        abort();
    SAY(pthread_mutex_unlock(m));
    (void)waitpid(pid, &status, 0);
    (void)printf("%s: the child ended with %d\n", topic, WEXITSTATUS(status));
    SAY(pthread_mutex_lock(m));
    SAY(pthread_mutex_consistent(m));
    SAY(pthread_mutex_unlock(m));
}

/* _Fork runs no atfork handler: checks the owner of a mutex in the child. */
static void ask_Fork(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    int status = 0;
    pid_t pid;

    topic = "_Fork";
    SAY(pthread_mutex_lock(&m));
    SAY(pthread_mutex_unlock(&m));
    pid = _Fork();
    if (pid == 0)
        _exit(pthread_mutex_lock(&m) == 0 && m.__data.__owner == gettid() ? 7
                                                                          : 8);
    (void)waitpid(pid, &status, 0);
    (void)printf("%s: the child ended with %d\n", topic, WEXITSTATUS(status));
}

static void ask_mutexes(void)
{
    static const struct {
        const char *name;
        int type;
    } types[] = { { "normal", PTHREAD_MUTEX_NORMAL },
                  { "recursive", PTHREAD_MUTEX_RECURSIVE },
                  { "error check", PTHREAD_MUTEX_ERRORCHECK } };
    char name[64];

    for (size_t i = 0; i < 3; i++) {
        ask_mutex(types[i].name, types[i].type, PTHREAD_PRIO_NONE,
                  PTHREAD_PROCESS_PRIVATE);
        (void)snprintf(name, sizeof(name), "%s, shared", types[i].name);
        ask_mutex(name, types[i].type, PTHREAD_PRIO_NONE,
                  PTHREAD_PROCESS_SHARED);
        (void)snprintf(name, sizeof(name), "%s, inherits", types[i].name);
        ask_mutex(name, types[i].type, PTHREAD_PRIO_INHERIT,
                  PTHREAD_PROCESS_PRIVATE);
    }
}

/* Runs after the main thread has exited. */
static void *end_last(void *main_thread)
{
    topic = "the last thread";
    SAY(pthread_join(*(pthread_t *)main_thread, NULL));
    return NULL;
}

static void say_end(void)
{
    (void)printf("the process ends\n");
}

/* The process ends with its last thread, which is not the main thread. */
static _Noreturn void end_main(void)
{
    static pthread_t self;
    pthread_t other;

    self = pthread_self();
    (void)atexit(say_end);
    (void)pthread_create(&other, NULL, end_last, &self);
    (void)pthread_detach(other);
    pthread_exit(NULL);
}

/* With an argument: prints a line and waits for input before it starts. */
static void await_begin(void)
{
    char byte;

    (void)printf("\n");
    (void)fflush(stdout);
    (void)read(STDIN_FILENO, &byte, 1);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        await_begin();
    ask_mutexes();
    ask_owner();
    ask_robust("robust", PTHREAD_PRIO_NONE);
    ask_robust("robust, inherits", PTHREAD_PRIO_INHERIT);
    ask_death();
    ask_rwlock("rwlock", PTHREAD_RWLOCK_PREFER_READER_NP);
    ask_rwlock("rwlock for writers",
               PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    ask_mtx("mtx", mtx_timed);
    ask_mtx("mtx, recursive", mtx_timed | mtx_recursive);
    ask_spin();
    ask_sem();
    ask_cond();
    ask_cnd();
    ask_barrier();
    ask_join();
    ask_cancel("cancelled in cond_wait", in_cond, false);
    ask_cancel("cancelled in sem_wait", in_sem, false);
    ask_cancel("cancelled before sem_wait", in_free_sem, true);
    ask_fork();
    ask_Fork();
    end_main();
}
