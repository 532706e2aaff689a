/* pause.c - counts threads in /proc, and ends and restarts those of the
 * library. */
#include "runtime/process/pause.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "runtime/os/clock.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/listen.h"
#include "runtime/process/record.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/threads/internal_thread.h"
#include "runtime/threads/thread_records.h"
#include "runtime/threads/threads.h"

#define PAUSE_POLL_NS 200000
#define FEW_POLLS 50   /* 10 ms, if the program seems to have more threads */
#define MAX_POLLS 5000 /* 1 s */
#define PAUSE_TIMEOUT_NS ((int64_t)5000000000)

/*
 * Returns the number of threads of the process that /proc shows; 0 if unknown.
 */
static size_t count_threads(void)
{
    struct stat task;

    return stat("/proc/self/task", &task) == 0 && task.st_nlink > 2
               ? (size_t)task.st_nlink - 2
               : 0;
}

static void sleep_one_poll(void)
{
    const struct timespec span = { 0, PAUSE_POLL_NS };

    (void)CP_SYSCALL(SYS_nanosleep, (long)&span, 0);
}

/*
 * Whether the program has one thread. Retries, because the counts disagree for
 * a moment: a new thread has no record yet, a new thread of the library has one
 * briefly, and an ended thread stays in /proc until the kernel reaps it.
 */
static bool has_one_thread(void)
{
    for (int i = 0; i < (cp_thread_records_used() > 1 ? FEW_POLLS : MAX_POLLS);
         i++) {
        if (count_threads() <= cp_internal_thread_count() + 1)
            return true;
        sleep_one_poll();
    }
    return false;
}

bool cp_pause_is_useful(void)
{
    int saved_errno = errno;
    bool is_useful = cp_lifecycle_is_started() &&
                     cp_internal_thread_count() > 0 &&
                     cp_lifecycle_is_own_process() && has_one_thread();

    errno = saved_errno;
    return is_useful;
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

/* The kernel removes a thread some time after its function has returned. */
static bool has_ended(const struct ending *e)
{
    if (cp_internal_thread_count() > 0 || (e->is_single && count_threads() > 1))
        return false;
    for (size_t i = 0; i < e->n; i++)
        if (!is_gone(e->tids[i]))
            return false;
    return true;
}

static void wait_for_end(const struct ending *e)
{
    int64_t end_ns = cp_clock_ns(CLOCK_MONOTONIC) + PAUSE_TIMEOUT_NS;

    while (!has_ended(e) && cp_clock_ns(CLOCK_MONOTONIC) < end_ns)
        sleep_one_poll();
}

void cp_pause_begin(bool is_single)
{
    struct ending ending = { .is_single = is_single };
    int saved_errno = errno;

    ending.n = cp_threads_list_internal(ending.tids);
    cp_internal_thread_pause();
    cp_record_pause();
    cp_refresh_wake();
    cp_listen_pause();
    wait_for_end(&ending);
    errno = saved_errno;
}

void cp_pause_end(void)
{
    int saved_errno = errno;

    cp_record_resume();
    cp_internal_thread_resume();
    cp_listen_resume();
    errno = saved_errno;
}
