/* test_threads - the list of threads, and sleeping ones walked from outside. */
#include "base/error.h"
#include "runtime/os/clock.h"
#include "runtime/os/timer.h"
#include "runtime/stacks/sleeping_stack.h"
#include "runtime/threads/own_thread.h"
#include "runtime/threads/thread_state.h"
#include "runtime/threads/thread_timer.h"
#include "runtime/threads/threads.h"
#include "signal/signals/handler.h"
#include "signal/tables/thread.h"
#include "signal/unwinder/arch.h"
#include "signal/unwinder/regs.h"
#include "unwind/objects.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "keep.h"

static const struct cp_stack_bounds unknown;

struct sleeper {
    sem_t is_ready, may_go;
    _Atomic int tid;
    bool enters, leaves, hides;
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
    if (s->enters)
        CHECK(cp_threads_register(unknown, 0) != NULL);
    if (s->hides)
        cp_threads_mark_internal();
    (void)sem_post(&s->is_ready);
    sleep_here(s);
    if (s->leaves)
        cp_threads_unregister();
    if (s->hides)
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

static void test_enter_and_leave(void)
{
    struct sleeper s = { .enters = true, .leaves = true };
    size_t before = n_threads();
    pthread_t thread = start(&s);

    CHECK_INT(n_threads(), before + 1);
    end(&s, thread);
    CHECK_INT(n_threads(), before);
}

static void test_scan(void)
{
    struct sleeper stranger = { 0 }, own = { .hides = true };
    pthread_t a = start(&stranger), b = start(&own);
    struct cp_error err;

    CHECK(cp_threads_scan(&err) == CP_OK);
    CHECK_INT(n_threads(), 2); /* this one and the stranger */
    CHECK(cp_threads_scan(&err) == CP_OK);
    CHECK_INT(n_threads(), 2);
    end(&stranger, a);
    end(&own, b);
}

/* Many at once get records of their own, which are used again. */
static void test_many(void)
{
    enum { N = 300 };
    static struct sleeper s[N];
    pthread_t threads[N];

    for (int round = 0; round < 2; round++) {
        size_t before = n_threads();

        for (int i = 0; i < N; i++) {
            s[i] = (struct sleeper){ .enters = true, .leaves = true };
            threads[i] = start(&s[i]);
        }
        CHECK_INT(n_threads(), before + N);
        for (int i = 0; i < N; i++)
            end(&s[i], threads[i]);
        CHECK_INT(n_threads(), before);
    }
    CHECK(cp_threads_count_records() <= N + 8);
}

static void note(void *n)
{
    atomic_fetch_add((_Atomic int *)n, 1);
}

/* Own threads come and go with every window, and are none of the program's. */
static void test_own(void)
{
    struct cp_threads_stats stats;
    struct cp_error err;
    _Atomic int n = 0;

    for (int i = 0; i < 100; i++) {
        CHECK(cp_own_thread_start("own", note, (void *)&n, &err) == CP_OK);
        do
            cp_threads_stats(&stats);
        while (atomic_load(&n) <= i || stats.n_internal > 0);
    }
    CHECK_INT(atomic_load(&n), 100);
    CHECK(cp_threads_internal_cpu_ns() > 0);
}

/*
 * A thread of ours that is told to end at the worst of times: while it is asked
 * whether there are others than ours. Either it waits for that to be over, or
 * it ends meanwhile.
 */
static struct {
    _Atomic int tid;
    _Atomic bool is_told, may_end;
} ending;

static void end_when_told(void *unused)
{
    (void)unused;
    atomic_store(&ending.tid, gettid());
    while (!atomic_load(&ending.may_end))
        (void)sched_yield(); /* it does not sleep before that */
}

/* 'S': it waits; 'R', 'D': not yet; 0: it has ended. */
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
    if (atomic_exchange(&ending.is_told, false)) {
        int state = 'R';

        atomic_store(&ending.may_end, true);
        while (state && state != 'S')
            state = state_of(atomic_load(&ending.tid));
    }
    return __real_stat64(path, out);
}

