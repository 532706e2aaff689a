/*
 * signal_target.c - profiles itself and uses signals in every way, for
 * tests/cli/signals. `signal_target MODE [N]` prints its findings.
 *
 *   exec N   blocks all signals, waits until a sampling signal is pending, and
 *            calls the Nth exec function on itself, down to 0
 *   failing  the same with an exec that fails: samples must continue
 *   wait     waits for all signals, with a sampling signal pending before its
 *            own
 *   take N   sets a handler for signal N during a profile: samples must
 *            continue
 *   toggle N sets and resets a SIGTRAP handler in N profiles while threads
 *            start; counts unexpected traps
 *   own N    prints the action of signal N, which the program has set
 *   old N    sets it with signal(), sigset() and the like
 *   all      sets a handler for all signals before a profile
 *   reset    sets all signals to their default during a profile
 *   vfork    a child of vfork sets a handler for SIGTRAP, which must not affect
 *            the parent
 *   fork N   forks N times while threads start: no child may have a perf event
 *            or a handler of the library
 */
#include <cpprof.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LONG_NS 1000000000  /* CPU time limit for a signal that takes 20 ms */
#define FILES 64            /* descriptors to search for perf events */
#define RESTORER 0x04000000 /* SA_RESTORER, which libc's headers lack */
#define YOUNG 4             /* threads that start at once */

extern char **environ;
static volatile sig_atomic_t n_traps;
static _Atomic bool is_over;
static int own_signal = SIGTRAP;

static long cpu_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void mask_all(int how)
{
    sigset_t all;

    (void)sigfillset(&all);
    (void)pthread_sigmask(how, &all, NULL);
}

/* Computes until a signal is pending; false if none comes. */
static bool await_waiting(int sig)
{
    long end = cpu_ns() + LONG_NS;
    sigset_t waiting;

    do
        (void)sigpending(&waiting);
    while (!sigismember(&waiting, sig) && cpu_ns() < end);
    return sigismember(&waiting, sig);
}

static int become(char *self, int n)
{
    char left[20];
    char *const argv[] = { self, "exec", left, NULL };
    int fd = open(self, O_RDONLY | O_CLOEXEC);

    (void)snprintf(left, sizeof(left), "%d", n - 1);
    switch (n) {
    case 1:
        return execv(self, argv);
    case 2:
        return execve(self, argv, environ);
    case 3:
        return execvp(self, argv);
    case 4:
        return execvpe(self, argv, environ);
    case 5:
        return execl(self, self, "exec", left, NULL);
    case 6:
        return execlp(self, self, "exec", left, NULL);
    case 7:
        return execle(self, self, "exec", left, NULL, environ);
    case 8:
        return fexecve(fd, argv, environ);
    default:
        return execveat(AT_FDCWD, self, argv, environ, 0);
    }
}

static void *become_on_thread(void *self)
{
    (void)await_waiting(SIGTRAP);
    (void)become(self, 3);
    return NULL;
}

/* The fourth exec is from a thread that blocks all signals from its start. */
static int run_exec(char *self, int n)
{
    pthread_t thread;

    mask_all(SIG_UNBLOCK); /* a pending sampling signal would kill it here */
    if (n == 0)
        return puts("survived") < 0;
    if (!cpprof_start("profile"))
        return 3;
    mask_all(SIG_BLOCK);
    if (n == 3 && pthread_create(&thread, NULL, become_on_thread, self) == 0)
        (void)pthread_join(thread, NULL);
    if (!await_waiting(SIGTRAP))
        return puts("no event") < 0;
    return become(self, n);
}

static int run_failing(void)
{
    char *const argv[] = { "nothing", NULL };
    sigset_t waiting;
    int status, was;

    if (!cpprof_start("profile"))
        return 3;
    mask_all(SIG_BLOCK);
    if (!await_waiting(SIGTRAP))
        return puts("no event") < 0;
    status = execv("/nonexistent", argv);
    was = errno;
    (void)sigpending(&waiting);
    printf("%d %s %s\n", status, strerror(was),
           await_waiting(SIGTRAP) ? "goes on" : "is over");
    return 0;
}

