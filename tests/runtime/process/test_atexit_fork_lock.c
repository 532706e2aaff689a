/*
 * test_atexit_fork_lock - a fork waits for the threads inside, with a timeout,
 * and for each of them once.
 */
#include "runtime/process/atexit_fork_lock.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define MANY 1000 /* one timeout for each of them would take minutes */

/* A thread that stays inside until may_leave is posted. */
static sem_t is_inside_now, may_leave;

static void *stay_inside(void *unused)
{
    bool is_inside = cp_atexit_fork_lock_acquire();

    (void)sem_post(&is_inside_now);
    (void)sem_wait(&may_leave);
    if (is_inside)
        cp_atexit_fork_lock_release();
    return unused;
}

static pthread_t start_inside(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, stay_inside, NULL) != 0)
        abort();
    (void)sem_wait(&is_inside_now);
    return thread;
}

static void let_exit(pthread_t thread)
{
    (void)sem_post(&may_leave);
    (void)pthread_join(thread, NULL);
}

/* True if every thread has left before the timeout. */
static bool try_fork(void)
{
    bool is_free = cp_atexit_fork_lock_before_fork();

    cp_atexit_fork_lock_after_fork(false);
    return is_free;
}

static void test_disabled(void)
{
    pthread_t thread = start_inside();

    CHECK(!cp_atexit_fork_lock_acquire());
    CHECK(try_fork());
    let_exit(thread);
    cp_atexit_fork_lock_enable();
}

static void test_single_thread(void)
{
    CHECK(try_fork());
    CHECK(cp_atexit_fork_lock_acquire());
    CHECK(!cp_atexit_fork_lock_acquire()); /* an exit function that unloads a
                                            library */
    CHECK(try_fork());                     /* or that forks */
    cp_atexit_fork_lock_release();
    CHECK(try_fork());
}

/* A thread that forks does not wait for itself. */
static void test_forking(void)
{
    CHECK(cp_atexit_fork_lock_before_fork());
    CHECK(!cp_atexit_fork_lock_acquire());
    cp_atexit_fork_lock_after_fork(false);
    CHECK(cp_atexit_fork_lock_acquire());
    cp_atexit_fork_lock_release();
}

/* A thread that stays inside costs one timeout, and the next one another. */
static void test_stuck(void)
{
    pthread_t first = start_inside(), second;

    CHECK(!try_fork());
    CHECK(try_fork());
    second = start_inside();
    CHECK(!try_fork());
    CHECK(try_fork());
    let_exit(first);
    let_exit(second);
    first = start_inside();
    CHECK(!try_fork());
    let_exit(first);
    CHECK(try_fork());
}

static void *fork_until_posted(void *unused)
{
    (void)cp_atexit_fork_lock_before_fork();
    (void)sem_post(&is_inside_now);
    (void)sem_wait(&may_leave);
    cp_atexit_fork_lock_after_fork(false);
    return unused;
}

/* An entering thread waits for a long fork until its timeout. */
static void test_long_fork(void)
{
    pthread_t thread;

    CHECK_INT(pthread_create(&thread, NULL, fork_until_posted, NULL), 0);
    (void)sem_wait(&is_inside_now);
    for (int i = 0; i < 1000; i++) {
        CHECK(cp_atexit_fork_lock_acquire());
        cp_atexit_fork_lock_release();
    }
    let_exit(thread);
}

static void *fork_overlapping(void *unused)
{
    (void)cp_atexit_fork_lock_before_fork();
    for (int i = 0; i < MANY; i++) {
        (void)sem_post(&is_inside_now);
        (void)sem_wait(&may_leave);
        (void)cp_atexit_fork_lock_before_fork();
        cp_atexit_fork_lock_after_fork(false);
    }
    cp_atexit_fork_lock_after_fork(false);
    return unused;
}

/* Overlapping forks cost an entering thread one timeout in all. */
static void test_overlapping_forks(void)
{
    pthread_t thread;

    CHECK_INT(pthread_create(&thread, NULL, fork_overlapping, NULL), 0);
    for (int i = 0; i < MANY; i++) {
        (void)sem_wait(&is_inside_now);
        CHECK(cp_atexit_fork_lock_acquire());
        cp_atexit_fork_lock_release();
        (void)sem_post(&may_leave);
    }
    (void)pthread_join(thread, NULL);
}

/* The child of a fork in a signal handler that interrupted a fork. */
static void test_nested_fork(void)
{
    CHECK(cp_atexit_fork_lock_before_fork());
    CHECK(cp_atexit_fork_lock_before_fork());
    cp_atexit_fork_lock_after_fork(true);
    cp_atexit_fork_lock_after_fork(false);
    for (int i = 0; i < MANY; i++) {
        CHECK(cp_atexit_fork_lock_acquire());
        cp_atexit_fork_lock_release();
        CHECK(try_fork());
    }
}

/* In the child no other thread is inside, and no other fork is under way. */
static void test_child(void)
{
    pthread_t thread = start_inside();
    int status = -1;
    pid_t child;

    CHECK(!cp_atexit_fork_lock_before_fork());
    (void)fflush(NULL);
    child = fork();
    cp_atexit_fork_lock_after_fork(child == 0);
    if (child == 0)
        _exit(try_fork() && cp_atexit_fork_lock_acquire() ? 0 : 1);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
    let_exit(thread);
}

int main(void)
{
    (void)sem_init(&is_inside_now, 0, 0);
    (void)sem_init(&may_leave, 0, 0);
    RUN(test_disabled);
    RUN(test_single_thread);
    RUN(test_forking);
    RUN(test_stuck);
    RUN(test_long_fork);
    RUN(test_overlapping_forks);
    RUN(test_nested_fork);
    RUN(test_child);
    return check_failures != 0;
}
