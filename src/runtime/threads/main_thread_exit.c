/* main_thread_exit.c - see main_thread_exit.h. */
#include "runtime/threads/main_thread_exit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_start.h"
#include "runtime/threads/own_thread.h"
#include "runtime/threads/threads.h"
#include "signal/signals/handler.h"
#include "signal/unwinder/syscall.h"

#define LOOK_NS 20000000

static _Atomic bool is_watched;

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

/* What wait would tell of the main thread, if that has ended. */
static bool find_status(int *out)
{
    char text[1024], *at;

    if (cp_file_start(AT_FDCWD, "/proc/self/stat", 0, text, sizeof(text)) <= 0)
        return false;
    at = strrchr(text, ')');
    if (!at || at[1] != ' ' || at[2] != 'Z')
        return false;
    at = strrchr(text, ' '); /* the last number */
    *out = at ? (int)strtol(at, NULL, 10) : 0;
    return true;
}

void cp_main_thread_exit_detect(void)
{
    char start[1];
    int status;

    /* As long as the main thread is there, its process has a program. */
    if (readlink("/proc/self/exe", start, sizeof(start)) > 0 ||
        atomic_load(&is_watched) || !find_status(&status) ||
        !cp_threads_is_single())
        return;
    if (status & 0x7f) /* seccomp has killed it */
        cp_signal_raise_default(status & 0x7f);
    (void)CP_SYSCALL(SYS_exit_group, status >> 8 & 0xff);
}

/*
 * If there is no thread to be had, for want of memory, the main thread looks
 * itself until there is one: threads of ours would keep the process for ever.
 */
void cp_main_thread_exit_begin(void)
{
    atomic_store(&is_watched, true);
    while (cp_own_thread_start_large("cpprof-end", watch, NULL, NULL) != CP_OK)
        if (!are_others_left())
            exit(0);
}
