/*
 * refresh_thread.c - the loop of the refresh thread and its start and stop.
 *
 * The thread scans for loaded and unloaded objects five times a second, and at
 * once when a handler has met unknown code; for threads and generated code once
 * a second. It exits with the last recording, or slows down if hooks record.
 *
 * A generation is the time from a start of the thread to its stop; its number
 * is odd. The starter and the stopper increment the number, so a thread that
 * sees a number different from its own exits. No thread is joined: it may be
 * blocked in the loader, and the next generation starts without waiting.
 */
#include "runtime/stacks/refresh_thread.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "runtime/os/clock.h"
#include "runtime/stacks/signal_owner.h"
#include "runtime/stacks/unwind_publisher.h"
#include "runtime/symbolize/unloaded_modules.h"
#include "runtime/threads/hooks_bypassed.h"
#include "runtime/threads/internal_thread.h"
#include "runtime/threads/main_thread_exit.h"
#include "runtime/threads/threads.h"
#include "signal/signals/handler.h"
#include "signal/tables/readers.h"

#define REFRESH_POLL_NS 200000000
#define HOOKS_POLL_NS 250000000  /* while no recording is open */
#define THREADS_POLL_NS 50000000 /* while no hook reports new threads */
#define SCAN_POLL_NS 1000000000  /* threads and generated code */
#define REFRESH_TIMEOUT_NS 1000000000
#define REFRESH_TIMEOUT_AFTER_FAILURE_NS 10000000
#define EXIT_POLL_NS 1000000
#define MAX_EXIT_POLLS 1000
#define MAX_THREADS 2 /* more would only queue up in the loader */

struct cp_lock cp_refresh_lock;

static struct {
    _Atomic size_t n_recordings;   /* open recordings */
    _Atomic bool is_held_by_hooks; /* written under cp_refresh_lock */
    _Atomic uint32_t generation;   /* odd while its refresh thread should run */
    _Atomic uint32_t n_requested;  /* number of requests; the thread's futex */
    _Atomic uint32_t n_completed;  /* newest request served; waiters' futex */
    _Atomic int n_threads;         /* refresh threads that have not exited */
    bool last_refresh_timed_out;   /* protected by cp_refresh_lock */
    _Atomic(cp_refresh_task *) task; /* NULL means none */
} refresh;

static long futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t ns)
{
    const struct timespec span = cp_clock_span(ns);

    return CP_SYSCALL(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, value,
                      (long)&span);
}

static void futex_wake(_Atomic uint32_t *word)
{
    (void)CP_SYSCALL(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, INT32_MAX);
}

/* Requests a refresh; returns the number of the request. */
static uint32_t request(void)
{
    uint32_t number = atomic_fetch_add(&refresh.n_requested, 1) + 1;

    futex_wake(&refresh.n_requested);
    return number;
}

static bool is_requested_after(uint32_t number, uint32_t other)
{
    return (int32_t)(number - other) > 0;
}

/*
 * Once a second: finds threads that no hook has reported, and installs the
 * handler again if the program has replaced it. A holder of the lock may be
 * waiting for this thread and has installed the handler itself.
 */
static void scan_threads_and_handler(uint32_t generation)
{
    if (atomic_load(&refresh.n_recordings) == 0)
        return;
    (void)cp_threads_scan(NULL);
    cp_threads_check_events();
    if (!cp_lock_try(&cp_refresh_lock))
        return;
    if (atomic_load(&refresh.generation) == generation &&
        atomic_load(&refresh.n_recordings) > 0)
        (void)cp_signal_owner_ensure(NULL);
    cp_lock_release(&cp_refresh_lock);
}

/* A transition of the handlers' request; false if its state is not `from`. */
static bool change_want(enum cp_refresh_request from,
                        enum cp_refresh_request to)
{
    uint32_t now = from;

    return atomic_compare_exchange_strong(&cp_handler_state.refresh_request,
                                          &now, to);
}

/* Finds new threads where no hook reports them; returns the time to sleep. */
static int64_t poll_threads(bool is_idle)
{
    bool is_reported =
        cp_internal_thread_has_creator() && !cp_hooks_are_bypassed();

    if (is_idle)
        return HOOKS_POLL_NS;
    if (!is_reported)
        (void)cp_threads_scan(NULL);
    return is_reported ? REFRESH_POLL_NS : THREADS_POLL_NS;
}

/*
 * Sleeps until ns have passed or a request newer than `requested` exists, and
 * runs the piggyback task in between. Returns false if a thread or a handler
 * woke it.
 */
