/* internal_thread.c - starts, pauses and counts the library's own threads. */
#include "runtime/threads/internal_thread.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "runtime/os/clock.h"
#include "runtime/threads/threads.h"
#include "signal/heap/alloc_sampler.h"
#include "signal/unwinder/syscall.h"

#define STACK_BYTES ((size_t)512 << 10)
#define PROBE_BYTES ((size_t)4 << 20) /* a stack and a malloc arena */

/* Arguments of a thread. */
struct start {
    const char *name;
    void (*run)(void *arg);
    void *arg;
};

#define MAX_PAUSED 8

static cp_thread_creator *creator;

static struct {
    _Atomic uint32_t is_on; /* futex on which own threads sleep */
    _Atomic uint32_t n;     /* threads that have stopped for the pause */
    struct start threads[MAX_PAUSED]; /* their arguments, to start them again */
} pausing;

static _Atomic bool is_sandboxed;
static _Atomic uint32_t
    n_alive; /* own threads, including those being created */
static _Thread_local bool is_own, must_restart;

void cp_internal_thread_set_creator(cp_thread_creator *c)
{
    creator = c;
}

bool cp_internal_thread_has_creator(void)
{
    return creator != NULL;
}

static void record_paused(const struct start *start)
{
    uint32_t i = atomic_fetch_add(&pausing.n, 1);

    if (i < MAX_PAUSED)
        pausing.threads[i] = *start;
}

static void *thread_main(void *arg)
{
    struct start start = *(struct start *)arg;

    cp_free(arg);
    is_own = true;
    cp_alloc_mark_internal();
    cp_threads_mark_internal();
    (void)prctl(PR_SET_NAME, start.name);
    start.run(start.arg);
    CP_ASSERT(atomic_load(&n_alive) > 0);
    if (must_restart)
        record_paused(&start);
    cp_threads_unmark_internal();
    atomic_fetch_sub(&n_alive, 1);
    return NULL;
}

static int create_with(const pthread_attr_t *attr, struct start *start)
{
    pthread_t thread;

    if (creator)
        return creator(&thread, attr, thread_main, start);
    return pthread_create(&thread, attr, thread_main, start);
}

/* stack_bytes 0 selects the default size. */
static int create_sized(struct start *start, size_t stack_bytes)
{
    pthread_attr_t attr;
    int failed;

    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (stack_bytes)
        (void)pthread_attr_setstacksize(&attr, stack_bytes);
    failed = create_with(&attr, start);
    (void)pthread_attr_destroy(&attr);
    return failed;
}

/* Large thread-local data of the program may need more than STACK_BYTES. */
static int create(struct start *start)
{
    int failed = create_sized(start, STACK_BYTES);

    return failed == EINVAL ? create_sized(start, 0) : failed;
}

/* Falls back to a small stack if there is no memory for a large one. */
static int create_large(struct start *start)
{
    return create_sized(start, 0) == 0 ? 0 : create(start);
}

/* libc returns EAGAIN for every limit; finds out which one it was. */
static enum cp_status report_failure(int failed, struct cp_error *err)
{
    void *probe = mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
    char user[40] = "";

    if (failed == EAGAIN && probe == MAP_FAILED)
        return cp_error_set(err, CP_ENOMEM,
                            "cannot start a thread: no memory; check ulimit "
                            "-v, vm.max_map_count and vm.overcommit_memory");
    if (probe != MAP_FAILED)
        (void)munmap(probe, PROBE_BYTES);
    if (failed != EAGAIN)
        return cp_error_set(err, CP_EIO, "cannot start a thread: %s",
                            strerror(failed));
    (void)getrlimit(RLIMIT_NPROC, &limit);
    if (limit.rlim_cur != RLIM_INFINITY)
        (void)snprintf(user, sizeof(user), " (now %llu)",
                       (unsigned long long)limit.rlim_cur);
    return cp_error_set(err, CP_EIO,
                        "cannot start a thread: the kernel's limit is reached; "
                        "raise ulimit -u%s, pids.max of the control group or "
                        "kernel.pid_max",
                        user);
}

static enum cp_status start_thread(int (*create_it)(struct start *),
                                   const struct start *wanted,
                                   struct cp_error *err)
{
    struct start *start;
    sigset_t all, before;
    int failed;

    if (atomic_load(&pausing.is_on) || (atomic_load(&is_sandboxed) && !is_own))
        return cp_error_set(err, CP_EIO,
                            "cannot start a thread: the program is changing "
                            "its namespaces or has installed a seccomp filter");
    start = cp_alloc(1, sizeof(*start), err);
    if (!start)
        return CP_ENOMEM;
    *start = *wanted;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    atomic_fetch_add(&n_alive, 1);
    failed = create_it(start);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed == 0)
        return CP_OK;
    atomic_fetch_sub(&n_alive, 1);
    cp_free(start);
    return report_failure(failed, err);
}

enum cp_status cp_internal_thread_start(const char *name,
                                        void (*run)(void *arg), void *arg,
                                        struct cp_error *err)
{
    return start_thread(create, &(struct start){ name, run, arg }, err);
}

enum cp_status cp_internal_thread_start_large(const char *name,
                                              void (*run)(void *arg), void *arg,
                                              struct cp_error *err)
{
    return start_thread(create_large, &(struct start){ name, run, arg }, err);
}

uint32_t cp_internal_thread_count(void)
{
    return atomic_load(&n_alive);
}

bool cp_internal_thread_is_pausing(void)
{
    if (atomic_load(&pausing.is_on) == 0)
        return false;
    must_restart = true;
    return true;
}

bool cp_internal_thread_sleep(int64_t ns)
{
    int64_t end = cp_clock_ns(CLOCK_MONOTONIC) + ns;

    while (ns > 0 && atomic_load(&pausing.is_on) == 0) {
        struct timespec span = cp_clock_span(ns);

        (void)CP_SYSCALL(SYS_futex, (long)&pausing.is_on, FUTEX_WAIT_PRIVATE, 0,
                         (long)&span);
        ns = end - cp_clock_ns(CLOCK_MONOTONIC);
    }
    return !cp_internal_thread_is_pausing();
}

void cp_internal_thread_pause(void)
{
    atomic_store(&pausing.is_on, 1);
    (void)CP_SYSCALL(SYS_futex, (long)&pausing.is_on, FUTEX_WAKE_PRIVATE,
                     INT32_MAX);
}

void cp_internal_thread_resume(void)
{
    uint32_t n = atomic_exchange(&pausing.n, 0);

    atomic_store(&pausing.is_on, 0);
    for (uint32_t i = 0; i < n && i < MAX_PAUSED; i++)
        (void)start_thread(create, &pausing.threads[i], NULL);
}

void cp_internal_thread_set_sandboxed(void)
{
    atomic_store(&is_sandboxed, true);
}

void cp_internal_thread_reset_after_fork(void)
{
    is_own = false;
    atomic_store(&n_alive, 0);
    atomic_store(&pausing.is_on, 0);
    atomic_store(&pausing.n, 0);
}
