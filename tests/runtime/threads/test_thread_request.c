/*
 * test_thread_request - running threads reply to requests, sleeping threads do
 * not, and no system call is interrupted.
 */
#include "runtime/stacks/refresh_thread.h"
#include "runtime/stacks/sleeping_stack.h"
#include "runtime/threads/threads.h"
#include "signal/tables/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

#define WRITES 200
#define WRITE_BYTES 200000 /* more than a pipe holds */

static const struct cp_stack_bounds unknown;

struct worker {
    _Atomic(struct cp_signal_thread *) record;
    _Atomic int is_done;
    int fd;
    long n_short;
};

static void register_self(struct worker *w)
{
    atomic_store(&w->record, cp_threads_register(unknown, 0));
}

static struct cp_signal_thread *record_of(struct worker *w)
{
    struct cp_signal_thread *t;

    while (!(t = atomic_load(&w->record)))
        (void)sched_yield();
    return t;
}

static void *compute(void *arg)
{
    struct worker *w = arg;

    register_self(w);
    while (!atomic_load(&w->is_done))
        ;
    cp_threads_unregister();
    return NULL;
}

static void *read_byte(void *arg)
{
    struct worker *w = arg;
    char byte;

    register_self(w);
    w->n_short = read(w->fd, &byte, 1) != 1;
    while (!atomic_load(&w->is_done))
        ;
    cp_threads_unregister();
    return NULL;
}

static void *write_all(void *arg)
{
    static const char bytes[WRITE_BYTES];
    struct worker *w = arg;

    register_self(w);
    for (int i = 0; i < WRITES; i++)
        w->n_short += write(w->fd, bytes, sizeof(bytes)) != sizeof(bytes);
    atomic_store(&w->is_done, 1);
    (void)close(w->fd);
    cp_threads_unregister();
    return NULL;
}

static bool request(struct cp_signal_thread *t)
{
    return cp_threads_request(t, atomic_load(&t->tid), CP_REQUEST_REGISTERS);
}

static void await_reply(struct cp_signal_thread *t, uint32_t before)
{
    while (atomic_load(&t->registers.n_replies) == before)
        (void)sched_yield();
}

static void test_running_thread_replies(void)
{
    struct worker w = { .n_short = 0 };
    pthread_t thread;
    struct cp_signal_thread *t;

    CHECK(pthread_create(&thread, NULL, compute, &w) == 0);
    t = record_of(&w);
    for (uint32_t i = 0; i < 20; i++) {
        CHECK(request(t));
        await_reply(t, i);
    }
    CHECK(t->registers.sp != 0);
    atomic_store(&w.is_done, 1);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void await_sleep(int32_t tid)
{
    struct cp_sleep_registers regs;

    while (cp_sleeping_stack_read_registers(&regs, tid) != CP_SLEEP_PARTIAL)
        (void)sched_yield();
    CHECK(regs.sp != 0 && regs.pc != 0);
}

static void test_sleeping_thread_replies_later(void)
{
    struct worker w = { .n_short = 0 };
    int ends[2];
    pthread_t thread;
    struct cp_signal_thread *t;

    CHECK(pipe(ends) == 0);
    w.fd = ends[0];
    CHECK(pthread_create(&thread, NULL, read_byte, &w) == 0);
    t = record_of(&w);
    await_sleep(atomic_load(&t->tid));
    CHECK(request(t));
    (void)usleep(
        50000); /* several ticks: a timer of wall time would have fired */
    CHECK_INT(atomic_load(&t->registers.n_replies), 0);
    CHECK(write(ends[1], "x", 1) == 1);
    await_reply(t, 0); /* now that it runs */
    atomic_store(&w.is_done, 1);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_INT(w.n_short, 0);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void test_writes_are_never_short(void)
{
    static char bytes[65536];
    struct worker w = { .n_short = 0 };
    int ends[2];
    pthread_t thread;
    struct cp_signal_thread *t;
    long total = 0;
    ssize_t n;

    CHECK(pipe(ends) == 0);
    w.fd = ends[1];
    CHECK(pthread_create(&thread, NULL, write_all, &w) == 0);
    t = record_of(&w);
    while ((n = read(ends[0], bytes, sizeof(bytes))) > 0) {
        total += n;
        if (!atomic_load(&w.is_done))
            (void)request(t);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_INT(w.n_short, 0);
    CHECK_INT(total, (long)WRITES * WRITE_BYTES);
    (void)close(ends[0]);
}

static void test_own_request(void)
{
    struct cp_signal_thread *t = cp_threads_register(unknown, 0);
    uint32_t before = atomic_load(&t->registers.n_replies);

    CHECK(request(t));
    CHECK_INT(atomic_load(&t->registers.n_replies), before + 1);
}

/* Without a timer the request fails, and nothing is pending. */
static void test_no_kernel_timer(void)
{
    struct rlimit before, none = { 0, 0 };
    struct worker w = { .n_short = 0 };
    pthread_t thread;
    struct cp_signal_thread *t;

    CHECK(getrlimit(RLIMIT_SIGPENDING, &before) == 0);
    CHECK(pthread_create(&thread, NULL, compute, &w) == 0);
    t = record_of(&w);
    none.rlim_max = before.rlim_max;
    CHECK(setrlimit(RLIMIT_SIGPENDING, &none) == 0);
    CHECK(!request(t));
    CHECK_INT(atomic_load(&t->requests.pending), 0);
    CHECK(setrlimit(RLIMIT_SIGPENDING, &before) == 0);
    atomic_store(&w.is_done, 1);
    CHECK(pthread_join(thread, NULL) == 0);
}

int main(void)
{
    cp_lock_acquire(&cp_refresh_lock);
    CHECK(cp_refresh_acquire(NULL) == CP_OK);
    cp_lock_release(&cp_refresh_lock);
    RUN(test_running_thread_replies);
    RUN(test_sleeping_thread_replies_later);
    RUN(test_writes_are_never_short);
    RUN(test_own_request);
    RUN(test_no_kernel_timer);
    return check_failures != 0;
}
