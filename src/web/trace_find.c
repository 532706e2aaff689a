/*
 * trace_find.c - searches the stacks of a trace for functions (trace_data.h).
 */

#include "base/alloc.h"
#include "base/out.h"
#include "regex/regex.h"
#include "trace/read/read_timeline.h"
#include "web/trace_data.h"

#define MAX_STACKS 50000               /* stacks that a search returns */
#define MAX_SPANS ((uint64_t)32 << 20) /* spans scanned for the nearest */

/*
 * Returns which functions match, one byte per string; NULL if memory is
 * exhausted.
 */
static uint8_t *match_functions(const struct cp_trace_names *names,
                                struct cp_regex *re)
{
    enum { UNKNOWN, NO, YES };
    uint8_t *found = cp_alloc(names->strings.n, 1, NULL);

    for (size_t i = 0; found && i < names->n_frames; i++) {
        uint32_t function = names->frames[i].function;
        struct cp_str text = cp_trace_text(names, function);

        if (found[function] == UNKNOWN)
            found[function] = cp_regex_match(re, text.ptr, text.len) ? YES : NO;
    }
    for (size_t i = 0; found && i < names->strings.n; i++)
        found[i] = found[i] == YES;
    return found;
}

static bool has_match(const struct cp_trace_names *names, uint32_t stack,
                      const uint8_t *found)
{
    const struct cp_trace_read_stack *s = &names->stacks[stack];

    for (uint32_t i = 0; i < s->n; i++)
        if (found[names->frames[names->stack_frames[s->first + i]].function])
            return true;
    return false;
}

void cp_trace_data_find(const struct cp_trace_timeline *t, struct cp_regex *re,
                        struct cp_out *out)
{
    const struct cp_trace_names *names =
        cp_trace_spans_names(cp_trace_timeline_spans(t));
    uint8_t *found = match_functions(names, re);
    size_t n = 0;

    if (!found) {
        (void)cp_error_nomem(&out->err);
        return;
    }
    cp_out_cstr(out, "{\"stacks\":[");
    for (uint32_t i = 1; i < names->n_stacks && n < MAX_STACKS; i++)
        if (has_match(names, i, found))
            cp_out_printf(out, "%s%u", n++ ? "," : "", i);
    cp_out_cstr(out, "]}");
    cp_free(found);
}

/* A search for the nearest span. */
struct search {
    const struct cp_trace_timeline *t;
    const uint8_t *stacks; /* indexed by stack: whether it matches */
    uint64_t from;
    bool is_back, has_found;
    struct cp_trace_span best;
    uint64_t n_scanned;
};

/*
 * Whether the span is beyond the best one so far, so that the search can stop.
 */
static bool is_too_far(const struct search *h, const struct cp_trace_span *s)
{
    if (!h->has_found)
        return false;
    return h->is_back ? s->start_ns <= h->best.start_ns
                      : s->start_ns >= h->best.start_ns;
}

static void search_lane(struct search *h, uint32_t lane)
{
    uint64_t n = cp_trace_timeline_n(h->t, lane);
    uint64_t i = cp_trace_timeline_at(h->t, lane, h->from);

    i = h->is_back ? i : i + 1; /* the span at `from` began before it */
    while (h->is_back ? i > 0 : i < n) {
        struct cp_trace_span s =
            cp_trace_timeline_span(h->t, lane, h->is_back ? i - 1 : i);

        if (is_too_far(h, &s) || h->n_scanned++ >= MAX_SPANS)
            return;
        i = h->is_back ? i - 1 : i + 1;
        if (!h->stacks[s.stack])
            continue;
        h->best = s;
        h->has_found = true;
        return;
    }
}

/* Returns the stacks with a matching function, one byte per stack. */
static uint8_t *match_stacks(const struct cp_trace_names *names,
                             struct cp_regex *re)
{
    uint8_t *functions = match_functions(names, re);
    uint8_t *stacks = functions ? cp_alloc(names->n_stacks, 1, NULL) : NULL;

    for (uint32_t i = 0; stacks && i < names->n_stacks; i++)
        stacks[i] = has_match(names, i, functions);
    cp_free(functions);
    return stacks;
}

void cp_trace_data_next(const struct cp_trace_timeline *t, struct cp_regex *re,
                        uint64_t ns, bool is_back, struct cp_out *out)
{
    const struct cp_trace_spans *spans = cp_trace_timeline_spans(t);
    uint8_t *stacks = match_stacks(cp_trace_spans_names(spans), re);
    struct search h = {
        .t = t, .stacks = stacks, .from = ns, .is_back = is_back
    };

    if (!stacks) {
        (void)cp_error_nomem(&out->err);
        return;
    }
    for (uint32_t i = 0; i < cp_trace_spans_n_lanes(spans); i++)
        if (cp_trace_timeline_is_shown(t, i))
            search_lane(&h, i);
    cp_out_cstr(out, "{\"span\":[");
    if (h.has_found)
        cp_out_printf(out, "%u,%llu,%llu,%u,%lld,%u,%u", h.best.lane,
                      (unsigned long long)h.best.start_ns,
                      (unsigned long long)h.best.end_ns, h.best.stack,
                      h.best.by == CP_TRACE_NO_LANE ? -1LL
                                                    : (long long)h.best.by,
                      h.best.reason, h.best.state);
    cp_out_cstr(out, "]}");
    cp_free(stacks);
}
