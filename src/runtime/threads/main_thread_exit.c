/* main_thread_exit.c - polls for the last thread of the program, and exits. */
#include "runtime/threads/main_thread_exit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file_start.h"
#include "runtime/threads/internal_thread.h"
#include "runtime/threads/threads.h"
#include "signal/signals/handler.h"
#include "signal/unwinder/syscall.h"

#define EXIT_POLL_NS 20000000

static _Atomic bool is_begun; /* the main thread exits by way of libc */

/* Polls once; the main thread stays in /proc as a zombie until the end. */
static bool poll_other_threads(void)
{
    const struct timespec span = { 0, EXIT_POLL_NS };

    if (cp_threads_is_single())
        return false;
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
    return true;
}

/* Unblocks signals first: exit() runs the program's exit functions. */
static void exit_after_last_thread(void *unused)
{
    sigset_t none;

    (void)unused;
    while (poll_other_threads())
        ;
    (void)sigemptyset(&none);
    (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
    exit(0);
}

/* Reads the wait status of the main thread; false while it runs. */
static bool read_main_status(int *out)
{
    char text[1024], *at;

    if (cp_file_start(AT_FDCWD, "/proc/self/stat", 0, text, sizeof(text)) <= 0)
        return false;
    at = strrchr(text, ')');
    if (!at || at[1] != ' ' || at[2] != 'Z')
        return false;
    at = strrchr(text, ' '); /* exit_code, the last field */
    *out = at ? (int)strtol(at, NULL, 10) : 0;
    return true;
}

void cp_main_thread_exit_detect(void)
{
    char start[1];
    int status;

    /* /proc/self/exe is readable while the main thread exists. */
    if (readlink("/proc/self/exe", start, sizeof(start)) > 0 ||
        atomic_load(&is_begun) || !read_main_status(&status) ||
        !cp_threads_is_single())
        return;
    if (status & 0x7f) /* a seccomp filter has killed it */
        cp_signal_raise_default(status & 0x7f);
    (void)CP_SYSCALL(SYS_exit_group, status >> 8 & 0xff);
}

/*
 * If no thread can be started, for lack of memory, the main thread polls itself
 * until one can: otherwise the library's threads would keep the process alive.
 */
void cp_main_thread_exit_begin(void)
{
    atomic_store(&is_begun, true);
    while (cp_internal_thread_start_large("cpprof-end", exit_after_last_thread,
                                          NULL, NULL) != CP_OK)
        if (!poll_other_threads())
            exit(0);
}
