/* pause.c - see pause.h. */
#include "runtime/process/pause.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/os/clock.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/listen.h"
#include "runtime/process/record.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/threads/own_thread.h"
#include "runtime/threads/thread_records.h"
#include "runtime/threads/threads.h"
#include "signal/unwinder/syscall.h"

#define PAUSE_POLL_NS 200000
#define FEW_POLLS 50   /* 10 ms, if the program seems to have threads */
#define MAX_POLLS 5000 /* a second */
#define PAUSE_TIMEOUT_NS ((int64_t)5000000000)

/* Threads in the kernel's list; 0: not known. */
static size_t count_all(void)
{
    struct stat task;

    return stat("/proc/self/task", &task) == 0 && task.st_nlink > 2
               ? (size_t)task.st_nlink - 2
               : 0;
}

static void nap(void)
{
    const struct timespec span = { 0, PAUSE_POLL_NS };

    (void)CP_SYSCALL(SYS_nanosleep, (long)&span, 0);
}

/*
 * Has the program one thread? A thread that has just begun has no record yet,
 * or, if it is an own one, a record for a moment; and an own one that has ended
 * is in the kernel's list for a moment, or longer on a busy machine.
 */
static bool has_one_thread(void)
{
    for (int i = 0; i < (cp_thread_records_used() > 1 ? FEW_POLLS : MAX_POLLS);
         i++) {
        if (count_all() <= cp_own_thread_count() + 1)
            return true;
        nap();
    }
    return false;
}

bool cp_pause_is_useful(void)
{
    int number = errno;
    bool is = cp_lifecycle_is_started() && cp_own_thread_count() > 0 &&
              cp_lifecycle_is_own_process() && has_one_thread();

    errno = number;
    return is;
}

static bool is_gone(int32_t tid)
{
    return CP_SYSCALL(SYS_tgkill, CP_SYSCALL(SYS_getpid, 0), tid, 0) == -ESRCH;
}

struct ending {
    int32_t tids[CP_THREADS_MAX_INTERNAL];
    size_t n;
    bool is_single; /* the program has one thread */
};

/* A thread is there for a while after its function has returned. */
static bool has_ended(const struct ending *e)
{
    if (cp_own_thread_count() > 0 || (e->is_single && count_all() > 1))
        return false;
    for (size_t i = 0; i < e->n; i++)
        if (!is_gone(e->tids[i]))
            return false;
    return true;
}

static void await_end(const struct ending *e)
{
    int64_t end_ns = cp_clock_ns(CLOCK_MONOTONIC) + PAUSE_TIMEOUT_NS;

    while (!has_ended(e) && cp_clock_ns(CLOCK_MONOTONIC) < end_ns)
        nap();
}

void cp_pause_begin(bool is_single)
{
    struct ending ending = { .is_single = is_single };
    int number = errno;

    ending.n = cp_threads_list_internal(ending.tids);
    cp_own_thread_pause();
    cp_record_pause();
    cp_refresh_wake();
    cp_listen_pause();
    await_end(&ending);
    errno = number;
}

void cp_pause_end(void)
{
    int number = errno;

    cp_record_resume();
    cp_own_thread_resume();
    cp_listen_resume();
    errno = number;
}
