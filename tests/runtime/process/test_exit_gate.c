/*
 * test_exit_gate - a fork waits for those inside, but not for ever, and for
 * each of them once.
 */
#include "runtime/process/exit_gate.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define MANY 1000 /* to wait for each of them would take minutes */

/* Somebody who is inside until told to leave. */
static sem_t has_come, may_leave;

static void *stay(void *unused)
{
    bool is_inside = cp_exit_gate_enter();

    (void)sem_post(&has_come);
    (void)sem_wait(&may_leave);
    if (is_inside)
        cp_exit_gate_leave();
    return unused;
}

static pthread_t come(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, stay, NULL) != 0)
        abort();
    (void)sem_wait(&has_come);
    return thread;
}

static void go(pthread_t thread)
{
    (void)sem_post(&may_leave);
    (void)pthread_join(thread, NULL);
}

/* Whether a fork has found nobody to wait for, or they came out. */
static bool try_fork(void)
{
    bool is_free = cp_exit_gate_before_fork();

    cp_exit_gate_after_fork(false);
    return is_free;
}

static void test_closed(void)
{
    pthread_t thread = come();

    CHECK(!cp_exit_gate_enter());
    CHECK(try_fork());
    go(thread);
    cp_exit_gate_open();
}

static void test_alone(void)
{
    CHECK(try_fork());
    CHECK(cp_exit_gate_enter());
    CHECK(!cp_exit_gate_enter()); /* an exit function that unloads a library */
    CHECK(try_fork());            /* or that forks */
    cp_exit_gate_leave();
    CHECK(try_fork());
}

/* Who forks does not wait for itself. */
static void test_forking(void)
{
    CHECK(cp_exit_gate_before_fork());
    CHECK(!cp_exit_gate_enter());
    cp_exit_gate_after_fork(false);
    CHECK(cp_exit_gate_enter());
    cp_exit_gate_leave();
}

/* One who does not come out is waited for once, and the next one again. */
static void test_stuck(void)
{
    pthread_t first = come(), second;

    CHECK(!try_fork());
    CHECK(try_fork());
    second = come();
    CHECK(!try_fork());
    CHECK(try_fork());
    go(first);
    go(second);
    first = come();
    CHECK(!try_fork());
    go(first);
    CHECK(try_fork());
}

static void *fork_for_long(void *unused)
{
    (void)cp_exit_gate_before_fork();
    (void)sem_post(&has_come);
    (void)sem_wait(&may_leave);
    cp_exit_gate_after_fork(false);
    return unused;
}

/* Nobody waits for a fork for ever. */
static void test_long(void)
{
    pthread_t thread;

    CHECK_INT(pthread_create(&thread, NULL, fork_for_long, NULL), 0);
    (void)sem_wait(&has_come);
    for (int i = 0; i < 1000; i++) {
        CHECK(cp_exit_gate_enter());
        cp_exit_gate_leave();
    }
    go(thread);
}

static void *fork_on_and_on(void *unused)
{
    (void)cp_exit_gate_before_fork();
    for (int i = 0; i < MANY; i++) {
        (void)sem_post(&has_come);
        (void)sem_wait(&may_leave);
        (void)cp_exit_gate_before_fork();
        cp_exit_gate_after_fork(false);
    }
    cp_exit_gate_after_fork(false);
    return unused;
}

/* Nor for each of many, of which the next begins before the last one ends. */
static void test_many(void)
{
    pthread_t thread;

    CHECK_INT(pthread_create(&thread, NULL, fork_on_and_on, NULL), 0);
    for (int i = 0; i < MANY; i++) {
        (void)sem_wait(&has_come);
        CHECK(cp_exit_gate_enter());
        cp_exit_gate_leave();
        (void)sem_post(&may_leave);
    }
    (void)pthread_join(thread, NULL);
}

/* A fork by a handler that has come upon a fork, as its child sees it. */
static void test_nested(void)
{
    CHECK(cp_exit_gate_before_fork());
    CHECK(cp_exit_gate_before_fork());
    cp_exit_gate_after_fork(true);
    cp_exit_gate_after_fork(false);
    for (int i = 0; i < MANY; i++) {
        CHECK(cp_exit_gate_enter());
        cp_exit_gate_leave();
        CHECK(try_fork());
    }
}

/* In the child nobody else is inside, nor forks. */
static void test_child(void)
{
    pthread_t thread = come();
    int status = -1;
    pid_t child;

    CHECK(!cp_exit_gate_before_fork());
    (void)fflush(NULL);
    child = fork();
    cp_exit_gate_after_fork(child == 0);
    if (child == 0)
        _exit(try_fork() && cp_exit_gate_enter() ? 0 : 1);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
    go(thread);
}

int main(void)
{
    (void)sem_init(&has_come, 0, 0);
    (void)sem_init(&may_leave, 0, 0);
    RUN(test_closed);
    RUN(test_alone);
    RUN(test_forking);
    RUN(test_stuck);
    RUN(test_long);
    RUN(test_many);
    RUN(test_nested);
    RUN(test_child);
    return check_failures != 0;
}
