/* test_signal_owner - the signal's action as the kernel and the program see it.
 */
#include "runtime/stacks/refresh_thread.h"
#include "runtime/stacks/signal_owner.h"
#include "signal/signals/handler.h"

#include "check.h"

static void handle(int number)
{
    (void)number;
}

static int is_blocked(int sig)
{
    struct sigaction now;

    CHECK(sigaction(cp_signal_owner_signal(), NULL, &now) == 0);
    return sigismember(&now.sa_mask, sig);
}

/* The handler must not block SIGCHLD while it is ignored: mask.h. */
static void test_mask_follows_actions(void)
{
    cp_lock_acquire(&cp_refresh_lock);
    CHECK(cp_refresh_acquire(NULL) == CP_OK);
    CHECK_INT(is_blocked(SIGCHLD), 0);
    CHECK_INT(is_blocked(SIGUSR1), 1);
    (void)signal(SIGCHLD, handle);
    cp_signal_owner_update_mask(SIGCHLD);
    CHECK_INT(is_blocked(SIGCHLD), 1);
    (void)signal(SIGCHLD, SIG_DFL);
    cp_signal_owner_update_mask(SIGCHLD);
    CHECK_INT(is_blocked(SIGCHLD), 0);
    cp_refresh_release();
    cp_lock_release(&cp_refresh_lock);
}

static struct sigaction installed(int sig)
{
    struct sigaction now = { 0 };

    CHECK(sigaction(sig, NULL, &now) == 0);
    return now;
}

/* The program takes the signal: it sees its handler, and sampling moves on. */
static void test_program_takes_signal(void)
{
    struct sigaction act = { .sa_handler = handle }, old;
    int sig = cp_signal_owner_signal();

    CHECK(sig > 0 && cp_signal_owner_has_owned(sig));
    CHECK(installed(sig).sa_sigaction == cp_signal_handle);
    CHECK_INT(cp_signal_owner_sigaction(sigaction, sig, &act, &old), 0);
    CHECK(old.sa_handler == SIG_DFL);
    CHECK_INT(cp_signal_owner_sigaction(sigaction, sig, NULL, &old), 0);
    CHECK(old.sa_handler == handle);
    CHECK(installed(sig).sa_sigaction == cp_signal_shield_handle);
    cp_lock_acquire(&cp_refresh_lock);
    CHECK(cp_signal_owner_ensure(NULL) == CP_OK);
    cp_lock_release(&cp_refresh_lock);
    CHECK(cp_signal_owner_signal() != sig);
    CHECK(installed(cp_signal_owner_signal()).sa_sigaction == cp_signal_handle);
}

static void test_release_restores_action(void)
{
    int sig = cp_signal_owner_signal();

    cp_refresh_shut_down();
    CHECK_INT(cp_signal_owner_signal(), 0);
    CHECK(installed(sig).sa_handler == SIG_DFL);
    CHECK(cp_signal_owner_has_owned(sig));
}

int main(void)
{
    RUN(test_mask_follows_actions);
    RUN(test_program_takes_signal);
    RUN(test_release_restores_action);
    return check_failures != 0;
}
