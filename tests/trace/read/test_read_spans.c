/* test_read_spans.c - from the bytes of a trace to spans and marks. */
#include "base/alloc.h"
#include "trace/read/read_events.h"
#include "trace/read/read_spans.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "trace_bytes.h"

/* Writes all spans and marks of a trace as text. */
struct heard {
    struct cp_trace_spans *spans;
    char text[8192];
};

static const char *text_of(const struct heard *h, uint32_t string)
{
    return cp_trace_text(cp_trace_spans_names(h->spans), string).ptr;
}

static enum cp_status hear_span(void *context, const struct cp_trace_span *s,
                                struct cp_error *err)
{
    struct heard *h = context;
    size_t n = strlen(h->text);

    (void)err;
    (void)snprintf(
        h->text + n, sizeof(h->text) - n, "%llu %s %s %llu-%llu%s;",
        (unsigned long long)cp_trace_spans_lane(h->spans, s->lane)->id,
        cp_trace_state_name((enum cp_trace_state)s->state),
        text_of(h, s->reason), (unsigned long long)s->start_ns,
        (unsigned long long)s->end_ns, s->is_open ? "+" : "");
    return CP_OK;
}

static enum cp_status hear_mark(void *context, const struct cp_trace_mark *m,
                                struct cp_error *err)
{
    struct heard *h = context;
    size_t n = strlen(h->text);

    (void)err;
    (void)snprintf(h->text + n, sizeof(h->text) - n, "mark %u %s %s %llu;",
                   m->kind, text_of(h, m->name), text_of(h, m->text),
                   (unsigned long long)m->time_ns);
    return CP_OK;
}

static enum cp_status hear(struct heard *h, const void *bytes, size_t len,
                           struct cp_error *err)
{
    struct cp_trace_watcher watcher = { h, hear_span, hear_mark };

    h->text[0] = '\0';
    h->spans = NULL;
    return cp_trace_spans_read(&h->spans, bytes, len, &watcher, err);
}

/*
 * Two threads: the wake-up by the second has an earlier time stamp than the
 * block of the first.
 */
static void make_two(struct trace_made *t)
{
    trace_head(t, "go 1.22 trace");
    trace_clock(t, 1000000000);
    trace_batch(t, 1, 100);
    trace_put(t, CP_TRACE_PROC_STATUS, 3, U(0), U(0), U(1));
    trace_put(t, CP_TRACE_GO_STATUS, 4, U(1), U(7), U(1), U(2));
    trace_put(t, CP_TRACE_GO_CREATE, 4, U(9), U(8), U(2), U(1));
    trace_put(t, CP_TRACE_GO_BLOCK, 3, U(40), U(1), U(1));
    trace_put(t, CP_TRACE_GO_START, 3, U(200), U(7), U(2));
    trace_put(t, CP_TRACE_LOG, 5, U(5), U(0), U(2), U(3), U(0));
    trace_end(t);
    trace_batch(t, 2, 120);
    trace_put(t, CP_TRACE_PROC_STATUS, 3, U(0), U(1), U(1));
    trace_put(t, CP_TRACE_GO_START, 3, U(10), U(8), U(1));
    trace_put(t, CP_TRACE_GO_UNBLOCK, 4, U(10), U(7), U(1), U(1));
    trace_put(t, CP_TRACE_GO_DESTROY, 1, U(60));
    trace_end(t);
    trace_strings(t, 4, "sync.mutex", "category", "text", "main.work");
    trace_batch(t, CP_TRACE_NO_THREAD, 0);
    trace_put(t, CP_TRACE_STACKS, 0);
    trace_put(t, CP_TRACE_STACK, 6, U(1), U(1), U(4096), U(4), U(0), U(3));
    trace_put(t, CP_TRACE_STACK, 6, U(2), U(1), U(4097), U(4), U(0), U(4));
    trace_end(t);
    trace_batch(t, CP_TRACE_NO_THREAD, 0);
    trace_put(t, CP_TRACE_CPU_SAMPLES, 0);
    trace_put(t, CP_TRACE_CPU_SAMPLE, 5, U(115), U(1), U(0), U(7), U(1));
    trace_end(t);
}

