/*
 * test_read_timeline.c - tests src/trace/read/read_timeline.c and
 * read_window.c: compares sums and windows with those computed span by span.
 */
#include "base/out.h"
#include "trace/read/read_events.h"
#include "trace/read/read_timeline.h"
#include "trace/read/read_window.h"

#include "check.h"
#include "trace_bytes.h"

#define N_WAITS 700 /* more than one chunk */

static uint64_t seed = 1;

/* A random number below n. */
static uint64_t some(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

/* A thread that waits repeatedly, for random times. */
static void make(struct trace_made *t)
{
    trace_head(t, "go 1.22 trace");
    trace_clock(t, 1000000000);
    trace_batch(t, 1, 1000);
    trace_put(t, CP_TRACE_GO_STATUS, 4, U(0), U(7), U(1), U(2));
    trace_put(t, CP_TRACE_REGION_BEGIN, 4, U(5), U(0), U(3), U(0));
    trace_put(t, CP_TRACE_REGION_BEGIN, 4, U(1), U(0), U(4), U(0));
    for (uint64_t i = 0; i < N_WAITS; i++) {
        trace_put(t, CP_TRACE_GO_BLOCK, 3, some(1000) + 1, 1 + i % 2, U(0));
        trace_put(t, CP_TRACE_GO_UNBLOCK, 4, some(300) + 1, U(7), 2 * i + 1,
                  U(0));
        trace_put(t, CP_TRACE_GO_START, 3, some(9) + 1, U(7), 2 * i + 2);
    }
    trace_put(t, CP_TRACE_REGION_END, 4, U(1), U(0), U(3), U(0));
    trace_end(t);
    trace_strings(t, 4, "sync", "sleep", "outer", "inner");
}

static struct cp_trace_timeline *timeline(void)
{
    static struct trace_made made;
    struct cp_trace_timeline *t = NULL;

    seed = 1;
    make(&made);
    CHECK(cp_trace_timeline_new(&t, made.bytes, made.len, NULL) == CP_OK);
    return t;
}

/* Computes the time in each state between two times, span by span. */
static struct cp_trace_times slowly(const struct cp_trace_timeline *t,
                                    uint64_t from, uint64_t to)
{
    struct cp_trace_times times = { 0 };

    for (uint64_t i = 0; i < cp_trace_timeline_n(t, 0); i++) {
        struct cp_trace_span s = cp_trace_timeline_span(t, 0, i);
        uint64_t a = s.start_ns > from ? s.start_ns : from;
        uint64_t b = s.end_ns < to ? s.end_ns : to;

        if (b > a)
            times.ns[s.state] += b - a;
    }
    return times;
}

static void test_sums(void)
{
    struct cp_trace_timeline *t = timeline();
    uint64_t end, n_wrong = 0;

    if (!t)
        return;
    CHECK_INT((int)cp_trace_timeline_n(t, 0), 3 * N_WAITS + 1);
    end = cp_trace_timeline_span(t, 0, 3 * N_WAITS).end_ns;
    for (int i = 0; i < 2000; i++) {
        uint64_t from = some(end), to = from + some(end - from + 100);
        struct cp_trace_times want = slowly(t, from, to), got = { 0 };

        cp_trace_timeline_add(t, 0, from, to, &got);
        n_wrong += memcmp(&want, &got, sizeof(want)) != 0;
    }
    CHECK_INT((int)n_wrong, 0);
    cp_trace_timeline_free(t);
}

static void test_search(void)
{
    struct cp_trace_timeline *t = timeline();
    uint64_t n, n_wrong = 0, end;

    if (!t)
        return;
    n = cp_trace_timeline_n(t, 0);
    end = cp_trace_timeline_span(t, 0, n - 1).end_ns;
    for (uint64_t ns = 0; ns < end; ns += 37) {
        uint64_t i = cp_trace_timeline_at(t, 0, ns);
        struct cp_trace_span s = cp_trace_timeline_span(t, 0, i < n ? i : 0);

        n_wrong += i >= n || s.start_ns > ns || s.end_ns <= ns;
    }
    CHECK_INT((int)n_wrong, 0);
    CHECK(cp_trace_timeline_at(t, 0, end) == n);
    cp_trace_timeline_free(t);
}

struct item {
    double start, end;
    uint32_t stack, by, reason;
    uint8_t state, is_open, nothing[2], shares[8];
};

/* Items are contiguous, cover the window and are few enough. */
static void check_window(const struct cp_trace_timeline *t, uint64_t from,
                         uint64_t to, uint32_t n_points)
{
    struct cp_trace_window w = { from, to, n_points };
    struct cp_out out = { .fd = -1 };
    uint32_t head[2];
    struct item last = { 0 }, item;

    cp_trace_window_write(t, &w, 0, &out);
    memcpy(head, out.buf, sizeof(head));
    CHECK_INT((int)head[0], 0);
    CHECK(out.len == 8 + head[1] * sizeof(item));
    CHECK(head[1] <= 2 * n_points + 2);
    for (uint32_t i = 0; i < head[1]; i++) {
        memcpy(&item, out.buf + 8 + i * sizeof(item), sizeof(item));
        if (i == 0)
            CHECK(item.start <= (double)from && item.end > (double)from);
        else if (item.start != last.end)
            CHECK(item.start == last.end);
        last = item;
    }
    CHECK(last.end >= (double)to);
    cp_out_release(&out);
}

static void test_windows(void)
{
    static const uint32_t points[] = { 1, 10, 100, 1000, 8000 };
    struct cp_trace_timeline *t = timeline();
    uint64_t end;

    if (!t)
        return;
    end = cp_trace_timeline_span(t, 0, 3 * N_WAITS).end_ns;
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        check_window(t, 0, end, points[i]);
        check_window(t, end / 3, end / 3 + 5000, points[i]);
    }
    cp_trace_timeline_free(t);
}

static void test_regions(void)
{
    struct cp_trace_timeline *t = timeline();
    const struct cp_trace_mark *m;
    size_t n;

    if (!t)
        return;
    m = cp_trace_timeline_marks(t, 0, &n);
    if (CHECK(n == 3)) {
        CHECK(m[0].kind == CP_TRACE_MARK_REGION && m[0].time_ns == 5);
        CHECK(m[0].value ==
              m[2].time_ns); /* matched by name, not the innermost */
        CHECK(m[1].kind == CP_TRACE_MARK_REGION && m[1].value == UINT64_MAX);
    }
    (void)cp_trace_timeline_marks(t, CP_TRACE_NO_LANE, &n);
    CHECK_INT((int)n, 0);
    cp_trace_timeline_free(t);
}

int main(void)
{
    RUN(test_sums);
    RUN(test_search);
    RUN(test_windows);
    RUN(test_regions);
    return check_failures != 0;
}
