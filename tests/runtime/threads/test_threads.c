/* test_threads - the list of threads, and sleeping ones walked from outside. */
#include "runtime/os/clock.h"
#include "runtime/os/timer.h"
#include "runtime/stacks/sleeping_stack.h"
#include "runtime/threads/internal_thread.h"
#include "runtime/threads/thread_state.h"
#include "runtime/threads/thread_timer.h"
#include "runtime/threads/threads.h"
#include "signal/signals/handler.h"
#include "signal/tables/thread.h"
#include "signal/unwinder/arch.h"
#include "unwind/objects.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "keep.h"

static const struct cp_stack_bounds unknown;

struct sleeper {
    sem_t is_ready, may_go;
    _Atomic int tid;
    bool registers, unregisters, is_internal;
};

static KEEP void sleep_here(struct sleeper *s)
{
    while (sem_wait(&s->may_go) != 0)
        ;
}

static void *live(void *arg)
{
    struct sleeper *s = arg;

    atomic_store(&s->tid, gettid());
    if (s->registers)
        CHECK(cp_threads_register(unknown, 0) != NULL);
    if (s->is_internal)
        cp_threads_mark_internal();
    (void)sem_post(&s->is_ready);
    sleep_here(s);
    if (s->unregisters)
        cp_threads_unregister();
    if (s->is_internal)
        cp_threads_unmark_internal();
    return NULL;
}

static pthread_t start(struct sleeper *s)
{
    pthread_t thread;

    (void)sem_init(&s->is_ready, 0, 0);
    (void)sem_init(&s->may_go, 0, 0);
    CHECK(pthread_create(&thread, NULL, live, s) == 0);
    while (sem_wait(&s->is_ready) != 0)
        ;
    return thread;
}

static void end(struct sleeper *s, pthread_t thread)
{
    (void)sem_post(&s->may_go);
    CHECK(pthread_join(thread, NULL) == 0);
}

static size_t n_threads(void)
{
    struct cp_threads_stats stats;

    cp_threads_stats(&stats);
    return stats.n_threads;
}

static void test_register_and_unregister(void)
{
    struct sleeper s = { .registers = true, .unregisters = true };
    size_t before = n_threads();
    pthread_t thread = start(&s);

    CHECK_INT(n_threads(), before + 1);
    end(&s, thread);
    CHECK_INT(n_threads(), before);
}

static void test_scan(void)
{
    struct sleeper found = { 0 }, own = { .is_internal = true };
    pthread_t a = start(&found), b = start(&own);
    struct cp_error err;

    CHECK(cp_threads_scan(&err) == CP_OK);
    CHECK_INT(n_threads(), 2); /* this one and `found` */
    CHECK(cp_threads_scan(&err) == CP_OK);
    CHECK_INT(n_threads(), 2);
    end(&found, a);
    end(&own, b);
}

/* Freed records are reused. */
static void test_many(void)
{
    enum { N = 300 };
    static struct sleeper s[N];
    pthread_t threads[N];

    for (int repeat = 0; repeat < 2; repeat++) {
        size_t before = n_threads();

        for (int i = 0; i < N; i++) {
            s[i] = (struct sleeper){ .registers = true, .unregisters = true };
            threads[i] = start(&s[i]);
        }
        CHECK_INT(n_threads(), before + N);
        for (int i = 0; i < N; i++)
            end(&s[i], threads[i]);
        CHECK_INT(n_threads(), before);
    }
    CHECK(cp_threads_count_records() <= N + 8);
}

static void count(void *n)
{
    atomic_fetch_add((_Atomic int *)n, 1);
}

/* Own threads start and exit with every recording; they are not counted. */
static void test_own_threads(void)
{
    struct cp_threads_stats stats;
    struct cp_error err;
    _Atomic int n = 0;

    for (int i = 0; i < 100; i++) {
        CHECK(cp_internal_thread_start("own", count, (void *)&n, &err) ==
              CP_OK);
        do
            cp_threads_stats(&stats);
        while (atomic_load(&n) <= i || stats.n_internal > 0);
    }
    CHECK_INT(atomic_load(&n), 100);
    CHECK(cp_threads_internal_cpu_ns() > 0);
}

