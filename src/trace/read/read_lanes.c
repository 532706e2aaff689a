/*
 * read_lanes.c - tables of lanes, threads and processors; transitions of lanes.
 */
#include "trace/read/read_lanes.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

#define MAX_ITEMS ((uint32_t)1 << 23)

/* Words in the reasons of Go's traces, and the states they mean. */
static const struct {
    const char *word;
    uint8_t state;
} reasons[] = {
    { "network", CP_TRACE_NETWORK }, { "sync", CP_TRACE_SYNC },
    { "chan", CP_TRACE_SYNC },       { "select", CP_TRACE_SYNC },
    { "sleep", CP_TRACE_SLEEP },     { "io", CP_TRACE_NETWORK },
};

static uint8_t state_of_text(struct cp_str text)
{
    if (text.len == strlen("synctest") &&
        memcmp(text.ptr, "synctest", text.len) == 0)
        return CP_TRACE_BLOCKED;
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        size_t len = strlen(reasons[i].word);

        if (text.len >= len && memcmp(text.ptr, reasons[i].word, len) == 0)
            return reasons[i].state;
    }
    return CP_TRACE_BLOCKED;
}

enum cp_status cp_trace_lanes_blocked_state(struct cp_trace_spans *s,
                                            uint32_t reason, uint8_t *out,
                                            struct cp_error *err)
{
    if (reason >= s->n_states) {
        if (cp_reserve(&s->states, &s->cap_states, (size_t)reason + 1, 1,
                       err) != CP_OK)
            return CP_ENOMEM;
        memset(s->states + s->n_states, 0, reason + 1 - s->n_states);
        s->n_states = (size_t)reason + 1;
    }
    if (s->states[reason] == 0)
        s->states[reason] =
            (uint8_t)(state_of_text(cp_trace_text(&s->names, reason)) + 1);
    *out = (uint8_t)(s->states[reason] - 1);
    return CP_OK;
}

uint32_t cp_trace_lanes_find(const struct cp_table *t, uint64_t id)
{
    size_t probe = 0;

    return cp_table_next(t, cp_hash_unique(id), &probe);
}

/* A list of structs, and a table from their ids to their indexes. */
struct list {
    struct cp_table *ids;
    void *items; /* address of the pointer to them */
    size_t *n, *cap, size;
};

/* Finds the index of an id; appends *fresh for a new id. */
static enum cp_status number_of(const struct list *list, uint64_t id,
                                const void *fresh, uint32_t *out,
                                struct cp_error *err)
{
    char *items;

    *out = cp_trace_lanes_find(list->ids, id);
    if (*out != CP_TABLE_END)
        return CP_OK;
    *out = (uint32_t)*list->n;
    if (*list->n >= MAX_ITEMS)
        return cp_error_set(err, CP_EFORMAT,
                            "the trace has too many goroutines or threads");
    if (cp_reserve(list->items, list->cap, *list->n + 1, list->size, err) !=
            CP_OK ||
        cp_table_add(list->ids, cp_hash_unique(id), *out, err) != CP_OK)
        return CP_ENOMEM;
    memcpy(&items, list->items, sizeof(items));
    memcpy(items + *list->n * list->size, fresh, list->size);
    ++*list->n;
    return CP_OK;
}

enum cp_status cp_trace_lanes_lane(struct cp_trace_spans *s, uint64_t id,
                                   uint32_t *out, struct cp_error *err)
{
    const struct list list = { &s->lane_ids, &s->lanes, &s->n_lanes,
                               &s->cap_lanes, sizeof(*s->lanes) };
    const struct cp_trace_lane fresh = { .id = id,
                                         .state = CP_TRACE_NONE,
                                         .by = CP_TRACE_NO_LANE };

    return number_of(&list, id, &fresh, out, err);
}

enum cp_status cp_trace_lanes_thread(void *context, uint64_t id, uint32_t *out,
                                     struct cp_error *err)
{
    struct cp_trace_spans *s = context;
    const struct list list = { &s->thread_ids, &s->threads, &s->n_threads,
                               &s->cap_threads, sizeof(*s->threads) };
    const struct cp_trace_thread fresh = { CP_TRACE_NO_LANE, CP_TRACE_NO_LANE,
                                           false };