static bool sleep_fully(uint32_t requested, int64_t ns)
{
    int64_t end = cp_clock_ns(CLOCK_MONOTONIC) + ns, left = ns;
    long result;

    do {
        cp_refresh_task *task = atomic_load(&refresh.task);
        int64_t span = task ? task() : left;

        result = futex_wait(&refresh.n_requested, requested,
                            span < left ? span : left);
        left = end - cp_clock_ns(CLOCK_MONOTONIC);
    } while (result == -ETIMEDOUT && left > 0);
    return result != 0;
}

/*
 * Sleeps between two refreshes. A handler's request is marked as served here,
 * because the next refresh follows; handlers may request again only after a
 * sleep without one, so that unknown code costs one extra refresh a period.
 */
static void rest(uint32_t requested, int64_t ns)
{
    bool is_full = sleep_fully(requested, ns);

    if (!change_want(CP_REFRESH_REQUESTED, CP_REFRESH_SERVED) && is_full)
        (void)change_want(CP_REFRESH_SERVED, CP_REFRESH_NONE);
}

/*
 * Reads the request number before the generation: a stopper changes the
 * generation first and then requests, so its request ends the next sleep.
 */
static bool should_run(uint32_t generation, uint32_t *requested)
{
    *requested = atomic_load(&refresh.n_requested);
    return atomic_load(&refresh.generation) == generation;
}

static void refresh_once(uint32_t generation, uint32_t requested,
                         int64_t *since_scan_ns)
{
    bool is_idle = atomic_load(&refresh.n_recordings) == 0;
    bool is_scan = *since_scan_ns >= SCAN_POLL_NS ||
                   requested != atomic_load(&refresh.n_completed);
    int64_t span;

    cp_main_thread_exit_detect();
    (void)cp_unwind_publisher_refresh(is_scan, NULL);
    atomic_store(&refresh.n_completed, requested);
    futex_wake(&refresh.n_completed);
    if (is_scan)
        scan_threads_and_handler(generation);
    span = poll_threads(is_idle);
    *since_scan_ns = is_scan ? span : *since_scan_ns + span;
    rest(requested, span);
}

static void refresh_loop(void *arg)
{
    uint32_t generation = (uint32_t)(uintptr_t)arg, requested;
    int64_t since_scan_ns = SCAN_POLL_NS;

    CP_ASSERT(generation % 2 == 1);
    while (should_run(generation, &requested)) {
        if (cp_internal_thread_is_pausing())
            return; /* runs again after the pause, so it stays counted */
        refresh_once(generation, requested, &since_scan_ns);
    }
    CP_ASSERT(atomic_load(&refresh.n_threads) > 0);
    atomic_fetch_sub(&refresh.n_threads, 1);
}

/* Starts no thread while MAX_THREADS of old generations hang in the loader. */
static enum cp_status start_thread(struct cp_error *err)
{
    uint32_t generation = atomic_fetch_add(&refresh.generation, 1) + 1;
    enum cp_status status;

    CP_ASSERT(generation % 2 == 1);
    if (atomic_fetch_add(&refresh.n_threads, 1) >= MAX_THREADS) {
        atomic_fetch_sub(&refresh.n_threads, 1);
        return CP_OK;
    }
    status = cp_internal_thread_start("cpprof-refresh", refresh_loop,
                                      (void *)(uintptr_t)generation, err);
    if (status != CP_OK) {
        atomic_fetch_sub(&refresh.n_threads, 1);
        atomic_fetch_add(&refresh.generation, 1);
    }
    return status;
}

static void stop_thread(void)
{
    CP_ASSERT(atomic_load(&refresh.generation) % 2 == 1);
    atomic_fetch_add(&refresh.generation, 1);
    (void)request();
}

/* Waits for a refresh that began after the request, or for the timeout. */
static void wait_for_refresh(uint32_t number)
{
    int64_t end =
        cp_clock_ns(CLOCK_MONOTONIC) + (refresh.last_refresh_timed_out
                                            ? REFRESH_TIMEOUT_AFTER_FAILURE_NS
                                            : REFRESH_TIMEOUT_NS);
    uint32_t completed = atomic_load(&refresh.n_completed);

    while (is_requested_after(number, completed)) {
        int64_t left = end - cp_clock_ns(CLOCK_MONOTONIC);

        if (left <= 0) {
            refresh.last_refresh_timed_out = true;
            return;
        }
        (void)futex_wait(&refresh.n_completed, completed, left);
        completed = atomic_load(&refresh.n_completed);
    }
    refresh.last_refresh_timed_out = false;
}