/*
 * An own thread that exits at the worst moment: while cp_threads_is_single
 * counts threads. It either waits for the lock or has exited.
 */
static struct {
    _Atomic int tid;
    _Atomic bool is_armed, may_end;
} ending;

static void end_when_allowed(void *unused)
{
    (void)unused;
    atomic_store(&ending.tid, gettid());
    while (!atomic_load(&ending.may_end))
        (void)sched_yield(); /* state R until then */
}

/* The state letter of a thread; 0 if it has exited. */
static int state_of(int tid)
{
    char path[64], text[256] = "";
    const char *after;
    FILE *file;

    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
    file = fopen(path, "r");
    if (file && !fgets(text, sizeof(text), file))
        text[0] = '\0';
    if (file)
        (void)fclose(file);
    after = strrchr(text, ')');
    return after ? after[2] : 0;
}

int __real_stat64(const char *path, struct stat64 *out);
int __wrap_stat64(const char *path, struct stat64 *out);

int __wrap_stat64(const char *path, struct stat64 *out)
{
    if (atomic_exchange(&ending.is_armed, false)) {
        int state = 'R';

        atomic_store(&ending.may_end, true);
        while (state && state != 'S')
            state = state_of(atomic_load(&ending.tid));
    }
    return __real_stat64(path, out);
}

/* A thread of the program is not mistaken for an own thread that exits. */
static void test_single(void)
{
    struct cp_threads_stats stats;
    struct sleeper s = { 0 };
    pthread_t thread = start(&s);
    struct cp_error err;

    CHECK(!cp_threads_is_single());
    CHECK(cp_internal_thread_start("own", end_when_allowed, NULL, &err) ==
          CP_OK);
    do
        cp_threads_stats(&stats);
    while (stats.n_internal == 0 || atomic_load(&ending.tid) == 0);
    atomic_store(&ending.is_armed, true);
    CHECK(!cp_threads_is_single());
    CHECK(atomic_load(&ending.may_end)); /* the wrapper has run */
    end(&s, thread);
    while (!cp_threads_is_single())
        (void)sched_yield();
}

static bool has_function(const uintptr_t *frames, size_t n, uintptr_t function)
{
    for (size_t i = 0; i < n; i++)
        if (frames[i] >= function && frames[i] < function + 256)
            return true;
    return false;
}

/* Walks as soon as the kernel reports the thread as asleep. */
static void test_sleeping_stack(void)
{
    static struct cp_sleeping_stack l;
    struct sleeper s = { 0 };
    pthread_t thread = start(&s);
    enum cp_sleep_result result = CP_SLEEP_RUNNING;

    while (result == CP_SLEEP_RUNNING)
        result = cp_sleeping_stack_walk(&l, atomic_load(&s.tid));
    CHECK_INT(result, CP_SLEEP_WALKED);
    CHECK(has_function(l.frames, l.n, (uintptr_t)sleep_here));
    CHECK(has_function(l.frames, l.n, (uintptr_t)live));
    end(&s, thread);
    CHECK_INT(cp_sleeping_stack_walk(&l, 1 << 30), CP_SLEEP_EXITED);
}

struct life {
    bool stops_timer;             /* before it unregisters */
    uint64_t first_ns;            /* when the first sample is due */
    uint64_t before_ns, after_ns; /* its CPU clock around the exit */
};

