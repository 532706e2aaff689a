/* test_thread_tracker.c - threads that start or end while a trace starts. */
#include "runtime/os/clock.h"
#include "runtime/threads/threads.h"
#include "runtime/trace/thread_tracker.h"
#include "runtime/trace/trace_accounts.h"
#include "runtime/trace/trace_switches.h"
#include "trace/model/model.h"
#include "trace/step.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "check.h"

static const struct cp_stack_bounds unknown;

struct life {
    sem_t is_there, may_go;
    _Atomic int tid;
};

static void *live(void *arg)
{
    struct life *l = arg;

    atomic_store(&l->tid, gettid());
    CHECK(cp_threads_register(unknown, 0) != NULL);
    (void)sem_post(&l->is_there);
    while (sem_wait(&l->may_go) != 0)
        ;
    cp_threads_unregister();
    return NULL;
}

static pthread_t start(struct life *l)
{
    pthread_t thread;

    (void)sem_init(&l->is_there, 0, 0);
    (void)sem_init(&l->may_go, 0, 0);
    if (!CHECK(pthread_create(&thread, NULL, live, l) == 0))
        _exit(1);
    while (sem_wait(&l->is_there) != 0)
        ;
    return thread;
}

static void end(struct life *l, pthread_t thread)
{
    (void)sem_post(&l->may_go);
    CHECK_INT(pthread_join(thread, NULL), 0);
}

/* Steps that the model has written of a thread. */
struct report {
    int tid, n_known, n_ends;
};

static void take_step(void *writer, const struct cp_step *step)
{
    struct report *reports = writer;

    for (int i = 0; i < 2; i++) {
        reports[i].n_known +=
            step->tid == reports[i].tid && step->kind == CP_STEP_KNOWN;
        reports[i].n_ends +=
            step->tid == reports[i].tid && step->kind == CP_STEP_END;
    }
}

static uint64_t now_ns(void)
{
    return (uint64_t)cp_clock_ns(CLOCK_MONOTONIC);
}

/*
 * One thread ends and another starts after the first scan and before threads
 * emit events: both are reported once.
 */
static void test_start_and_end_between_scans(void)
{
    static const struct cp_trace_format format = { .step = take_step };
    struct report reports[2] = { 0 };
    struct cp_trace_model_options options = { .format = &format,
                                              .writer = reports };
    struct cp_trace_accounts accounts = { 0 };
    struct cp_trace_switches switches = { .is_disabled = true };
    struct cp_thread_tracker t = { .accounts = &accounts,
                                   .switches = &switches,
                                   .begin_ns = now_ns() };
    static struct life early, late;
    pthread_t first = start(&early), second;

    t.model = cp_trace_model_new(&options, t.begin_ns, NULL);
    if (!CHECK(t.model && cp_thread_tracker_init(&t, NULL) == CP_OK))
        return;
    cp_thread_tracker_add_initial(&t);
    end(&early, first);
    second = start(&late);
    reports[0].tid = early.tid;
    reports[1].tid = late.tid;
    cp_thread_tracker_add_missed(&t, now_ns());
    cp_trace_model_flush(t.model, now_ns());
    CHECK_INT(reports[0].n_known, 1);
    CHECK_INT(reports[0].n_ends, 1);
    CHECK_INT(reports[1].n_known, 1);
    CHECK_INT(reports[1].n_ends, 0);
    end(&late, second);
    cp_trace_model_free(t.model);
    cp_thread_tracker_release(&t);
    cp_trace_accounts_release(&accounts);
}

int main(void)
{
    RUN(test_start_and_end_between_scans);
    return check_failures != 0;
}
