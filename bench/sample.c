/*
 * sample - the cost of one sample, including the delivery of the signal.
 *
 * Sends itself the signals that a profiler's timer would send, on stacks of
 * several depths. `sample` measures an empty handler and libcpprof's; `sample
 * SIGNAL` measures the handler of a preloaded profiler. Prints the best of
 * several rounds, in nanoseconds of CPU time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/profiles/cpu.h"
#include "runtime/stacks/signal_owner.h"
#include "runtime/threads/threads.h"
#include "signal/signals/handler.h"
#include "signal/tables/thread.h"

#define ROUNDS 20
#define SIGNALS 2000

static double cpu_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double measure(int sig, void *word)
{
    siginfo_t info;
    double best = 1e18;

    memset(&info, 0, sizeof(info));
    info.si_code = SI_TIMER;
    info.si_value.sival_ptr = word;
    for (int round = 0; round < ROUNDS; round++) {
        double start = cpu_ns(), took;

        for (int i = 0; i < SIGNALS; i++)
            (void)syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), sig,
                          &info);
        took = (cpu_ns() - start) / SIGNALS;
        if (took < best)
            best = took;
    }
    return best;
}

static __attribute__((noinline)) double at_depth(int depth, int sig, void *word)
{
    volatile double ns =
        depth > 0 ? at_depth(depth - 1, sig, word) : measure(sig, word);

    return ns;
}

static void show(const char *name, int sig, void *word)
{
    printf("%-12s", name);
    for (int depth = 10; depth <= 60; depth += 25)
        printf("  depth %d: %6.0f ns", depth, at_depth(depth - 5, sig, word));
    printf("\n");
}

static void do_nothing(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)info;
    (void)context;
}

static int show_ours(void)
{
    struct sigaction action = { .sa_sigaction = do_nothing,
                                .sa_flags = SA_SIGINFO | SA_RESTART };
    struct cp_kind_request request = { .seconds = 1 };
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    struct cp_stack_bounds stack = { here - 200000,
                                     (here + 4096) & ~(uintptr_t)4095 };
    struct cp_signal_thread *self = cp_threads_register(stack, 0);
    struct cp_error err = { 0 };
    void *window;

    if (!self || cp_cpu_kind.begin(&request, &window, &err) != CP_OK) {
        fprintf(stderr, "sample: %s\n", err.msg);
        return 1;
    }
    (void)sigaction(SIGUSR1, &action, NULL);
    show("nothing", SIGUSR1, NULL);
    show("cpprof", cp_signal_owner_signal(),
         cp_signal_payload(CP_SIGNAL_CPU, self->number));
    cp_cpu_kind.cancel(window);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return show_ours();
    show(argc > 2 ? argv[2] : "", atoi(argv[1]), NULL);
    return 0;
}