/* Starts the thread unless it runs. */
static enum cp_status ensure_thread(bool should_wait, struct cp_error *err)
{
    bool is_running =
        refresh.is_held_by_hooks || atomic_load(&refresh.n_recordings) > 0;
    uint32_t number = request();
    enum cp_status status = is_running ? CP_OK : start_thread(err);

    CP_ASSERT(cp_lock_is_held(&cp_refresh_lock));
    if (status == CP_OK && should_wait)
        wait_for_refresh(number);
    return status;
}

static enum cp_status acquire(bool should_wait, struct cp_error *err)
{
    enum cp_status status;

    CP_ASSERT(cp_lock_is_held(&cp_refresh_lock));
    if (!cp_handler_state.refresh_futex)
        cp_handler_state.refresh_futex = &refresh.n_requested;
    status = cp_signal_owner_ensure(err);
    if (status == CP_OK)
        status = cp_threads_scan(err);
    if (status == CP_OK &&
        (should_wait || atomic_load(&refresh.n_recordings) == 0))
        status = ensure_thread(true, err);
    if (status == CP_OK)
        atomic_fetch_add(&refresh.n_recordings, 1);
    return status;
}

enum cp_status cp_refresh_acquire(struct cp_error *err)
{
    return acquire(false, err);
}

enum cp_status cp_refresh_acquire_and_wait(struct cp_error *err)
{
    return acquire(true, err);
}

void cp_refresh_release(void)
{
    size_t before = atomic_fetch_sub(&refresh.n_recordings, 1);

    CP_ASSERT(before > 0);
    if (before > 1)
        return;
    cp_threads_end_requests();
    if (!refresh.is_held_by_hooks)
        stop_thread();
}

static enum cp_status acquire_for_hooks(bool should_wait, struct cp_error *err)
{
    enum cp_status status = CP_OK;

    cp_lock_acquire(&cp_refresh_lock);
    if (!refresh.is_held_by_hooks) {
        status = ensure_thread(should_wait, err);
        refresh.is_held_by_hooks = status == CP_OK;
    }
    cp_lock_release(&cp_refresh_lock);
    return status;
}

enum cp_status cp_refresh_acquire_for_hooks(struct cp_error *err)
{
    return acquire_for_hooks(true, err);
}

enum cp_status cp_refresh_acquire_for_hooks_nowait(struct cp_error *err)
{
    return acquire_for_hooks(false, err);
}

void cp_refresh_release_for_hooks(void)
{
    cp_lock_acquire(&cp_refresh_lock);
    if (refresh.is_held_by_hooks && atomic_load(&refresh.n_recordings) == 0)
        stop_thread();
    refresh.is_held_by_hooks = false;
    cp_lock_release(&cp_refresh_lock);
}

void cp_refresh_wake(void)
{
    (void)request();
}

void cp_refresh_set_piggyback_task(cp_refresh_task *task)
{
    atomic_store(&refresh.task, task);
    if (task)
        (void)request();
}

/* Waits until the refresh threads have exited; false after a second or so. */
static bool wait_for_exit(void)
{
    const struct timespec poll = { 0, EXIT_POLL_NS };
    int left = MAX_EXIT_POLLS;

    while (atomic_load(&refresh.n_threads) > 0 && left-- > 0)
        (void)nanosleep(&poll, NULL);
    return left > 0;
}

void cp_refresh_shut_down(void)
{
    cp_lock_acquire(&cp_refresh_lock);
    if (atomic_load(&refresh.n_recordings) == 0 && !refresh.is_held_by_hooks) {
        CP_ASSERT(atomic_load(&refresh.generation) % 2 == 0);
        cp_signal_owner_release();
        if (wait_for_exit())
            cp_unwind_publisher_free();
    }
    cp_lock_release(&cp_refresh_lock);
}

bool cp_refresh_reset_after_fork(void)
{
    bool was_held_by_hooks = refresh.is_held_by_hooks;

    cp_unwind_publisher_reset_after_fork();
    cp_signal_owner_reset_after_fork();
    atomic_store(&refresh.n_recordings, 0);
    refresh.is_held_by_hooks = false;
    refresh.last_refresh_timed_out = false;
    atomic_store(&refresh.generation, 0);
    atomic_store(&refresh.n_requested, 0);
    atomic_store(&refresh.n_completed, 0);
    atomic_store(&refresh.n_threads, 0);
    atomic_store(&refresh.task, NULL);
    cp_readers_reset_after_fork();
    cp_unloaded_modules_reset_after_fork();
    cp_lock_reset(&cp_refresh_lock);
    return was_held_by_hooks;
}
