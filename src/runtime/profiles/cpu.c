/* cpu.c - the CPU profile as a timed kind: its rate and its comments. */
#include "runtime/profiles/cpu.h"

#include <stdio.h>

#include "profile/model/build.h"
#include "runtime/os/clock.h"
#include "runtime/profiles/timed_kind.h"
#include "runtime/threads/perf_sampler.h"
#include "runtime/threads/threads.h"
#include "signal/signals/handler.h"

static enum cp_status set_rate(int hz, struct cp_error *err)
{
    (void)err;
    cp_threads_set_period(hz ? (uint64_t)(CP_NS_PER_S / hz) : 0);
    return CP_OK;
}

/*
 * Describes a rate above the kernel's timer tick: timers are too coarse for it.
 * Returns the length of the string, or 0 for a lower rate.
 */
static int describe_fast_rate(int hz, char *out, size_t size)
{
    uint64_t tick_ns = cp_perf_sampler_tick_ns();

    if (tick_ns == 0 || (uint64_t)(CP_NS_PER_S / hz) >= tick_ns)
        return 0;
    if (cp_threads_use_only_events())
        return snprintf(out, size,
                        "%d Hz by events of the kernel (perf_event_open)", hz);
    return snprintf(out, size,
                    "%d Hz is above the kernel's tick of %d Hz: samples are "
                    "fewer and weigh more (no events: %s)",
                    hz, (int)(CP_NS_PER_S / (int64_t)tick_ns),
                    cp_perf_sampler_disabled_reason());
}

/* Adds comments: the CPU time of the process, and which samples are missing. */
static enum cp_status comment(const struct cp_recording *w,
                              struct cp_builder *b, struct cp_error *err)
{
    int64_t cpu_ns = cp_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - w->cpu_ns;
    uint64_t n_truncated =
        atomic_load(&cp_handler_state.n_truncated) - w->n_truncated;
    uint64_t n_lost = cp_timed_kind_lost() - w->n_lost;
    struct cp_threads_stats threads;
    enum cp_status status;
    char text[256];
    int len;

    cp_threads_stats(&threads);
    len = snprintf(text, sizeof(text),
                   "cpu time of the process %lld ms; samples lost %llu, with "
                   "an incomplete stack %llu; threads %zu, without a timer %zu",
                   (long long)(cpu_ns / 1000000), (unsigned long long)n_lost,
                   (unsigned long long)n_truncated, threads.n_threads,
                   threads.n_no_timer);
    status = cp_builder_comment(b, text, (size_t)len, err);
    len = describe_fast_rate(w->hz, text, sizeof(text));
    if (status == CP_OK && len > 0)
        status = cp_builder_comment(b, text, (size_t)len, err);
    return status;
}

static struct cp_timed_kind cpu = {
    .recorder = { .live = &cp_handler_state.cpu },
    .default_hz = CP_CPU_DEFAULT_HZ,
    .max_hz = CP_CPU_MAX_HZ,
    .type = "cpu",
    .set_rate = set_rate,
    .unattributed_ns = cp_threads_unattributed_ns,
    .comment = comment,
};

void cp_cpu_set_default_hz(int hz)
{
    cpu.default_hz = hz;
}

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_recording, struct cp_error *err)
{
    return cp_timed_kind_begin(&cpu, request, out_recording, err);
}

static enum cp_status finish(void *recording, struct cp_profile **out,
                             struct cp_error *err)
{
    return cp_timed_kind_finish(&cpu, recording, out, err);
}

static void cancel(void *recording)
{
    cp_timed_kind_cancel(&cpu, recording);
}

/* Warns if the default rate, or the current one, is not reached. */
static const char *disabled_reason(void)
{
    static char text[256]; /* only the endpoint thread calls this */
    int hz = cpu.hz > cpu.default_hz ? cpu.hz : cpu.default_hz;
    int len = cp_threads_use_only_events()
                  ? 0
                  : describe_fast_rate(hz, text, sizeof(text));

    return len > 0 ? text : NULL;
}

static uint64_t count(void)
{
    return atomic_load(&cp_handler_state.n_samples);
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
    .disabled_reason = disabled_reason,
};

size_t cp_cpu_bytes(void)
{
    return cp_sample_recorder_bytes(&cpu.recorder);
}

void cp_cpu_reset_after_fork(void)
{
    cp_timed_kind_reset_after_fork(&cpu);
}
