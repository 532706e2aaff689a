/*
 * syscalls_target_signal.c - calls that wait for a signal: only the program's
 * own signals end them. SIGUSR1 has a handler that counts; SIGUSR2 is blocked.
 */
#include "syscalls_target.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TIMEOUT_NS (3 * MS)

/* Sends SIGUSR1 until the call has returned: the first may come too early. */
static void wake_often(struct slot *s)
{
    do {
        short_delay(s);
        if (!s->is_acked)
            (void)pthread_kill(s->thread, SIGUSR1);
    } while (!s->is_acked);
}

static void check_woken(struct slot *s, const char *what, long result)
{
    (void)expect_error(s, what, result, EINTR);
    (void)expect(s, "signals before the return", s->n_handled > 0, 1);
    s->is_acked = 1;
    peer_end(s);
}

static void run_pause(struct slot *s)
{
    peer_begin(s, wake_often);
    check_woken(s, "pause", pause());
}

static void run_raw_pause(struct slot *s)
{
    peer_begin(s, wake_often);
    check_woken(s, "pause", syscall(SYS_pause));
}

static void block(sigset_t *before)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGUSR1);
    (void)pthread_sigmask(SIG_BLOCK, &set, before);
}

static void wake_once(struct slot *s)
{
    short_delay(s);
    (void)pthread_kill(s->thread, SIGUSR1);
}

/* No race: the signal is unblocked only during the call. */
static void run_sigsuspend(struct slot *s)
{
    sigset_t before;

    block(&before);
    peer_begin(s, wake_once);
    (void)expect_error(s, "sigsuspend", sigsuspend(&before), EINTR);
    (void)expect(s, "signals at the return", s->n_handled, 1);
    peer_end(s);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void send_blocked(struct slot *s)
{
    short_delay(s);
    (void)pthread_kill(s->thread, SIGUSR2);
}

static void take_rest(const sigset_t *set)
{
    static const struct timespec none;

    while (sigtimedwait(set, NULL, &none) > 0)
        ;
}

static void just_usr2(sigset_t *set)
{
    (void)sigemptyset(set);
    (void)sigaddset(set, SIGUSR2);
}

static void run_sigwait(struct slot *s)
{
    sigset_t set;
    int number = 0;

    just_usr2(&set);
    peer_begin(s, send_blocked);
    (void)expect_code(s, "sigwait", sigwait(&set, &number), 0);
    (void)expect(s, "the signal", number, SIGUSR2);
    peer_end(s);
    take_rest(&set);
}

static void run_sigwaitinfo(struct slot *s)
{
    siginfo_t info = { 0 };
    sigset_t set;

    just_usr2(&set);
    peer_begin(s, send_blocked);
    (void)expect(s, "sigwaitinfo", sigwaitinfo(&set, &info), SIGUSR2);
    (void)expect(s, "its sender", info.si_pid, getpid());
    peer_end(s);
    take_rest(&set);
}

static void run_raw_sigtimedwait(struct slot *s)
{
    sigset_t set;

    just_usr2(&set);
    peer_begin(s, send_blocked);
    (void)expect(s, "rt_sigtimedwait",
                 syscall(SYS_rt_sigtimedwait, &set, NULL, NULL, 8), SIGUSR2);
    peer_end(s);
    take_rest(&set);
}

static void run_sigtimedwait(struct slot *s)
{
    struct timespec far = { 3600, 0 };
    sigset_t set;

    just_usr2(&set);
    peer_begin(s, send_blocked);
    (void)expect(s, "sigtimedwait", sigtimedwait(&set, NULL, &far), SIGUSR2);
    peer_end(s);
    take_rest(&set);
}

static void run_sigtimedwait_timeout(struct slot *s)
{
    struct timespec t = { 0, TIMEOUT_NS };
    int64_t start = now_ns();
    sigset_t set;

    just_usr2(&set);
    if (expect_error(s, "sigtimedwait", sigtimedwait(&set, NULL, &t), EAGAIN))
        expect_lasted(s, "sigtimedwait", start, TIMEOUT_NS);
}

static void run_signalfd(struct slot *s)
{
    struct signalfd_siginfo info = { 0 };
    sigset_t set;

    just_usr2(&set);
    s->fd[0] = signalfd(-1, &set, SFD_CLOEXEC);
    peer_begin(s, send_blocked);
    (void)expect(s, "read of a signalfd", read(s->fd[0], &info, sizeof(info)),
                 sizeof(info));
    (void)expect(s, "the signal", info.ssi_signo, SIGUSR2);
    peer_end(s);
    take_rest(&set);
}

const struct call signal_calls[] = {
    { "pause", run_pause, NULL, NULL, 0 },
    { "raw-pause", run_raw_pause, NULL, NULL, 0 },
    { "sigsuspend", run_sigsuspend, NULL, NULL, 0 },
    { "sigwait", run_sigwait, NULL, NULL, 0 },
    { "sigwaitinfo", run_sigwaitinfo, NULL, NULL, 0 },
    { "raw-sigtimedwait", run_raw_sigtimedwait, NULL, NULL, 0 },
    { "sigtimedwait", run_sigtimedwait, NULL, NULL, 0 },
    { "sigtimedwait-times-out", run_sigtimedwait_timeout, NULL, NULL, 0 },
    { "signalfd-read", run_signalfd, NULL, NULL, 0 },
    { 0 },
};
