/* cpu.c - see cpu.h. */
#include "runtime/cpu.h"

#include <stdio.h>

#include "runtime/clock.h"
#include "runtime/probe.h"
#include "runtime/threads.h"
#include "signal/handler.h"

#define NS_PER_S 1000000000

static enum cp_status set_rate(int hz, struct cp_error *err)
{
    (void)err;
    cp_threads_set_period(hz ? (uint64_t)(NS_PER_S / hz) : 0);
    return CP_OK;
}

/* What the samples should add up to, and what they lack. */
static enum cp_status comment(const struct cp_probe_window *w,
                              struct cp_builder *b, struct cp_error *err)
{
    int64_t cpu_ns = cp_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - w->cpu_ns;
    uint64_t n_stuck = atomic_load(&cp_signal_sampler.n_stuck) - w->n_stuck;
    uint64_t n_lost =
        atomic_load(&cp_signal_sampler.n_no_place) - w->n_no_place;
    struct cp_threads_stats threads;
    char text[256];
    int len;

    cp_threads_stats(&threads);
    len = snprintf(text, sizeof(text),
                   "cpu time of the process %lld ms; samples lost %llu, with "
                   "an incomplete stack %llu; threads %zu, without a timer %zu",
                   (long long)(cpu_ns / 1000000), (unsigned long long)n_lost,
                   (unsigned long long)n_stuck, threads.n_threads,
                   threads.n_no_timer);
    return cp_builder_comment(b, text, (size_t)len, err);
}

static struct cp_probe cpu = {
    .recorder = { .live = &cp_signal_sampler.cpu },
    .default_hz = CP_CPU_DEFAULT_HZ,
    .most_hz = CP_CPU_MOST_HZ,
    .type = "cpu",
    .set_rate = set_rate,
    .comment = comment,
};

void cp_cpu_set_default_hz(int hz)
{
    cpu.default_hz = hz;
}

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_window, struct cp_error *err)
{
    return cp_probe_begin(&cpu, request, out_window, err);
}

static enum cp_status finish(void *window, struct cp_profile **out,
                             struct cp_error *err)
{
    return cp_probe_finish(&cpu, window, out, err);
}

static void cancel(void *window)
{
    cp_probe_cancel(&cpu, window);
}

static uint64_t count(void)
{
    return atomic_load(&cp_signal_sampler.n_samples);
}

const struct cp_kind cp_cpu_kind = {
    .name = "profile",
    .summary = "CPU profile: where threads spend their time on a processor. "
               "Every thread is sampled by its own CPU clock, 100 times a "
               "second unless hz says otherwise.",
    .default_seconds = 30,
    .text = CP_KIND_TEXT_NONE,
    .begin = begin,
    .finish = finish,
    .cancel = cancel,
    .count = count,
};

size_t cp_cpu_bytes(void)
{
    return cp_recorder_bytes(&cpu.recorder);
}

void cp_cpu_after_fork(void)
{
    cp_probe_forget(&cpu);
}
