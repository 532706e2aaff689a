/* test_read_threads.c - the table of threads. */
#include "trace/read/read_events.h"
#include "trace/read/read_spans.h"
#include "trace/read/read_threads.h"

#include "check.h"
#include "trace_bytes.h"

/*
 * Thread 5 as libcpprof writes it: with the kernel's figures, and a recorder.
 */
static void make_native(struct trace_made *t)
{
    trace_head(t, "go 1.22 trace");
    trace_clock(t, 1000000000);
    trace_batch(t, 1, 1000);
    trace_put(t, CP_TRACE_GO_STATUS, 4, U(0), U(1), U(1), U(2));
    trace_put(t, CP_TRACE_LOG, 5, U(0), U(0), U(1), U(2), U(0));
    trace_put(t, CP_TRACE_LOG, 5, U(500), U(0), U(3), U(4), U(0));
    trace_put(t, CP_TRACE_LOG, 5, U(0), U(0), U(5), U(6), U(0));
    trace_end(t);
    trace_batch(t, 5, 1000);
    trace_put(t, CP_TRACE_GO_STATUS, 4, U(0), U(5), U(5), U(2));
    trace_put(t, CP_TRACE_GO_LABEL, 2, U(1), U(7));
    trace_put(t, CP_TRACE_SYSCALL_BEGIN, 3, U(99), U(1), U(0));
    trace_put(t, CP_TRACE_SYSCALL_END, 1, U(100));
    trace_put(t, CP_TRACE_GO_BLOCK, 3, U(100), U(8), U(0));
    trace_end(t);
    trace_batch(t, 6, 1100);
    trace_put(t, CP_TRACE_GO_STATUS, 4, U(0), U(6), U(6), U(2));
    /* A message of the program in the recorder's format does not count. */
    trace_put(t, CP_TRACE_LOG, 5, U(600), U(0), U(1), U(2), U(0));
    trace_put(t, CP_TRACE_LOG, 5, U(0), U(0), U(3), U(9), U(0));
    trace_put(t, CP_TRACE_LOG, 5, U(0), U(0), U(5), U(6), U(0));
    trace_end(t);
    trace_strings(t, 9, "cpprof.trace", "version=1 pid=5", "cpprof.thread",
                  "tid=5 name=worker start_ns=1050 end_ns=1500 user_ns=180 "
                  "sys_ns=20 wait_ns=222 syscalls=3 errors=1 cpu=0",
                  "cpprof.lost", "events=7 stacks=2", "worker", "sleep",
                  "tid=5 user_ns=1 vcsw=3");
}

static const struct cp_trace_row *row(const struct cp_trace_threads *t,
                                      uint64_t id)
{
    for (size_t i = 0; i < t->n_rows; i++)
        if (t->rows[i].values[CP_TRACE_COL_ID] == id)
            return &t->rows[i];
    return NULL;
}

static void test_figures(void)
{
    static const struct {
        enum cp_trace_column column;
        uint64_t want;
    } cases[] = {
        { CP_TRACE_COL_START, 0 },   { CP_TRACE_COL_DURATION, 500 },
        { CP_TRACE_COL_RUN, 200 },   { CP_TRACE_COL_USER, 180 },
        { CP_TRACE_COL_SYS, 20 },    { CP_TRACE_COL_IDLE, 222 },
        { CP_TRACE_COL_IO, 100 },    { CP_TRACE_COL_SYSCALLS, 3 },
        { CP_TRACE_COL_ERRORS, 1 },  { CP_TRACE_COL_BLOCKS, 1 },
        { CP_TRACE_COL_DUTY, 4000 }, { CP_TRACE_COL_CPU, 0 },
    };
    static struct trace_made made;
    struct cp_trace_threads *t = NULL;
    const struct cp_trace_row *r;

    make_native(&made);
    if (!CHECK(cp_trace_threads_read(&t, made.bytes, made.len, NULL) == CP_OK))
        return;
    CHECK_INT((int)t->n_rows, 2); /* without the recorder */
    CHECK_INT((int)t->n_lost, 9);
    CHECK(row(t, 1) == NULL && row(t, 6) != NULL);
    r = row(t, 5);
    if (CHECK(r != NULL)) {
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            check_case(cp_trace_columns[cases[i].column].name);
            CHECK(cp_trace_row_has(r, cases[i].column));
            CHECK_INT((int)r->values[cases[i].column], (int)cases[i].want);
        }
        CHECK(!cp_trace_row_has(r, CP_TRACE_COL_VCSW)); /* not in the message */
        CHECK_STR(cp_trace_spans_title(t->spans, r->lane).ptr, "worker");
    }
    cp_trace_threads_free(t);
}

