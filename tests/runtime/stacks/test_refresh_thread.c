/* test_refresh_thread - overlapping recordings, and requests of handlers. */
#include "runtime/stacks/refresh_thread.h"
#include "signal/signals/handler.h"
#include "signal/tables/readers.h"
#include "signal/unwinder/unwind_table.h"

#include <dlfcn.h>
#include <time.h>

#include "check.h"

/* A library of libc6 that nothing loads. */
#define SOME_LIBRARY "libBrokenLocale.so.1"
#define SOME_FUNCTION "__ctype_get_mb_cur_max"
#define MAX_POLLS 20000 /* one millisecond or more each */

static uintptr_t code_of(void *library)
{
    return library ? (uintptr_t)dlsym(library, SOME_FUNCTION) : 0;
}

static bool is_known(uintptr_t pc)
{
    return cp_unwind_table_find(cp_unwind_table_current(), pc) != NULL;
}

static bool wants_nothing(uintptr_t unused)
{
    (void)unused;
    return atomic_load(&cp_handler_state.refresh_request) == CP_REFRESH_NONE;
}

static bool becomes_true(bool (*condition)(uintptr_t), uintptr_t arg)
{
    const struct timespec poll = { 0, 1000000 };

    for (int i = 0; i < MAX_POLLS && !condition(arg); i++)
        (void)nanosleep(&poll, NULL);
    return condition(arg);
}

/*
 * The opener of a recording holds the lock and waits for the refresh thread, so
 * the thread must refresh without the lock.
 */
static void test_refresh_needs_no_lock(void)
{
    void *library;

    cp_lock_acquire(&cp_refresh_lock);
    CHECK(cp_refresh_acquire(NULL) == CP_OK);
    CHECK(cp_refresh_acquire_and_wait(NULL) == CP_OK);
    CHECK(cp_refresh_acquire(NULL) == CP_OK);
    library = dlopen(SOME_LIBRARY, RTLD_NOW);
    if (CHECK(code_of(library) != 0))
        CHECK(becomes_true(is_known, code_of(library)));
    for (int i = 0; i < 3; i++)
        cp_refresh_release();
    cp_lock_release(&cp_refresh_lock);
    CHECK(library && dlclose(library) == 0);
}

/* A handler's request whose futex wake found no sleeper is served as well. */
static void test_lost_wake_is_served(void)
{
    cp_lock_acquire(&cp_refresh_lock);
    CHECK(cp_refresh_acquire(NULL) == CP_OK);
    cp_lock_release(&cp_refresh_lock);
    atomic_store(&cp_handler_state.refresh_request, CP_REFRESH_REQUESTED);
    CHECK(becomes_true(wants_nothing, 0));
    cp_lock_acquire(&cp_refresh_lock);
    cp_refresh_release();
    cp_lock_release(&cp_refresh_lock);
}

static _Atomic int n_runs;

static int64_t count_run(void)
{
    atomic_fetch_add(&n_runs, 1);
    return 1000000;
}

static bool has_run_often(uintptr_t n)
{
    return (uintptr_t)atomic_load(&n_runs) >= n;
}

/* Hooks keep the thread running, and it runs the task at the task's rate. */
static void test_piggyback_task_runs_for_hooks(void)
{
    CHECK(cp_refresh_acquire_for_hooks(NULL) == CP_OK);
    cp_refresh_set_piggyback_task(count_run);
    CHECK(becomes_true(has_run_often, 10));
    cp_refresh_set_piggyback_task(NULL);
    cp_refresh_release_for_hooks();
}

int main(void)
{
    RUN(test_refresh_needs_no_lock);
    RUN(test_lost_wake_is_served);
    RUN(test_piggyback_task_runs_for_hooks);
    return check_failures != 0;
}
