/* cpu.c - see cpu.h. */
#include "runtime/cpu.h"

#include <stdio.h>

#include "base/alloc.h"
#include "profile/build.h"
#include "runtime/clock.h"
#include "runtime/recorder.h"
#include "runtime/sampler.h"
#include "runtime/threads.h"
#include "signal/handler.h"

#define NS_PER_S 1000000000

struct window {
    struct window *next;
    struct cp_recorder_mark mark;
    int hz;
    int64_t begin_ns; /* monotonic */
    int64_t time_ns;  /* of the day */
    int64_t cpu_ns;   /* of the process, from the start of the profile */
    uint64_t n_stuck, n_no_place;
};

/* Under cp_sampler_lock. */
static struct {
    struct cp_recorder recorder;
    struct window *windows;
    int default_hz, hz;
} cpu = { .recorder = { .live = &cp_signal_sampler.cpu },
          .default_hz = CP_CPU_DEFAULT_HZ };

void cp_cpu_set_default_hz(int hz)
{
    cpu.default_hz = hz;
}

/* The timers run at the rate of the fastest window. */
static void set_rate(void)
{
    int hz = 0;

    for (struct window *w = cpu.windows; w; w = w->next)
        if (w->hz > hz)
            hz = w->hz;
    if (hz == cpu.hz)
        return;
    cpu.hz = hz;
    cp_threads_set_period(hz ? (uint64_t)(NS_PER_S / hz) : 0);
}

static enum cp_status open_window(struct window *w, struct cp_error *err)
{
    enum cp_status status = cp_sampler_open(err);

    if (status != CP_OK)
        return status;
    status = cp_recorder_open(&cpu.recorder, &w->mark, err);
    if (status != CP_OK) {
        cp_sampler_close();
        return status;
    }
    w->n_stuck = atomic_load(&cp_signal_sampler.n_stuck);
    w->n_no_place = atomic_load(&cp_signal_sampler.n_no_place);
    w->begin_ns = cp_clock_ns(CLOCK_MONOTONIC);
    w->time_ns = cp_clock_ns(CLOCK_REALTIME);
    w->cpu_ns = cp_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    w->next = cpu.windows;
    cpu.windows = w;
    set_rate();
    return CP_OK;
}

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_window, struct cp_error *err)
{
    int hz = request->hz > 0 ? request->hz : cpu.default_hz;
    enum cp_status status;
    struct window *w;

    if (hz > CP_CPU_MOST_HZ)
        return cp_error_set(err, CP_EUSAGE, "more than %d Hz", CP_CPU_MOST_HZ);
    w = cp_alloc(1, sizeof(*w), err);
    if (!w)
        return CP_ENOMEM;
    w->hz = hz;
    cp_lock_take(&cp_sampler_lock);
    status = open_window(w, err);
    cp_lock_give(&cp_sampler_lock);
    if (status != CP_OK)
        cp_free(w);
    else
        *out_window = w;
    return status;
}

static enum cp_status describe(const struct window *w, struct cp_builder *b,
                               struct cp_error *err)
{
    struct cp_profile *p = b->profile;

    p->time_ns = w->time_ns;
    p->duration_ns = cp_clock_ns(CLOCK_MONOTONIC) - w->begin_ns;
    if (cp_builder_type(b, "samples", "count", err) != CP_OK ||
        cp_builder_type(b, "cpu", "nanoseconds", err) != CP_OK)
        return CP_ENOMEM;
    return cp_builder_period(b, "cpu", "nanoseconds", NS_PER_S / w->hz, err);
}

/* What the samples should add up to, and what they lack. */
static enum cp_status comment(const struct window *w, struct cp_builder *b,
                              struct cp_error *err)
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

static enum cp_status write_window(const struct window *w, struct cp_builder *b,
                                   struct cp_error *err)
{
    enum cp_status status = cp_builder_init(b, err);

    if (status == CP_OK)
        status = describe(w, b, err);
    if (status == CP_OK)
        status = cp_recorder_write(&w->mark, NULL, b, err);
    if (status == CP_OK)
        status = comment(w, b, err);
    return status;
}

/* Called with the lock held. */
static void close_window(struct window *w)
{
    struct window **at = &cpu.windows;

    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    set_rate();
    cp_recorder_close(&cpu.recorder, &w->mark);
    cp_sampler_close();
    cp_free(w);
}

static enum cp_status finish(void *window, struct cp_profile **out,
                             struct cp_error *err)
{
    struct cp_builder b = { 0 };
    enum cp_status status;

    cp_lock_take(&cp_sampler_lock);
    status = write_window(window, &b, err);
    close_window(window);
    cp_lock_give(&cp_sampler_lock);
    if (status == CP_OK)
        *out = cp_builder_take(&b);
    cp_builder_release(&b);
    return status;
}

static void cancel(void *window)
{
    cp_lock_take(&cp_sampler_lock);
    close_window(window);
    cp_lock_give(&cp_sampler_lock);
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
    cpu.windows = NULL; /* their memory was the parent's clients' */
    cpu.hz = 0;
    cp_recorder_forget(&cpu.recorder);
}
