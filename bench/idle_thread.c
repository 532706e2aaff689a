/*
 * idle_thread.c - a library for LD_PRELOAD that only starts a sleeping thread
 * in every process; the reference of bench/postgres_locks.py.
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void *sleep_on(void *none)
{
    for (;;)
        (void)pause();
    return none;
}

static void start(void)
{
    sigset_t all, before;
    pthread_t thread;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    (void)pthread_create(&thread, NULL, sleep_on, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static __attribute__((constructor)) void start_here_and_in_children(void)
{
    start();
    (void)pthread_atfork(NULL, NULL, start);
}