static void test_order(void)
{
    static struct trace_made t;
    static struct heard h;
    struct cp_error err = { 0 };

    make_two(&t);
    if (!CHECK(hear(&h, t.bytes, t.len, &err) == CP_OK)) {
        printf("    %s\n", err.msg);
        return;
    }
    CHECK_STR(h.text, "8 runnable  110-130;7 running  100-150;"
                      "7 sync sync.mutex 150-151;8 running  130-200;"
                      "7 runnable  151-350;mark 1 category text 355;"
                      "mark 0   115;7 running  350-355+;");
    CHECK_INT((int)cp_trace_spans_summary(h.spans)->n_events, 10);
    CHECK_INT((int)cp_trace_spans_summary(h.spans)->n_samples, 1);
    CHECK_STR(cp_trace_spans_title(h.spans, 1).ptr, "main.work");
    CHECK(cp_trace_spans_lane(h.spans, 1)->was_created);
    CHECK(cp_trace_spans_lane(h.spans, 1)->has_ended);
    CHECK(cp_trace_spans_find(h.spans, 99) == CP_TRACE_NO_LANE);
    cp_trace_spans_free(h.spans);
}

/* A state continues across generations, and clocks may change. */
static void test_generations(void)
{
    static struct trace_made t;
    static struct heard h;

    trace_head(&t, "go 1.26 trace");
    trace_batch(&t, CP_TRACE_NO_THREAD, 0);
    trace_put(&t, CP_TRACE_SYNC_MARK, 0);
    trace_put(&t, CP_TRACE_FREQUENCY, 1, U(500000000));
    trace_put(&t, CP_TRACE_CLOCK_SNAPSHOT, 4, U(0), U(1), U(2), U(3));
    trace_end(&t);
    trace_batch(&t, 1, 50);
    trace_put(&t, CP_TRACE_GO_STATUS, 4, U(0), U(7), U(1), U(2));
    trace_put(&t, CP_TRACE_GO_BLOCK, 3, U(10), U(1), U(0));
    trace_end(&t);
    trace_strings(&t, 1, "sleep");
    t.bytes[t.len++] = CP_TRACE_END_OF_GENERATION;
    t.generation = 2;
    trace_clock(&t, 1000000000);
    trace_batch(&t, 1, 300);
    trace_put(&t, CP_TRACE_GO_STATUS, 4, U(0), U(7), U(1), U(4));
    trace_put(&t, CP_TRACE_GO_UNBLOCK, 4, U(10), U(7), U(1), U(0));
    trace_put(&t, CP_TRACE_GO_START, 3, U(10), U(7), U(2));
    trace_end(&t);
    t.bytes[t.len++] = CP_TRACE_END_OF_GENERATION;
    if (!CHECK(hear(&h, t.bytes, t.len, NULL) == CP_OK))
        return;
    CHECK_STR(h.text, "7 running  100-120;7 sleep sleep 120-310;"
                      "7 runnable  310-320;7 running  320-320+;");
    CHECK_INT((int)cp_trace_spans_summary(h.spans)->n_generations, 2);
    CHECK_INT(cp_trace_spans_summary(h.spans)->minor, 26);
    cp_trace_spans_free(h.spans);
}

/* The trace of a program that died in the middle of a batch. */
static void test_cut(void)
{
    static struct trace_made t;
    static struct heard h;
    struct cp_error err = { 0 };
    size_t whole;

    make_two(&t);
    whole = t.len;
    trace_batch(&t, 1, 400);
    trace_put(&t, CP_TRACE_GO_DESTROY, 1, U(1));
    trace_end(&t);
    if (CHECK(hear(&h, t.bytes, t.len - 1, NULL) == CP_OK)) {
        CHECK(cp_trace_spans_summary(h.spans)->is_cut);
        CHECK_INT((int)cp_trace_spans_summary(h.spans)->cut_at, (int)whole);
        CHECK_INT((int)cp_trace_spans_summary(h.spans)->n_events, 10);
        cp_trace_spans_free(h.spans);
    }
    CHECK(hear(&h, t.bytes, 20, &err) == CP_EFORMAT);
    CHECK_STR(err.msg, "the trace has no events and is truncated");
    for (size_t len = 0; len < t.len; len++) /* truncated anywhere */
        if (hear(&h, t.bytes, len, NULL) == CP_OK)
            cp_trace_spans_free(h.spans);
}