    return number_of(&list, id, &fresh, out, err);
}

enum cp_status cp_trace_lanes_proc(struct cp_trace_spans *s, uint64_t id,
                                   uint32_t *out, struct cp_error *err)
{
    const struct list list = { &s->proc_ids, &s->procs, &s->n_procs,
                               &s->cap_procs, sizeof(*s->procs) };
    const struct cp_trace_proc fresh = { 0 };

    return number_of(&list, id, &fresh, out, err);
}

bool cp_trace_lanes_is_blocked(const struct cp_trace_lane *l)
{
    return l->state >= CP_TRACE_NETWORK && l->state <= CP_TRACE_BLOCKED;
}

/* Ends the current span of a lane and passes it to the watcher. */
static enum cp_status end_span(struct cp_trace_spans *s, uint32_t lane,
                               uint64_t now, bool is_open, struct cp_error *err)
{
    const struct cp_trace_lane *l = &s->lanes[lane];
    struct cp_trace_span span = { .lane = lane,
                                  .state = l->state,
                                  .is_open = is_open,
                                  .is_early = !l->has_run,
                                  .reason = l->reason,
                                  .stack = l->stack,
                                  .by = l->by,
                                  .start_ns = l->since_ns,
                                  .end_ns = now };

    if (l->state == CP_TRACE_NONE || !s->watcher->span)
        return CP_OK;
    return s->watcher->span(s->watcher->context, &span, err);
}

enum cp_status cp_trace_lanes_change(struct cp_trace_spans *s, uint32_t lane,
                                     uint64_t now, struct cp_trace_change to,
                                     struct cp_error *err)
{
    struct cp_trace_lane *l = &s->lanes[lane];
    enum cp_status status;

    if (l->state == CP_TRACE_NONE)
        l->first_ns = now;
    status = end_span(s, lane, now, false, err);
    l->since_ns = l->last_ns = now;
    l->state = to.state;
    l->has_run |= to.state == CP_TRACE_RUNNING;
    l->reason = to.reason;
    l->stack = to.stack;
    l->by = to.by;
    return status;
}

enum cp_status cp_trace_lanes_change_own(struct cp_trace_spans *s,
                                         uint32_t thread, uint64_t now,
                                         struct cp_trace_change to,
                                         struct cp_error *err)
{
    uint32_t lane = s->threads[thread].lane;

    to.by = CP_TRACE_NO_LANE;
    if (lane == CP_TRACE_NO_LANE)
        return CP_OK;
    if (s->lanes[lane].function == 0) /* existed before the trace */
        s->lanes[lane].function = cp_trace_names_root(&s->names, to.stack);
    return cp_trace_lanes_change(s, lane, now, to, err);
}

enum cp_status cp_trace_lanes_end_own(struct cp_trace_spans *s, uint32_t thread,
                                      uint64_t now, struct cp_error *err)
{
    uint32_t lane = s->threads[thread].lane;
    struct cp_trace_change to = { .state = CP_TRACE_NONE };

    if (lane != CP_TRACE_NO_LANE)
        s->lanes[lane].has_ended = true;
    s->threads[thread].lane = CP_TRACE_NO_LANE;
    return lane == CP_TRACE_NO_LANE
               ? CP_OK
               : cp_trace_lanes_change(s, lane, now, to, err);
}

void cp_trace_lanes_drop_proc(struct cp_trace_thread *t)
{
    t->proc = CP_TRACE_NO_LANE;
    t->is_proc_in_syscall = false;
}

enum cp_status cp_trace_lanes_end(struct cp_trace_spans *s, uint64_t now,
                                  struct cp_error *err)
{
    enum cp_status status = CP_OK;

    for (uint32_t i = 0; status == CP_OK && i < s->n_lanes; i++) {
        if (s->lanes[i].state == CP_TRACE_NONE)
            continue;
        status = end_span(s, i, now, true, err);
        s->lanes[i].last_ns = now;
    }
    return status;
}
