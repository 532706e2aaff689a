/*
 * thread_target.c - a program with many threads, for tests/cli/threads.
 *
 * N threads wait in `parked`, one computes in `busy`, one computes in `deaf`
 * with all signals blocked. It prints its address and ends with its input.
 */
#include <cpprof.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static _Atomic unsigned long n_rounds;
static _Atomic int n_ready;

__attribute__((noinline)) static void parked(void)
{
    (void)pthread_mutex_lock(&mutex);
    n_ready++;
    for (;;)
        (void)pthread_cond_wait(&never, &mutex);
}

__attribute__((noinline)) static void busy(void)
{
    for (n_ready++;; n_rounds++)
        ;
}

__attribute__((noinline)) static void deaf(void)
{
    sigset_t all;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (n_ready++;; n_rounds++)
        ;
}

static void *run(void *arg)
{
    void (*work)(void) = *(void (**)(void))arg;

    (void)prctl(PR_SET_NAME, work == parked ? "worker" : "computer");
    work();
    return NULL;
}

__attribute__((noinline)) static void start(void (**work)(void))
{
    pthread_t t;

    if (pthread_create(&t, NULL, run, work) != 0)
        exit(3);
}

__attribute__((noinline)) static void open_some(void)
{
    struct cpprof_custom *open = cpprof_custom_new("connections");
    static char values[2000];

    if (!open || cpprof_custom_new("connections") || cpprof_custom_new("heap"))
        exit(4);
    for (size_t i = 0; i < sizeof(values); i++)
        if (cpprof_custom_add(open, &values[i]) != 0)
            exit(4);
    if (cpprof_custom_add(open, &values[5]) == 0)
        exit(4);
    for (size_t i = 0; i < sizeof(values); i += 2)
        if (cpprof_custom_remove(open, &values[i]) != 0)
            exit(4);
    if (cpprof_custom_remove(open, &values[0]) == 0)
        exit(4);
}

int main(int argc, char **argv)
{
    static void (*works[])(void) = { parked, busy, deaf };
    int n = argc > 1 ? atoi(argv[1]) : 10;
    char byte;

    if (cpprof_listen("localhost:0") != 0) {
        (void)fprintf(stderr, "%s\n", cpprof_error());
        return 1;
    }
    open_some();
    for (int i = 0; i < n; i++)
        start(&works[0]);
    start(&works[1]);
    start(&works[2]);
    while (n_ready < n + 2)
        (void)sched_yield();
    (void)printf("%s\n", cpprof_address());
    (void)fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    return 0;
}