/* Truncated between two batches of a generation; the clock comes last. */
static void test_cut_between(void)
{
    static struct trace_made t;
    static struct heard h;

    make_two(&t);
    t.generation++;
    trace_batch(&t, 1, 400);
    trace_put(&t, CP_TRACE_GO_STATUS, 4, U(0), U(7), U(1), U(2));
    trace_end(&t);
    if (!CHECK(hear(&h, t.bytes, t.len, NULL) == CP_OK))
        return;
    CHECK(cp_trace_spans_summary(h.spans)->is_cut);
    CHECK_INT((int)cp_trace_spans_summary(h.spans)->cut_at, (int)t.len);
    CHECK_INT((int)cp_trace_spans_summary(h.spans)->n_events, 10);
    cp_trace_spans_free(h.spans);
}

static void check_error(const char *name, const struct trace_made *t,
                        const char *want)
{
    static struct heard h;
    struct cp_error err = { 0 };

    check_case(name);
    CHECK(hear(&h, t->bytes, t->len, &err) == CP_EFORMAT);
    CHECK_STR(err.msg, want);
}

static void test_errors(void)
{
    static struct trace_made t;

    trace_head(&t, "perf.data");
    check_error("another file", &t,
                "not an execution trace: it does not start with "
                "\"go 1.22 trace\"");
    trace_head(&t, "go 1.19 trace");
    check_error("old", &t,
                "the trace is from Go 1.19; supported are 1.22 and later");
    trace_head(&t, "go 1.99 trace");
    check_error("new", &t,
                "the trace has the format of Go 1.99; supported are "
                "versions up to 1.26");
    trace_head(&t, "go 1.22 trace");
    check_error("nothing in it", &t, "the trace has no events");
    t.bytes[t.len++] = 99;
    check_error("no batch", &t, "no batch at byte 16");
    trace_head(&t, "go 1.22 trace");
    trace_batch(&t, 1, 0);
    trace_put(&t, CP_TRACE_PROC_STOP, 1, U(0));
    trace_end(&t);
    check_error("no clock at the end", &t,
                "the trace has no events and is truncated");
    t.generation = 2;
    trace_clock(&t, 1000);
    check_error("no clock", &t, "generation 1 has no clock");
    trace_head(&t, "go 1.22 trace");
    trace_clock(&t, 1000);
    t.generation = 2;
    trace_clock(&t, 1000);
    trace_batch(&t, 1, 0);
    trace_put(&t, 99, 1, U(0));
    trace_end(&t);
    check_error("no such event", &t,
                "invalid event (kind 99) of thread 1 in generation 2");
    trace_head(&t, "go 1.22 trace");
    trace_clock(&t, 0);
    check_error("a clock that stands", &t, "invalid clock at byte 30");
    trace_head(&t, "go 1.22 trace");
    t.generation = 0;
    trace_clock(&t, 1);
    check_error("generation 0", &t, "batch without a generation at byte 16");
    trace_head(&t, "go 1.22 trace");
    trace_clock(&t, 1);
    trace_strings(&t, 1, "text");
    t.bytes[t.len - 5] = 200; /* longer than the batch */
    check_error("strings", &t, "bad strings in generation 1");
}

/* Every allocation fails once. */
static void test_no_memory(void)
{
    static struct trace_made t;
    static struct heard h;
    struct cp_error err = { 0 };
    enum cp_status status = CP_ENOMEM;
    long n;

    make_two(&t);
    for (n = 1; n < 1000 && status == CP_ENOMEM; n++) {
        cp_alloc_fail_at(n);
        status = hear(&h, t.bytes, t.len, &err);
        cp_alloc_fail_at(0);
    }
    CHECK(status == CP_OK);
    CHECK(n > 10);
    if (status == CP_OK)
        cp_trace_spans_free(h.spans);
}

int main(void)
{
    RUN(test_order);
    RUN(test_generations);
    RUN(test_cut);
    RUN(test_cut_between);
    RUN(test_errors);
    RUN(test_no_memory);
    return check_failures != 0;
}
