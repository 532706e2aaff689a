/* test_sampler - windows beside each other, and the thread that serves them. */
#include "base/error.h"
#include "runtime/os/lock.h"
#include "runtime/stacks/sampler.h"
#include "signal/signals/handler.h"
#include "signal/tables/readers.h"
#include "signal/unwinder/unwind_table.h"

#include <dlfcn.h>
#include <signal.h>
#include <time.h>

#include "check.h"

/* Part of libc6, and loaded by nothing. */
#define SOME_LIBRARY "libBrokenLocale.so.1"
#define SOME_FUNCTION "__ctype_get_mb_cur_max"
#define MAX_LOOKS 20000 /* of a millisecond or more */

static uintptr_t code_of(void *library)
{
    return library ? (uintptr_t)dlsym(library, SOME_FUNCTION) : 0;
}

static bool is_known(uintptr_t pc)
{
    return cp_unwind_table_find(cp_unwind_table(), pc) != NULL;
}

static bool wants_nothing(uintptr_t unused)
{
    (void)unused;
    return atomic_load(&cp_handler_state.refresh_request) == CP_REFRESH_NONE;
}

static bool comes(bool (*is_so)(uintptr_t), uintptr_t arg)
{
    const struct timespec nap = { 0, 1000000 };

    for (int i = 0; i < MAX_LOOKS && !is_so(arg); i++)
        (void)nanosleep(&nap, NULL);
    return is_so(arg);
}

/*
 * Who opens a window has the lock, and the thread must not wait for it: both
 * would wait for each other until one has had enough.
 */
static void test_locked(void)
{
    void *library;

    cp_lock_acquire(&cp_sampler_lock);
    CHECK(cp_sampler_open(NULL) == CP_OK);
    CHECK(cp_sampler_open_now(NULL) == CP_OK);
    CHECK(cp_sampler_open(NULL) == CP_OK);
    library = dlopen(SOME_LIBRARY, RTLD_NOW);
    if (CHECK(code_of(library) != 0))
        CHECK(comes(is_known, code_of(library)));
    for (int i = 0; i < 3; i++)
        cp_sampler_close();
    cp_lock_release(&cp_sampler_lock);
    CHECK(library && dlclose(library) == 0);
}

/* A handler's wish whose call nobody heard. */
static void test_unheard(void)
{
    cp_lock_acquire(&cp_sampler_lock);
    CHECK(cp_sampler_open(NULL) == CP_OK);
    cp_lock_release(&cp_sampler_lock);
    atomic_store(&cp_handler_state.refresh_request, CP_REFRESH_REQUESTED);
    CHECK(comes(wants_nothing, 0));
    cp_lock_acquire(&cp_sampler_lock);
    cp_sampler_close();
    cp_lock_release(&cp_sampler_lock);
}

static void handle(int number)
{
    (void)number;
}

static int blocks(int sig)
{
    struct sigaction now;

    CHECK(sigaction(cp_sampler_signal(), NULL, &now) == 0);
    return sigismember(&now.sa_mask, sig);
}

/* While it is ignored, SIGCHLD must not be blocked: signal/signals/mask.h. */
static void test_mask(void)
{
    cp_lock_acquire(&cp_sampler_lock);
    CHECK(cp_sampler_open(NULL) == CP_OK);
    CHECK_INT(blocks(SIGCHLD), 0);
    CHECK_INT(blocks(SIGUSR1), 1);
    (void)signal(SIGCHLD, handle);
    cp_sampler_note_action(SIGCHLD);
    CHECK_INT(blocks(SIGCHLD), 1);
    (void)signal(SIGCHLD, SIG_DFL);
    cp_sampler_note_action(SIGCHLD);
    CHECK_INT(blocks(SIGCHLD), 0);
    cp_sampler_close();
    cp_lock_release(&cp_sampler_lock);
}

int main(void)
{
    RUN(test_locked);
    RUN(test_unheard);
    RUN(test_mask);
    return check_failures != 0;
}