static int run_wait(int ours)
{
    const struct timespec at_once = { 0, 0 }, for_ever = { LONG_MAX, 0 };
    const struct itimerval soon = { { 0, 0 }, { 0, 10000 } };
    const union sigval value = { .sival_int = 7 };
    siginfo_t info = { 0 };
    sigset_t all;
    int sig = 0;

    (void)sigfillset(&all);
    if (!cpprof_start("profile"))
        return 3;
    mask_all(SIG_BLOCK);
    if (!await_waiting(ours))
        return puts("no event") < 0;
    (void)sigqueue(getpid(), SIGRTMIN + 3, value);
    (void)sigwait(&all, &sig);
    printf("%d", sig == SIGRTMIN + 3);
    (void)await_waiting(ours);
    (void)sigqueue(getpid(), SIGRTMIN + 3, value);
    sig = sigwaitinfo(&all, &info);
    printf(" %d %d", sig == SIGRTMIN + 3, info.si_value.sival_int);
    (void)await_waiting(ours);
    errno = 0;
    sig = sigtimedwait(&all, &info, &at_once);
    printf(" %d %s", sig, strerror(errno));
    (void)await_waiting(ours);
    (void)setitimer(ITIMER_REAL, &soon, NULL);
    sig = sigtimedwait(&all, NULL, &for_ever);
    printf(" %d\n", sig == SIGALRM);
    return 0;
}

static void on_trap(int sig)
{
    (void)sig;
    n_traps++;
}

/* Reads the action from the kernel, past the library's hook. */
static bool has_handler_of(uintptr_t handler)
{
    uintptr_t now[4] = { 0 };

    return syscall(SYS_rt_sigaction, own_signal, NULL, now, 8) == 0 &&
           now[0] == handler;
}

/* A sampling handler of the library must block all other signals. */
static bool is_safe(int sig)
{
    uint64_t now[4] = { 0 };

    return syscall(SYS_rt_sigaction, sig, NULL, now, 8) == 0 &&
           (sig != SIGTRAP || now[0] == 0 || now[3] >> (SIGUSR2 - 1) & 1);
}

static void *deaf(void *unused)
{
    mask_all(SIG_BLOCK);
    (void)await_waiting(own_signal);
    while (!atomic_load(&is_over))
        (void)cpu_ns();
    mask_all(SIG_UNBLOCK); /* the pending signal is delivered now */
    return unused;
}

static void work(long ns)
{
    for (long end = cpu_ns() + ns; cpu_ns() < end;)
        ;
}

/* Computes until another signal than that one is pending. */
static bool await_another(int sig)
{
    sigset_t waiting;
    int other = 0;

    for (long end = cpu_ns() + 10L * LONG_NS; !other && cpu_ns() < end;) {
        (void)sigpending(&waiting);
        for (int i = 1; i <= SIGRTMAX; i++)
            if (i != sig && sigismember(&waiting, i) == 1)
                other = i;
    }
    return other != 0;
}

static int run_take(int sig)
{
    struct sigaction action = { .sa_handler = on_trap }, old, before;
    pthread_t thread;

    own_signal = sig;
    if (!cpprof_start("profile") || pthread_create(&thread, NULL, deaf, NULL))
        return 3;
    work(50000000);
    (void)sigaction(own_signal, NULL, &before);
    (void)sigaction(own_signal, &action, &old);
    work(50000000);
    atomic_store(&is_over, true);
    (void)pthread_join(thread, NULL);
    printf("%d %d %d", before.sa_handler == SIG_DFL, old.sa_handler == SIG_DFL,
           (int)n_traps);
    (void)raise(own_signal);
    printf(" %d", (int)n_traps);
    mask_all(SIG_BLOCK);
    printf(" %s\n", await_another(own_signal) ? "goes on" : "is over");
    return 0;
}

/* Sets the action by system call, as Go's runtime does. */
static int run_all(void)
{
    for (int i = 1; i <= SIGRTMAX; i++)
        (void)signal(i, on_trap);
    if (!cpprof_start("profile"))
        return 3;
    work(50000000);
    printf("%d", (int)n_traps);
    for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
        (void)raise(i);
    printf(" %d", (int)n_traps == SIGRTMAX - SIGRTMIN + 1);
    mask_all(SIG_BLOCK);
    printf(" %s\n", await_another(0) ? "goes on" : "is over");
    return 0;
}

