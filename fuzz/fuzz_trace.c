/*
 * fuzz_trace.c - reads any bytes as an execution trace: the table of threads,
 * the profiles, and windows of the timeline, whose sums must agree.
 */
#include <stdlib.h>

#include "base/out.h"
#include "profile/model/profile.h"
#include "trace/read/read_profile.h"
#include "trace/read/read_threads.h"
#include "trace/read/read_timeline.h"
#include "trace/read/read_window.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The times of both halves of a lane must add up to the whole. */
static void check_lane(const struct cp_trace_timeline *t, uint32_t lane)
{
    struct cp_trace_times whole = { 0 }, parts = { 0 };
    uint64_t n = cp_trace_timeline_n(t, lane), middle;

    if (n == 0)
        return;
    middle = cp_trace_timeline_span(t, lane, n / 2).start_ns + 1;
    cp_trace_timeline_add(t, lane, 0, UINT64_MAX, &whole);
    cp_trace_timeline_add(t, lane, 0, middle, &parts);
    cp_trace_timeline_add(t, lane, middle, UINT64_MAX, &parts);
    if (memcmp(&whole, &parts, sizeof(whole)) != 0)
        abort();
}

static void look(const struct cp_trace_timeline *t)
{
    const struct cp_trace_spans *spans = cp_trace_timeline_spans(t);
    const struct cp_trace_summary *s = cp_trace_spans_summary(spans);
    struct cp_trace_window w = { 0, s->last_ns - s->first_ns + 1, 50 };
    uint32_t n = cp_trace_spans_n_lanes(spans);
    struct cp_out out = { .fd = -1 };
    size_t n_marks;

    for (uint32_t i = 0; i < n && i < 100; i++) {
        cp_trace_window_write(t, &w, i, &out);
        (void)cp_trace_timeline_marks(t, i, &n_marks);
        check_lane(t, i);
    }
    cp_out_release(&out);
}

static void make_profile(const uint8_t *data, size_t size)
{
    struct cp_trace_profile p = { .kind = CP_TRACE_PROFILE_SYNC };
    struct cp_trace_watcher w = { .context = &p, .span = cp_trace_profile_add };
    struct cp_trace_spans *spans = NULL;

    if (cp_trace_spans_read(&spans, data, size, &w, NULL) == CP_OK) {
        cp_profile_free(
            cp_trace_profile_make(&p, cp_trace_spans_names(spans), NULL));
        cp_trace_spans_free(spans);
    }
    cp_trace_profile_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cp_trace_timeline *timeline = NULL;
    struct cp_trace_threads *threads = NULL;

    if (cp_trace_timeline_new(&timeline, data, size, NULL) == CP_OK)
        look(timeline);
    cp_trace_timeline_free(timeline);
    if (cp_trace_threads_read(&threads, data, size, NULL) == CP_OK)
        (void)cp_trace_threads_sort(threads, "run", NULL);
    cp_trace_threads_free(threads);
    make_profile(data, size);
    return 0;
}
