/* main_end.c - see main_end.h. */
#include "runtime/main_end.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/own_thread.h"
#include "runtime/threads.h"

#define LOOK_NS 20000000

/* The first thread is there to the last, be it as a zombie. */
static bool are_others_left(void)
{
    const struct timespec span = { 0, LOOK_NS };

    if (cp_threads_is_single())
        return false;
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
    return true;
}

static void watch(void *unused)
{
    sigset_t none;

    (void)unused;
    while (are_others_left())
        ;
    (void)sigemptyset(&none);
    (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
    exit(0);
}

/*
 * If there is no thread to be had, for want of memory, the main thread looks
 * itself until there is one: threads of ours would keep the process for ever.
 */
void cp_main_end_watch(void)
{
    while (cp_own_thread_start_deep("cpprof-end", watch, NULL, NULL) != CP_OK)
        if (!are_others_left())
            exit(0);
}
