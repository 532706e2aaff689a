/* test_read_profile.c - profiles of waiting. */
#include "profile/model/profile.h"
#include "trace/read/read_events.h"
#include "trace/read/read_profile.h"
#include "trace/read/read_spans.h"

#include "check.h"
#include "trace_bytes.h"

static void make(struct trace_made *t)
{
    trace_head(t, "go 1.22 trace");
    trace_clock(t, 1000000000);
    trace_batch(t, 1, 100);
    trace_put(t, CP_TRACE_GO_STATUS, 4, U(0), U(7), U(1), U(2));
    for (uint64_t i = 0; i < 3; i++) {
        trace_put(t, CP_TRACE_GO_BLOCK, 3, U(10), U(1), U(1));
        trace_put(t, CP_TRACE_GO_UNBLOCK, 4, U(100), U(7), 2 * i + 1, U(2));
        trace_put(t, CP_TRACE_GO_START, 3, U(5), U(7), 2 * i + 2);
    }
    trace_put(t, CP_TRACE_SYSCALL_BEGIN, 3, U(10), U(1), U(1));
    trace_put(t, CP_TRACE_SYSCALL_END, 1, U(50));
    trace_put(t, CP_TRACE_GO_BLOCK, 3, U(10), U(2), U(1)); /* does not end */
    trace_end(t);
    trace_strings(t, 4, "chan receive", "network", "main.main", "main.go");
    trace_batch(t, CP_TRACE_NO_THREAD, 0);
    trace_put(t, CP_TRACE_STACKS, 0);
    trace_put(t, CP_TRACE_STACK, 10, U(1), U(2), U(16), U(3), U(4), U(7), U(32),
              U(3), U(4), U(9));
    trace_put(t, CP_TRACE_STACK, 6, U(2), U(1), U(0), U(0), U(0), U(0));
    trace_end(t);
}

/* A goroutine creates another, which ends, and then one with the same id. */
static void make_again(struct trace_made *t)
{
    trace_head(t, "go 1.22 trace");
    trace_clock(t, 1000000000);
    trace_batch(t, 1, 100);
    trace_put(t, CP_TRACE_GO_STATUS, 4, U(0), U(7), U(1), U(2));
    trace_put(t, CP_TRACE_GO_CREATE, 4, U(10), U(8), U(1), U(1));
    trace_put(t, CP_TRACE_GO_CREATE, 4, U(100), U(8), U(1), U(1));
    trace_end(t);
    trace_batch(t, 2, 120);
    for (uint64_t i = 0; i < 2; i++) {
        trace_put(t, CP_TRACE_GO_START, 3, 20 + 50 * i, U(8), U(1));
        trace_put(t, CP_TRACE_GO_STOP, 3, U(1), U(1), U(1));
        trace_put(t, CP_TRACE_GO_START, 3, U(7), U(8), U(2));
        trace_put(t, CP_TRACE_GO_DESTROY, 1, U(1));
    }
    trace_end(t);
    trace_strings(t, 2, "main.main", "main.go");
    trace_batch(t, CP_TRACE_NO_THREAD, 0);
    trace_put(t, CP_TRACE_STACKS, 0);
    trace_put(t, CP_TRACE_STACK, 6, U(1), U(1), U(16), U(1), U(2), U(7));
    trace_end(t);
}

static struct cp_profile *profile(void (*make_trace)(struct trace_made *t),
                                  enum cp_trace_profile_kind kind,
                                  uint64_t from_ns, uint64_t to_ns)
{
    static struct trace_made t;
    struct cp_trace_profile p = { .kind = kind,
                                  .from_ns = from_ns,
                                  .to_ns = to_ns };
    struct cp_trace_watcher w = { .context = &p, .span = cp_trace_profile_add };
    struct cp_trace_spans *spans = NULL;
    struct cp_profile *made = NULL;

    make_trace(&t);
    if (CHECK(cp_trace_spans_read(&spans, t.bytes, t.len, &w, NULL) == CP_OK))
        made = cp_trace_profile_make(&p, cp_trace_spans_names(spans), NULL);
    cp_trace_profile_release(&p);
    cp_trace_spans_free(spans);
    return made;
}

static void test_kinds(void)
{
    static const struct {
        enum cp_trace_profile_kind kind;
        uint64_t from_ns, to_ns;
        int n_samples, count, ns, depth;
    } cases[] = {
        { CP_TRACE_PROFILE_SYNC, 0, 0, 1, 3, 300, 2 },
        { CP_TRACE_PROFILE_SYNC, 150, 250, 1, 2, 60 + 25, 2 },
        { CP_TRACE_PROFILE_SCHED, 0, 0, 1, 3, 15, 0 },
        { CP_TRACE_PROFILE_SYSCALL, 0, 0, 1, 1, 50, 2 },
        { CP_TRACE_PROFILE_NET, 0, 0, 0, 0, 0, 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_profile *p =
            profile(make, cases[i].kind, cases[i].from_ns, cases[i].to_ns);

        check_case(cp_trace_profile_name(cases[i].kind));
        if (!CHECK(p != NULL))
            continue;
        CHECK_INT((int)p->n_samples, cases[i].n_samples);
        CHECK_STR(cp_profile_cstr(p, p->types[0].type), "contentions");
        CHECK_STR(cp_profile_cstr(p, p->types[1].unit), "nanoseconds");
        if (p->n_samples > 0) {
            CHECK_INT((int)p->values[0], cases[i].count);
            CHECK_INT((int)p->values[1], cases[i].ns);
            CHECK_INT((int)p->samples[0].n_locs, cases[i].depth);
        }
        cp_profile_free(p);
    }
}

static void test_names(void)
{
    struct cp_profile *p = profile(make, CP_TRACE_PROFILE_SYNC, 0, 0);

    if (!CHECK(p != NULL))
        return;
    CHECK_INT((int)p->n_functions, 1); /* two lines of one function */
    CHECK_INT((int)p->n_locations, 2);
    CHECK_STR(cp_profile_cstr(p, p->functions[0].name), "main.main");
    CHECK_STR(cp_profile_cstr(p, p->functions[0].filename), "main.go");
    CHECK_INT((int)p->lines[p->locations[1].lines].line, 9);
    cp_profile_free(p);
}

/* The time between creation and first run is not a wait. */
static void test_id_again(void)
{
    struct cp_profile *p = profile(make_again, CP_TRACE_PROFILE_SCHED, 0, 0);

    if (!CHECK(p != NULL))
        return;
    if (CHECK_INT((int)p->n_samples, 1)) {
        CHECK_INT((int)p->values[0], 2);
        CHECK_INT((int)p->values[1], 14);
    }
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_kinds);
    RUN(test_names);
    RUN(test_id_again);
    return check_failures != 0;
}
