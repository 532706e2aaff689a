/*
 * exec_hooks.c - hooks of exec and of sigwait: no signal of the library reaches
 * a new program or a waiting one.
 *
 * A pending signal survives exec, and a signal of a perf event would kill the
 * new program (signal/signals/perf_signals.h); the kernel itself discards
 * pending signals of timers. The hooks therefore pause the perf events and
 * discard their signals before exec, and resume them if exec fails.
 *
 * sigwait and its variants skip signals of the library. The time that the
 * skipped signals would have sampled is added when the thread's timer ends.
 *
 * Sanitizers call these functions before this library is initialized, so
 * sanitizer builds have no such hooks.
 */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "runtime/hooks/real_function.h"
#include "runtime/os/clock.h"
#include "signal/signals/perf_signals.h"
#include "signal/tables/thread.h"

#define EXPORT __attribute__((visibility("default")))
#define MAX_S 1000000000 /* avoids overflow of longer timeouts; 31 years */

/* Returns the result of `call`, which returns only if it fails. */
#define EXEC(call)                                                             \
    do {                                                                       \
        struct cp_signal_thread *paused = cp_perf_signals_pause();             \
        int failed = (call);                                                   \
                                                                               \
        cp_perf_signals_resume(paused);                                        \
        return failed;                                                         \
    } while (0)

EXPORT int execve(const char *file, char *const argv[], char *const envp[])
{
    CP_REAL(execve);
    EXEC(real(file, argv, envp));
}

EXPORT int execv(const char *file, char *const argv[])
{
    CP_REAL(execv);
    EXEC(real(file, argv));
}

EXPORT int execvp(const char *file, char *const argv[])
{
    CP_REAL(execvp);
    EXEC(real(file, argv));
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    CP_REAL(execvpe);
    EXEC(real(file, argv, envp));
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
    CP_REAL(fexecve);
    EXEC(real(fd, argv, envp));
}

EXPORT int execveat(int fd, const char *file, char *const argv[],
                    char *const envp[], int flags)
{
    CP_REAL(execveat);
    EXEC(real(fd, file, argv, envp, flags));
}

/* Number of arguments after the first, including the terminating NULL. */
static size_t count_args(va_list args)
{
    size_t n = 1;

    while (va_arg(args, char *))
        n++;
    return n;
}

/*
 * Builds argv from the arguments of execl and its variants. It is on the stack,
 * because a child of vfork shares all other memory with its parent.
 */
#define COLLECT(argv, args, first)                                             \
    do {                                                                       \
        size_t n_;                                                             \
                                                                               \
        va_start(args, first);                                                 \
        n_ = count_args(args);                                                 \
        va_end(args);                                                          \
        (argv) = __builtin_alloca((n_ + 1) * sizeof(*(argv)));                 \
        (argv)[0] = (char *)(uintptr_t)(first);                                \
        va_start(args, first);                                                 \
        for (size_t i_ = 1; i_ <= n_; i_++)                                    \
            (argv)[i_] = va_arg(args, char *);                                 \
    } while (0)

EXPORT int execl(const char *file, const char *first, ...)
{
    va_list args;
    char **argv;

    COLLECT(argv, args, first);
    va_end(args);
    return execv(file, argv);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
    va_list args;
    char **argv;

    COLLECT(argv, args, first);
    va_end(args);
    return execvp(file, argv);
}

EXPORT int execle(const char *file, const char *first, ...)
{
    va_list args;
    char **argv;
    char *const *envp;

    COLLECT(argv, args, first);
    envp = va_arg(args, char *const *);
    va_end(args);
    return execve(file, argv, envp);
}

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *out)
{
    siginfo_t info;
    int sig;

    CP_REAL(sigwaitinfo);
    do
        sig = real(set, &info);
    while (sig > 0 && cp_perf_signals_is_from_library(&info));
    if (sig > 0 && out)
        *out = info;
    return sig;
}

EXPORT int sigwait(const sigset_t *set, int *out)
{
    int errno_before = errno, sig;

    do
        sig = sigwaitinfo(set, NULL);
    while (sig < 0 && errno == EINTR);
    if (sig < 0)
        return errno;
    errno = errno_before;
    *out = sig;
    return 0;
}

/* The rest of a timeout that started at begin_ns; at least 0. */
static struct timespec remaining(const struct timespec *span, int64_t begin_ns)
{
    int64_t s = span->tv_sec < MAX_S ? span->tv_sec : MAX_S;
    int64_t left_ns = s * CP_NS_PER_S + span->tv_nsec + begin_ns -
                      cp_clock_ns(CLOCK_MONOTONIC);

    left_ns = left_ns > 0 ? left_ns : 0;
    return cp_clock_span(left_ns);
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *out,
                        const struct timespec *span)
{
    int64_t begin_ns = cp_clock_ns(CLOCK_MONOTONIC);
    struct timespec left;
    siginfo_t info;
    int sig;

    CP_REAL(sigtimedwait);
    sig = real(set, &info, span);
    while (sig > 0 && cp_perf_signals_is_from_library(&info)) {
        if (span)
            left = remaining(span, begin_ns);
        sig = real(set, &info, span ? &left : NULL);
    }
    if (sig > 0 && out)
        *out = info;
    return sig;
}

#else
typedef int cp_no_exec_hooks;
#endif