/* Whoever ends meanwhile, one of the program's is not taken for ours. */
static void test_single(void)
{
    struct cp_threads_stats stats;
    struct sleeper s = { 0 };
    pthread_t thread = start(&s);
    struct cp_error err;

    CHECK(!cp_threads_is_single());
    CHECK(cp_own_thread_start("own", end_when_told, NULL, &err) == CP_OK);
    do
        cp_threads_stats(&stats);
    while (stats.n_internal == 0 || atomic_load(&ending.tid) == 0);
    atomic_store(&ending.is_told, true);
    CHECK(!cp_threads_is_single());
    CHECK(atomic_load(&ending.may_end)); /* it was asked in that way */
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

/* Whether it has got as far as its sleep, the kernel says. */
static void test_still(void)
{
    static struct cp_sleeping_stack l;
    struct sleeper s = { 0 };
    pthread_t thread = start(&s);
    enum cp_sleep_result still = CP_SLEEP_RUNNING;

    while (still == CP_SLEEP_RUNNING)
        still = cp_sleeping_stack_walk(&l, atomic_load(&s.tid));
    CHECK_INT(still, CP_SLEEP_WALKED);
    CHECK(has_function(l.frames, l.n, (uintptr_t)sleep_here));
    CHECK(has_function(l.frames, l.n, (uintptr_t)live));
    end(&s, thread);
    CHECK_INT(cp_sleeping_stack_walk(&l, 1 << 30), CP_SLEEP_EXITED);
}

struct life {
    bool ends_timer;              /* before it leaves */
    uint64_t first_ns;            /* when the first sample was to come */
    uint64_t before_ns, after_ns; /* around its end, by its clock */
};

static void *live_a_while(void *arg)
{
    struct life *l = arg;
    const struct cp_signal_thread *t =
        cp_threads_register(unknown, (uintptr_t)live_a_while);

    CHECK(t != NULL);
    l->first_ns = t ? t->cpu.first_ns : 0;
    while (cp_clock_ns(CLOCK_THREAD_CPUTIME_ID) < 1000000)
        ;
    l->before_ns = (uint64_t)cp_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (l->ends_timer) {
        cp_threads_stop_own_timer();
        CHECK(t && t->cpu.timer_id == CP_NO_TIMER &&
              !atomic_load(&t->perf.event));
        CHECK_INT(atomic_load(&t->tid), gettid()); /* it is still there */
    }
    cp_threads_unregister();
    l->after_ns = (uint64_t)cp_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

/* A thread goes on with the period that the one before it has begun. */
static void test_chain(void)
{
    enum { N = 8, PERIOD = 1000000000 };
    struct life lives[N];

    cp_handler_state.cookie = 1; /* events come, and must know whose they are */
    cp_threads_set_period(PERIOD);
    for (int i = 0; i < N; i++) {
        pthread_t thread;

        lives[i].ends_timer = i % 2;
        CHECK(pthread_create(&thread, NULL, live_a_while, &lives[i]) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK(lives[i].first_ns > 0 && lives[i].first_ns <= PERIOD);
    }
    cp_threads_set_period(0);
    for (int i = 1; i < N; i++) {
        const struct life *l = &lives[i - 1];
        uint64_t next = lives[i].first_ns;

        if (l->first_ns < l->after_ns) /* it has had its sample, by chance */
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

/* It runs, but the function that its registers are known of is there still. */
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

/* What a sleeping thread is in, by the number that the kernel tells. */
static void test_calls(void)
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
        char place[64];

        (void)snprintf(place, sizeof(place), "%ld 0x1 0x2", cases[i].number);
        CHECK(cp_thread_state_read(s.tid, place, 0, &state));
        CHECK_STR(state.wait, cases[i].name);
    }
    end(&s, thread);
}

int main(void)
{
    struct cp_error err = { 0 };
    struct cp_objects *objects = cp_objects_new((size_t)64 << 20, &err);

    CHECK(objects && cp_objects_refresh(objects, true, &err) == CP_OK);
    RUN(test_enter_and_leave);
    RUN(test_scan);
    RUN(test_many);
    RUN(test_own);
    RUN(test_single);
    RUN(test_still);
    RUN(test_chain);
    RUN(test_walk_from);
    RUN(test_random);
    RUN(test_calls);
    cp_objects_free(objects);
    return check_failures != 0;
}
