/* test_mask - which signals are blocked, and that the mask is restored. */
#include "signal/signals/mask.h"

#include "check.h"

static void handle(int number)
{
    (void)number;
}

static bool is_blocked(int number)
{
    sigset_t now;

    (void)pthread_sigmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, number) == 1;
}

static void test_ignored_stay_open(void)
{
    uint64_t before;

    (void)signal(SIGUSR2, SIG_IGN);
    (void)signal(SIGWINCH, handle);
    before = cp_signal_mask_block();
    CHECK(!is_blocked(SIGCHLD));
    CHECK(!is_blocked(SIGURG));
    CHECK(!is_blocked(SIGUSR2));
    CHECK(is_blocked(SIGWINCH));
    CHECK(is_blocked(SIGUSR1));
    CHECK(is_blocked(SIGTERM));
    CHECK(is_blocked(SIGRTMIN));
    cp_signal_mask_restore(before);
    (void)signal(SIGUSR2, SIG_DFL);
    (void)signal(SIGWINCH, SIG_DFL);
}

static void test_fill(void)
{
    sigset_t mask;

    (void)signal(SIGURG, handle);
    cp_signal_mask_fill(&mask);
    CHECK(sigismember(&mask, SIGURG) == 1);
    CHECK(sigismember(&mask, SIGCHLD) == 0);
    CHECK(sigismember(&mask, SIGPROF) == 1);
    CHECK(*(uint64_t *)(void *)&mask >> 31 == (uint64_t)0x1ffffffff);
    (void)signal(SIGURG, SIG_DFL);
}

static void test_restores(void)
{
    sigset_t one;
    uint64_t before;

    (void)sigemptyset(&one);
    (void)sigaddset(&one, SIGUSR1);
    (void)signal(SIGHUP, SIG_DFL); /* nohup ignores it */
    (void)pthread_sigmask(SIG_SETMASK, &one, NULL);
    before = cp_signal_mask_block();
    CHECK(is_blocked(SIGUSR1) && is_blocked(SIGHUP));
    cp_signal_mask_restore(before);
    CHECK(is_blocked(SIGUSR1) && !is_blocked(SIGHUP));
}

int main(void)
{
    RUN(test_ignored_stay_open);
    RUN(test_fill);
    RUN(test_restores);
    return check_failures != 0;
}
