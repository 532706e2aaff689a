/* timed_kind.c - starts and ends recordings, and writes their profiles. */
#include "runtime/profiles/timed_kind.h"

#include "base/alloc.h"
#include "profile/model/build.h"
#include "runtime/kind/kind.h"
#include "runtime/os/clock.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/stacks/stack_writer.h"
#include "signal/signals/handler.h"

/* Unattributed time below 1/1000 of the CPU time is noise of the clocks. */
#define MIN_UNATTRIBUTED_FRACTION 1000

/* Sets the rate of the sampler to that of the fastest recording. */
static enum cp_status update_rate(struct cp_timed_kind *p, struct cp_error *err)
{
    enum cp_status status;
    int hz = 0;

    for (struct cp_recording *w = p->recordings; w; w = w->next)
        if (w->hz > hz)
            hz = w->hz;
    if (hz == p->hz)
        return CP_OK;
    status = p->set_rate(hz, err);
    if (status == CP_OK)
        p->hz = hz;
    return status;
}

static void unlink_recording(struct cp_timed_kind *p, struct cp_recording *w)
{
    struct cp_recording **at = &p->recordings;

    while (*at != w) {
        CP_ASSERT(*at);
        at = &(*at)->next;
    }
    *at = w->next;
}

uint64_t cp_timed_kind_lost(void)
{
    return atomic_load(&cp_handler_state.n_no_reader_slot) +
           atomic_load(&cp_handler_state.n_full);
}

static void store_start(struct cp_recording *w)
{
    w->n_truncated = atomic_load(&cp_handler_state.n_truncated);
    w->n_lost = cp_timed_kind_lost();
    w->begin_ns = cp_clock_ns(CLOCK_MONOTONIC);
    w->time_ns = cp_clock_ns(CLOCK_REALTIME);
    w->cpu_ns = cp_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static enum cp_status open_recording(struct cp_timed_kind *p,
                                     struct cp_recording *w,
                                     struct cp_error *err)
{
    enum cp_status status = cp_refresh_acquire(err);

    CP_ASSERT(atomic_load(&cp_refresh_lock.word) != 0);
    if (status != CP_OK)
        return status;
    status = cp_sample_recorder_open(&p->recorder, &w->mark, err);
    if (status != CP_OK) {
        cp_refresh_release();
        return status;
    }
    store_start(w);
    w->next = p->recordings;
    p->recordings = w;
    status = update_rate(p, err);
    if (status != CP_OK) {
        unlink_recording(p, w);
        cp_sample_recorder_close(&p->recorder, &w->mark);
        cp_refresh_release();
    } else if (p->unattributed_ns) {
        w->unattributed_ns = p->unattributed_ns();
    }
    return status;
}

enum cp_status cp_timed_kind_begin(struct cp_timed_kind *p,
                                   const struct cp_kind_request *request,
                                   void **out_recording, struct cp_error *err)
{
    int hz = request->hz > 0 ? request->hz : p->default_hz;
    enum cp_status status;
    struct cp_recording *w;

    if (hz > p->max_hz)
        return cp_error_set(err, CP_EUSAGE, "%d Hz is more than %d Hz", hz,
                            p->max_hz);
    w = cp_alloc(1, sizeof(*w), err);
    if (!w)
        return CP_ENOMEM;
    w->hz = hz;
    cp_lock_acquire(&cp_refresh_lock);
    status = open_recording(p, w, err);
    cp_lock_release(&cp_refresh_lock);
    if (status != CP_OK)
        cp_free(w);
    else
        *out_recording = w;
    return status;
}

/*
 * Writes one sample for the CPU time of threads before they were registered and
 * after they were unregistered, if that is at least half a period and more than
 * the error of the clocks, which are read one after another.
 */
static enum cp_status write_unattributed(const struct cp_recording *w,
                                         struct cp_builder *b,
                                         struct cp_error *err)
{
    const uintptr_t frame = CP_FRAME_UNATTRIBUTED;
    struct cp_stack_writer writer = { .b = b, .err = err };
    struct cp_stack stack = { .frames = &frame, .n = 1 };
    int64_t cpu_ns = cp_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - w->cpu_ns;
    int64_t period = CP_NS_PER_S / w->hz;
    int64_t n = (w->unattributed_ns + period / 2) / period;
    int64_t values[2] = { n, n * period };
    enum cp_status status;

    if (n <= 0 || w->unattributed_ns < cpu_ns / MIN_UNATTRIBUTED_FRACTION)
        return CP_OK;
    status = cp_stack_write(&writer, &stack, values);
    if (status == CP_OK)
        cp_stack_writer_finish(&writer);
    return status;
}

static enum cp_status write_recording(const struct cp_timed_kind *p,
                                      const struct cp_recording *w,
                                      struct cp_builder *b,
                                      struct cp_error *err)
{
    enum cp_status status = cp_builder_init(b, err);

    if (status != CP_OK)
        return status;
    b->profile->time_ns = w->time_ns;
    b->profile->duration_ns = cp_clock_ns(CLOCK_MONOTONIC) - w->begin_ns;
    if (cp_builder_type(b, "samples", "count", err) != CP_OK ||
        cp_builder_type(b, p->type, "nanoseconds", err) != CP_OK ||
        cp_builder_period(b, p->type, "nanoseconds", CP_NS_PER_S / w->hz,
                          err) != CP_OK)
        return CP_ENOMEM;
    status = cp_sample_recorder_write(&w->mark, p->states, b, err);
    if (status == CP_OK && p->unattributed_ns)
        status = write_unattributed(w, b, err);
    if (status == CP_OK && p->comment)
        status = p->comment(w, b, err);
    return status;
}

/*
 * Called with the lock held. A thread whose timer ends adds the time since its
 * last sample, so this comes before the samples are written.
 */
static void end_sampling(struct cp_timed_kind *p, struct cp_recording *w)
{
    if (p->unattributed_ns)
        w->unattributed_ns = p->unattributed_ns() - w->unattributed_ns;
    unlink_recording(p, w);
    (void)update_rate(p, NULL); /* a lower rate does not fail */
}

static void close_recording(struct cp_timed_kind *p, struct cp_recording *w)
{
    cp_sample_recorder_close(&p->recorder, &w->mark);
    cp_refresh_release();
    cp_free(w);
}

enum cp_status cp_timed_kind_finish(struct cp_timed_kind *p, void *recording,
                                    struct cp_profile **out,
                                    struct cp_error *err)
{
    struct cp_builder b = { 0 };
    enum cp_status status;

    cp_lock_acquire(&cp_refresh_lock);
    end_sampling(p, recording);
    status = write_recording(p, recording, &b, err);
    close_recording(p, recording);
    cp_lock_release(&cp_refresh_lock);
    if (status == CP_OK)
        *out = cp_builder_take(&b);
    cp_builder_release(&b);
    return status;
}

void cp_timed_kind_cancel(struct cp_timed_kind *p, void *recording)
{
    cp_lock_acquire(&cp_refresh_lock);
    end_sampling(p, recording);
    close_recording(p, recording);
    cp_lock_release(&cp_refresh_lock);
}

void cp_timed_kind_reset_after_fork(struct cp_timed_kind *p)
{
    p->recordings = NULL; /* the parent's clients own their memory */
    p->hz = 0;
    cp_sample_recorder_reset_after_fork(&p->recorder);
}