static void *run_1_ms(void *arg)
{
    struct life *l = arg;
    const struct cp_signal_thread *t =
        cp_threads_register(unknown, (uintptr_t)run_1_ms);

    CHECK(t != NULL);
    l->first_ns = t ? t->cpu.first_ns : 0;
    while (cp_clock_ns(CLOCK_THREAD_CPUTIME_ID) < 1000000)
        ;
    l->before_ns = (uint64_t)cp_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (l->stops_timer) {
        cp_threads_stop_own_timer();
        CHECK(t && t->cpu.timer_id == CP_NO_TIMER &&
              !atomic_load(&t->perf.event));
        CHECK_INT(atomic_load(&t->tid), gettid()); /* still registered */
    }
    cp_threads_unregister();
    l->after_ns = (uint64_t)cp_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

/* A new thread continues the period of the one that has exited. */
static void test_period_continues(void)
{
    enum { N = 8, PERIOD = 1000000000 };
    struct life lives[N];

    cp_handler_state.cookie =
        1; /* the handler accepts only signals with this cookie */
    cp_threads_set_period(PERIOD);
    for (int i = 0; i < N; i++) {
        pthread_t thread;

        lives[i].stops_timer = i % 2;
        CHECK(pthread_create(&thread, NULL, run_1_ms, &lives[i]) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK(lives[i].first_ns > 0 && lives[i].first_ns <= PERIOD);
    }
    cp_threads_set_period(0);
    for (int i = 1; i < N; i++) {
        const struct life *l = &lives[i - 1];
        uint64_t next = lives[i].first_ns;

        if (l->first_ns < l->after_ns) /* it was sampled */
            continue;
        CHECK(next <= l->first_ns - l->before_ns);
        CHECK(next >= l->first_ns - l->after_ns);
    }
}

struct spinner {
    struct cp_signal_regs here;
    _Atomic bool is_ready, may_go;
};

static KEEP void spin_here(struct spinner *s)
{
    cp_arch_current_regs(&s->here);
    atomic_store(&s->is_ready, true);
    while (!atomic_load(&s->may_go))
        ;
}

static void *spin(void *arg)
{
    spin_here(arg);
    return NULL;
}

/* The thread runs, but the function of the registers has not returned. */
static void test_walk_from(void)
{
    static struct cp_sleeping_stack l;
    struct spinner s = { 0 };
    pthread_t thread;

    CHECK(!cp_sleeping_stack_walk_from(&l, &s.here));
    CHECK(pthread_create(&thread, NULL, spin, &s) == 0);
    while (!atomic_load(&s.is_ready))
        ;
    CHECK(cp_sleeping_stack_walk_from(&l, &s.here));
    CHECK(has_function(l.frames, 1, (uintptr_t)spin_here));
    CHECK(has_function(l.frames, l.n, (uintptr_t)spin));
    atomic_store(&s.may_go, true);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void test_random(void)
{
    uint64_t low = 0, high = 0;

    for (int i = 0; i < 10000; i++) {
        uint64_t x = cp_timer_random(1000);

        CHECK(x >= 1 && x <= 1000);
        low += x <= 500;
        high += x > 500;
    }
    CHECK(low > 4500 && high > 4500); /* ten standard deviations */
}

/* Names of system calls by number. */
static void test_call_names(void)
{
    static const struct {
        long number;
        const char *name;
    } cases[] = { { SYS_futex, "futex" },   { SYS_restart_syscall, "restart" },
                  { SYS_clone, "fork" },    { SYS_semop, "semop" },
                  { SYS_recvmmsg, "recv" }, { 9999, "syscall 9999" } };
    struct sleeper s = { 0 };
    pthread_t thread = start(&s);
    struct cp_thread_state state;

    do {
        (void)sched_yield();
        CHECK(cp_thread_state_read(s.tid, "", 0, &state));
    } while (state.letter != 'S');
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];

        (void)snprintf(text, sizeof(text), "%ld 0x1 0x2", cases[i].number);
        CHECK(cp_thread_state_read(s.tid, text, 0, &state));
        CHECK_STR(state.wait, cases[i].name);
    }
    end(&s, thread);
}

int main(void)
{
    struct cp_error err = { 0 };
    struct cp_objects *objects = cp_objects_new((size_t)64 << 20, &err);

    CHECK(objects && cp_objects_refresh(objects, true, &err) == CP_OK);
    RUN(test_register_and_unregister);
    RUN(test_scan);
    RUN(test_many);
    RUN(test_own_threads);
    RUN(test_single);
    RUN(test_sleeping_stack);
    RUN(test_period_continues);
    RUN(test_walk_from);
    RUN(test_random);
    RUN(test_call_names);
    cp_objects_free(objects);
    return check_failures != 0;
}
