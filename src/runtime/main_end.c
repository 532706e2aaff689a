/* main_end.c - see main_end.h. */
#include "runtime/main_end.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/own_thread.h"
#include "runtime/threads.h"

#define LOOK_NS 20000000

static void watch(void *unused)
{
    const struct timespec span = { 0, LOOK_NS };
    sigset_t none;

    (void)unused;
    while (!cp_threads_is_single()) /* main is there as a zombie, to the last */
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
    (void)sigemptyset(&none);
    (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
    exit(0);
}

void cp_main_end_watch(void)
{
    (void)cp_own_thread_start_deep("cpprof-end", watch, NULL, NULL);
}
