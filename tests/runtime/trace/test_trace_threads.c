/* test_trace_threads.c - who is there when a trace begins. */
#include "base/error.h"
#include "runtime/os/clock.h"
#include "runtime/threads/threads.h"
#include "runtime/trace/trace_accounts.h"
#include "runtime/trace/trace_switches.h"
#include "runtime/trace/trace_threads.h"
#include "trace/model/model.h"
#include "trace/step.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
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

/* What the model has told of a thread. */
struct told {
    int tid, n_known, n_ends;
};

static void take_step(void *writer, const struct cp_step *step)
{
    struct told *told = writer;

    for (int i = 0; i < 2; i++) {
        told[i].n_known +=
            step->tid == told[i].tid && step->kind == CP_STEP_KNOWN;
        told[i].n_ends += step->tid == told[i].tid && step->kind == CP_STEP_END;
    }
}

static uint64_t now_ns(void)
{
    return (uint64_t)cp_clock_ns(CLOCK_MONOTONIC);
}

/*
 * One thread ends, another begins, between the first look and the moment from
 * which threads write down what they do.
 */
static void test_between(void)
{
    static const struct cp_trace_format format = { .step = take_step };
    struct told told[2] = { 0 };
    struct cp_trace_model_options options = { .format = &format,
                                              .writer = told };
    struct cp_trace_accounts accounts = { 0 };
    struct cp_trace_switches switches = { .is_refused = true };
    struct cp_trace_threads t = { .accounts = &accounts,
                                  .switches = &switches,
                                  .begin_ns = now_ns() };
    static struct life early, late;
    pthread_t first = start(&early), second;

    t.model = cp_trace_model_new(&options, t.begin_ns, NULL);
    if (!CHECK(t.model && cp_trace_threads_init(&t, NULL) == CP_OK))
        return;
    cp_trace_threads_know(&t);
    end(&early, first);
    second = start(&late);
    told[0].tid = early.tid;
    told[1].tid = late.tid;
    cp_trace_threads_know_late(&t, now_ns());
    cp_trace_model_flush(t.model, now_ns());
    CHECK_INT(told[0].n_known, 1);
    CHECK_INT(told[0].n_ends, 1);
    CHECK_INT(told[1].n_known, 1);
    CHECK_INT(told[1].n_ends, 0);
    end(&late, second);
    cp_trace_model_free(t.model);
    cp_trace_threads_release(&t);
    cp_trace_accounts_release(&accounts);
}

int main(void)
{
    RUN(test_between);
    return check_failures != 0;
}