/* Resets all signals, as programs do before exec, and some at their start. */
static int run_reset(void)
{
    if (!cpprof_start("profile"))
        return 3;
    work(50000000);
    for (int i = 1; i <= SIGRTMAX; i++)
        (void)signal(i, SIG_DFL);
    work(50000000);
    mask_all(SIG_BLOCK);
    puts(await_another(0) ? "goes on" : "is over");
    return 0;
}

/* The blocked signals in the handler, and its siginfo. */
static void on_own_trap(int sig, siginfo_t *info, void *context)
{
    sigset_t blocked;

    (void)context;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    n_traps++;
    printf(" %d%d%d", info->si_code == SI_TKILL, sigismember(&blocked, SIGUSR1),
           sigismember(&blocked, sig));
    (void)fflush(stdout);
}

/* The wait status of a child that raises own_signal. */
static int child_ends(void)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        (void)raise(own_signal);
        _exit(has_handler_of((uintptr_t)on_own_trap) ? 7 : 8);
    }
    (void)waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* The handler, sigaction and a child must see the action that was set. */
static int run_own(int sig)
{
    struct sigaction action = { .sa_sigaction = on_own_trap,
                                .sa_flags = SA_SIGINFO | SA_NODEFER },
                     now;

    own_signal = sig;
    (void)sigaddset(&action.sa_mask, SIGUSR1);
    if (!cpprof_start("profile"))
        return 3;
    work(50000000);
    (void)sigaction(own_signal, &action, NULL);
    (void)sigaction(own_signal, NULL, &now);
    printf("%d%d%d%d", now.sa_sigaction == on_own_trap,
           (now.sa_flags & ~RESTORER) == action.sa_flags,
           sigismember(&now.sa_mask, SIGUSR1),
           sigismember(&now.sa_mask, SIGUSR2));
    (void)raise(own_signal);
    printf(" %d", child_ends());
    action.sa_flags = (int)((unsigned)SA_RESETHAND | SA_SIGINFO);
    (void)sigaction(own_signal, &action, &now);
    printf(" %d", now.sa_sigaction == on_own_trap);
    (void)raise(own_signal);
    (void)sigaction(own_signal, NULL, &now);
    printf(" %d %d", now.sa_handler == SIG_DFL, child_ends());
    printf(" %d", signal(own_signal, on_trap) == SIG_DFL);
    printf(" %d", signal(own_signal, SIG_DFL) == on_trap);
    printf(" %d\n", child_ends());
    return 0;
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* sigset */

/* In programs compiled for strict POSIX, signal is sysv_signal. */
static int run_old(int sig)
{
    struct sigaction now;

    if (!cpprof_start("profile"))
        return 3;
    work(50000000);
    printf("%d", sysv_signal(sig, on_trap) == SIG_DFL);
    work(LONG_NS / 5);
    printf(" %d", (int)n_traps);
    (void)raise(sig);
    (void)sigaction(sig, NULL, &now);
    printf("%d %d%d", (int)n_traps, now.sa_handler == SIG_DFL, is_safe(sig));
    work(LONG_NS / 5);
    printf(" %d", sigset(sig, on_trap) == SIG_DFL);
    work(LONG_NS / 5);
    (void)raise(sig);
    printf(" %d %d", (int)n_traps, sigset(sig, SIG_HOLD) == on_trap);
    printf(" %d", sigset(sig, SIG_DFL) == SIG_HOLD);
    printf(" %d", ssignal(sig, on_trap) == SIG_DFL);
    printf(" %d", sysv_signal(sig, SIG_ERR) == SIG_ERR && errno == EINVAL);
    printf(" %d\n", signal(sig, SIG_DFL) == on_trap);
    return 0;
}

/* A child of vfork has its own signal actions and its parent's memory. */
static int run_vfork(void)
{
    static const struct sigaction by_default = { .sa_handler = SIG_DFL };
    static struct sigaction old, now;
    pid_t child;

    if (!cpprof_start("profile"))
        return 3;
    mask_all(SIG_BLOCK);
    if (!await_waiting(SIGTRAP))
        return puts("no event") < 0;
    mask_all(SIG_UNBLOCK);
    old.sa_handler = on_trap;
    child = vfork();
    if (child == 0) {
        (void)sigaction(SIGTRAP, &by_default, &old);
        _exit(0);
    }
    (void)waitpid(child, NULL, 0);
    (void)sigaction(SIGTRAP, NULL, &now);
    mask_all(SIG_BLOCK);
    printf("%d %d %s\n", old.sa_handler == SIG_DFL, now.sa_handler == SIG_DFL,
           await_waiting(SIGTRAP) ? "goes on" : "is over");
    return 0;
}

/* Computes until its first event, at 10 kHz. */
static void *be_young(void *unused)
{
    while (cpu_ns() < 200000)
        ;
    return unused;
}

static void *begin_threads(void *unused)
{
    pthread_t young[YOUNG];

    while (!atomic_load(&is_over)) {
        int n = 0;

        while (n < YOUNG && !pthread_create(&young[n], NULL, be_young, NULL))
            n++;
        while (n > 0)
            (void)pthread_join(young[--n], NULL);
    }
    return unused;
}

static bool has_event(void)
{
    char path[64], what[128];
    bool has = false;

    for (int fd = 0; fd < FILES; fd++) {
        ssize_t len;

        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        len = readlink(path, what, sizeof(what) - 1);
        what[len > 0 ? len : 0] = '\0';
        has = has || strstr(what, "perf_event");
    }
    return has;
}

static int run_toggle(int n)
{
    const struct sigaction taken = { .sa_handler = on_trap },
                           left = { .sa_handler = SIG_DFL };
    int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    pthread_t thread;

    if (pthread_create(&thread, NULL, begin_threads, NULL) != 0)
        return 3;
    for (int i = 0; i < n; i++) {
        struct cpprof_profile *profile = cpprof_start("profile");

        if (!profile)
            return 3;
        work(1000000 + i % 8 * 100000);
        (void)sigaction(SIGTRAP, &taken, NULL);
        work(3000000);
        (void)cpprof_stop(profile, out);
        (void)sigaction(SIGTRAP, &left, NULL);
    }
    atomic_store(&is_over, true);
    (void)pthread_join(thread, NULL);
    printf("%d\n", (int)n_traps);
    return 0;
}

static int run_fork(int n)
{
    pthread_t thread;
    int n_with = 0, status = 0;

    if (!cpprof_start("profile") ||
        pthread_create(&thread, NULL, begin_threads, NULL) != 0)
        return 3;
    for (int i = 0; i < n; i++) {
        pid_t child = fork();

        if (child == 0)
            _exit(has_event() || !has_handler_of((uintptr_t)SIG_DFL));
        if (waitpid(child, &status, 0) == child)
            n_with += status != 0;
    }
    atomic_store(&is_over, true);
    (void)pthread_join(thread, NULL);
    printf("%d\n", n_with);
    return 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";

    if (strcmp(mode, "exec") == 0 && argc > 2)
        return run_exec(argv[0], atoi(argv[2]));
    if (strcmp(mode, "failing") == 0)
        return run_failing();
    if (strcmp(mode, "wait") == 0 && argc > 2)
        return run_wait(atoi(argv[2]));
    if (strcmp(mode, "take") == 0 && argc > 2)
        return run_take(atoi(argv[2]));
    if (strcmp(mode, "toggle") == 0 && argc > 2)
        return run_toggle(atoi(argv[2]));
    if (strcmp(mode, "own") == 0 && argc > 2)
        return run_own(atoi(argv[2]));
    if (strcmp(mode, "old") == 0 && argc > 2)
        return run_old(atoi(argv[2]));
    if (strcmp(mode, "all") == 0)
        return run_all();
    if (strcmp(mode, "reset") == 0)
        return run_reset();
    if (strcmp(mode, "vfork") == 0)
        return run_vfork();
    if (strcmp(mode, "fork") == 0 && argc > 2)
        return run_fork(atoi(argv[2]));
    return 2;
}