/* Threads 1 to 4, which start and run at different times. */
static void make_four(struct trace_made *t)
{
    static const uint64_t runs[] = { 30, 10, 40, 20 };

    trace_head(t, "go 1.22 trace");
    trace_clock(t, 1000000000);
    for (uint64_t i = 0; i < 4; i++) {
        trace_batch(t, i + 1, 100 + i);
        trace_put(t, CP_TRACE_GO_STATUS, 4, U(0), i + 1, i + 1, U(2));
        trace_put(t, CP_TRACE_GO_LABEL, 2, U(0), 4 - i);
        trace_put(t, CP_TRACE_GO_BLOCK, 3, runs[i] * 10, U(5), U(0));
        trace_end(t);
    }
    trace_strings(t, 5, "d", "b", "c", "a", "sleep");
}

static void test_sort(void)
{
    static const struct {
        const char *column;
        uint64_t want[4];
    } cases[] = {
        { "id", { 1, 2, 3, 4 } },    { "-id", { 4, 3, 2, 1 } },
        { "run", { 3, 1, 4, 2 } },   { "-run", { 2, 4, 1, 3 } },
        { "name", { 1, 3, 2, 4 } },  { "-name", { 4, 2, 3, 1 } },
        { "start", { 1, 2, 3, 4 } }, { "duration", { 1, 2, 3, 4 } },
        { "vcsw", { 1, 2, 3, 4 } },
    };
    static struct trace_made made;
    struct cp_trace_threads *t = NULL;
    struct cp_error err = { 0 };

    make_four(&made);
    if (!CHECK(cp_trace_threads_read(&t, made.bytes, made.len, NULL) == CP_OK))
        return;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_case(cases[i].column);
        CHECK(cp_trace_threads_sort(t, cases[i].column, NULL) == CP_OK);
        for (int k = 0; k < 4; k++)
            CHECK_INT((int)t->rows[k].values[CP_TRACE_COL_ID],
                      (int)cases[i].want[k]);
    }
    CHECK(cp_trace_threads_sort(t, "weight", &err) == CP_EUSAGE);
    CHECK(strncmp(err.msg, "unknown column weight; use one of name id", 41) ==
          0);
    CHECK(cp_trace_threads_sort(NULL, "run", NULL) == CP_OK);
    cp_trace_threads_free(t);
}

/* A row without a value sorts last in both directions. */
static void test_sort_missing(void)
{
    static struct trace_made made;
    struct cp_trace_threads *t = NULL;

    make_native(&made);
    if (!CHECK(cp_trace_threads_read(&t, made.bytes, made.len, NULL) == CP_OK))
        return;
    for (int i = 0; i < 2; i++) {
        CHECK(cp_trace_threads_sort(t, i ? "-user" : "user", NULL) == CP_OK);
        CHECK_INT((int)t->rows[0].values[CP_TRACE_COL_ID], 5);
        CHECK_INT((int)t->rows[1].values[CP_TRACE_COL_ID], 6);
    }
    cp_trace_threads_free(t);
}

int main(void)
{
    RUN(test_figures);
    RUN(test_sort);
    RUN(test_sort_missing);
    return check_failures != 0;
}
