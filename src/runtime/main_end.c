/* main_end.c - see main_end.h. */
#include "runtime/main_end.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file_start.h"
#include "runtime/own_thread.h"
#include "runtime/threads.h"
#include "signal/handler.h"
#include "signal/syscall.h"

#define LOOK_NS 20000000

static _Atomic bool is_watched;

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

void cp_main_end_look(void)
{
    char start[1];
    int status;

    /* As long as the main thread is there, its process has a program. */
    if (readlink("/proc/self/exe", start, sizeof(start)) > 0 ||
        atomic_load(&is_watched) || !find_status(&status) ||
        !cp_threads_is_single())
        return;
    if (status & 0x7f) /* seccomp has killed it */
        cp_signal_default(status & 0x7f);
    (void)CP_SYSCALL(SYS_exit_group, status >> 8 & 0xff);
}

void cp_main_end_watch(void)
{
    atomic_store(&is_watched, true);
    (void)cp_own_thread_start_deep("cpprof-end", watch, NULL, NULL);
}
