/* read_follow.c - see read_follow.h. */
#include "trace/read_follow.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

#define MOST_OF_A_KIND ((uint32_t)1 << 23)

/* Words of the reasons that go traces know, and what they mean here. */
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

/* The state of one that is blocked for that reason. */
static enum cp_status blocked_state(struct cp_trace_spans *s, uint32_t reason,
                                    uint8_t *out, struct cp_error *err)
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

static uint32_t find(const struct cp_table *t, uint64_t id)
{
    size_t probe = 0;

    return cp_table_next(t, cp_hash_unique(id), &probe);
}

/* Finds the number of an id; a new one gets n, and its owner makes room. */
static enum cp_status number_of(struct cp_table *ids, uint64_t id, size_t n,
                                uint32_t *out, struct cp_error *err)
{
    *out = find(ids, id);
    if (*out != CP_TABLE_END)
        return CP_OK;
    *out = (uint32_t)n;
    if (n >= MOST_OF_A_KIND)
        return cp_error_set(err, CP_EFORMAT,
                            "more goroutines or threads than can be shown");
    return cp_table_add(ids, cp_hash_unique(id), *out, err);
}

/* The lane of that id, added if new. */
static enum cp_status lane_of(struct cp_trace_spans *s, uint64_t id,
                              uint32_t *out, struct cp_error *err)
{
    enum cp_status status = number_of(&s->lane_ids, id, s->n_lanes, out, err);

    if (status == CP_OK && *out == s->n_lanes) {
        status = cp_reserve(&s->lanes, &s->cap_lanes, s->n_lanes + 1,
                            sizeof(*s->lanes), err);
        if (status == CP_OK)
            s->lanes[s->n_lanes++] = (struct cp_trace_lane){
                .id = id, .state = CP_TRACE_NONE, .by = CP_TRACE_NO_LANE
            };
    }
    return status;
}

enum cp_status cp_trace_follow_thread(void *context, uint64_t id, uint32_t *out,
                                      struct cp_error *err)
{
    struct cp_trace_spans *s = context;
    enum cp_status status =
        number_of(&s->thread_ids, id, s->n_threads, out, err);

    if (status == CP_OK && *out == s->n_threads) {
        status = cp_reserve(&s->threads, &s->cap_threads, s->n_threads + 1,
                            sizeof(*s->threads), err);
        if (status == CP_OK)
            s->threads[s->n_threads++] =
                (struct cp_trace_thread){ CP_TRACE_NO_LANE, CP_TRACE_NO_LANE,
                                          false };
    }
    return status;
}

static enum cp_status proc_of(struct cp_trace_spans *s, uint64_t id,
                              uint32_t *out, struct cp_error *err)
{
    enum cp_status status = number_of(&s->proc_ids, id, s->n_procs, out, err);

    if (status == CP_OK && *out == s->n_procs) {
        status = cp_reserve(&s->procs, &s->cap_procs, s->n_procs + 1,
                            sizeof(*s->procs), err);
        if (status == CP_OK)
            s->procs[s->n_procs++] = (struct cp_trace_proc){ 0 };
    }
    return status;
}

static bool is_blocked(const struct cp_trace_lane *l)
{
    return l->state >= CP_TRACE_NETWORK && l->state <= CP_TRACE_BLOCKED;
}

/*
 * Whether an event is the next of its goroutine: by its count, and because
 * only one that is blocked can be woken, and one that is ready be started.
 */
static bool is_next_of_lane(const struct cp_trace_spans *s,
                            const struct cp_trace_read_event *e)
{
    uint32_t lane = find(&s->lane_ids, e->args[1]);
    const struct cp_trace_lane *l;

    if (lane == CP_TABLE_END)
        return false;
    l = &s->lanes[lane];
    if (l->seq_number != s->number || l->seq + 1 != e->args[2])
        return false;
    return e->kind == CP_TRACE_GO_START ? l->state == CP_TRACE_RUNNABLE
                                        : is_blocked(l);
}

static bool is_next_of_proc(const struct cp_trace_spans *s, uint64_t id,
                            uint64_t seq)
{
    uint32_t proc = find(&s->proc_ids, id);

    return proc != CP_TABLE_END && s->procs[proc].seq_number == s->number &&
           s->procs[proc].seq + 1 == seq;
}

bool cp_trace_follow_is_ready(void *context, uint32_t thread,
                              const struct cp_trace_read_event *e)
{
    const struct cp_trace_spans *s = context;

    switch (e->kind) {
    case CP_TRACE_GO_START:
    case CP_TRACE_GO_UNBLOCK:
    case CP_TRACE_GO_SWITCH:
    case CP_TRACE_GO_SWITCH_DESTROY:
        return is_next_of_lane(s, e);
    case CP_TRACE_PROC_START:
    case CP_TRACE_PROC_STEAL:
        return is_next_of_proc(s, e->args[1], e->args[2]);
    case CP_TRACE_SYSCALL_END_BLOCKED: /* its processor was taken from it */
        return !s->threads[thread].is_proc_in_syscall;
    default:
        return true;
    }
}

/* Ends the present span of a lane and tells of it. */
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

/* What a lane goes over to. */
struct change {
    uint8_t state;
    uint32_t reason, stack, by;
};

static enum cp_status change_lane(struct cp_trace_spans *s, uint32_t lane,
                                  uint64_t now, struct change to,
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

/* The same for the lane that the thread runs, if it has one. */
static enum cp_status change_own(struct cp_trace_spans *s, uint32_t thread,
                                 uint64_t now, struct change to,
                                 struct cp_error *err)
{
    uint32_t lane = s->threads[thread].lane;

    to.by = CP_TRACE_NO_LANE;
    if (lane == CP_TRACE_NO_LANE)
        return CP_OK;
    if (s->lanes[lane].function == 0) /* it was there before the trace */
        s->lanes[lane].function = cp_trace_names_root(&s->names, to.stack);
    return change_lane(s, lane, now, to, err);
}

static enum cp_status end_own(struct cp_trace_spans *s, uint32_t thread,
                              uint64_t now, struct cp_error *err)
{
    uint32_t lane = s->threads[thread].lane;
    struct change to = { .state = CP_TRACE_NONE };

    if (lane != CP_TRACE_NO_LANE)
        s->lanes[lane].has_ended = true;
    s->threads[thread].lane = CP_TRACE_NO_LANE;
    return lane == CP_TRACE_NO_LANE ? CP_OK
                                    : change_lane(s, lane, now, to, err);
}

static void drop_proc(struct cp_trace_thread *t)
{
    t->proc = CP_TRACE_NO_LANE;
    t->is_proc_in_syscall = false;
}

static enum cp_status on_proc(struct cp_trace_spans *s, uint32_t thread,
                              uint64_t now, const struct cp_trace_read_event *e,
                              struct cp_error *err)
{
    struct cp_trace_thread *t = &s->threads[thread];
    uint32_t proc = CP_TRACE_NO_LANE, robbed;
    enum cp_status status;

    (void)now;
    if (e->kind == CP_TRACE_PROC_STOP) {
        drop_proc(t);
        return CP_OK;
    }
    status = proc_of(s, e->args[1], &proc, err);
    if (status != CP_OK)
        return status;
    s->procs[proc].seq_number = s->number;
    s->procs[proc].seq = e->kind == CP_TRACE_PROC_STATUS ? 0 : e->args[2];
    if (e->kind == CP_TRACE_PROC_STEAL) {
        robbed = find(&s->thread_ids, e->args[3]);
        if (robbed != CP_TABLE_END && s->threads[robbed].proc == proc)
            drop_proc(&s->threads[robbed]);
    } else if (e->kind == CP_TRACE_PROC_START ||
               e->args[2] == CP_TRACE_PROC_RUNNING ||
               e->args[2] == CP_TRACE_PROC_SYSCALL) {
        t->proc = proc;
        t->is_proc_in_syscall = e->kind == CP_TRACE_PROC_STATUS &&
                                e->args[2] == CP_TRACE_PROC_SYSCALL;
    }
    return CP_OK;
}

/* A goroutine at the beginning of a generation. */
static enum cp_status on_status(struct cp_trace_spans *s, uint32_t of,
                                uint64_t now,
                                const struct cp_trace_read_event *e,
                                struct cp_error *err)
{
    static const uint8_t states[] = {
        [CP_TRACE_WAS_RUNNABLE] = CP_TRACE_RUNNABLE,
        [CP_TRACE_WAS_RUNNING] = CP_TRACE_RUNNING,
        [CP_TRACE_WAS_SYSCALL] = CP_TRACE_SYSCALL,
        [CP_TRACE_WAS_WAITING] = CP_TRACE_BLOCKED,
    };
    struct change to = { .by = CP_TRACE_NO_LANE };
    uint32_t lane, thread;
    enum cp_status status = lane_of(s, e->args[1], &lane, err);

    (void)of;
    if (status != CP_OK)
        return status;
    s->lanes[lane].seq = 0;
    s->lanes[lane].seq_number = s->number;
    if (e->args[3] == 0 || e->args[3] > CP_TRACE_WAS_WAITING)
        return CP_OK;
    to.state = states[e->args[3]];
    if (e->kind == CP_TRACE_GO_STATUS_STACK)
        to.stack = cp_trace_names_stack(&s->names, e->args[4]);
    if (s->lanes[lane].function == 0)
        s->lanes[lane].function = cp_trace_names_root(&s->names, to.stack);
    if (to.state == CP_TRACE_RUNNING || to.state == CP_TRACE_SYSCALL) {
        status = cp_trace_follow_thread(s, e->args[2], &thread, err);
        if (status != CP_OK)
            return status;
        s->threads[thread].lane = lane;
    }
    if (to.state == s->lanes[lane].state ||
        (to.state == CP_TRACE_BLOCKED && is_blocked(&s->lanes[lane])))
        return CP_OK; /* as it was */
    /* One that did nothing is told of at the end; it was so all the time. */
    if (s->lanes[lane].state == CP_TRACE_NONE && !s->lanes[lane].has_ended &&
        s->summary.n_generations == 1)
        now = s->summary.first_ns;
    return change_lane(s, lane, now, to, err);
}

static enum cp_status on_create(struct cp_trace_spans *s, uint32_t thread,
                                uint64_t now,
                                const struct cp_trace_read_event *e,
                                struct cp_error *err)
{
    struct change to = { .state = CP_TRACE_RUNNABLE,
                         .by = s->threads[thread].lane };
    uint32_t lane;
    enum cp_status status = lane_of(s, e->args[1], &lane, err);

    if (status != CP_OK)
        return status;
    s->lanes[lane].seq = 0;
    s->lanes[lane].seq_number = s->number;
    s->lanes[lane].was_created = true;
    if (e->kind == CP_TRACE_GO_CREATE_SYSCALL) {
        to.state = CP_TRACE_SYSCALL;
        s->threads[thread].lane = lane;
    } else {
        s->lanes[lane].function = cp_trace_names_root(
            &s->names, cp_trace_names_stack(&s->names, e->args[2]));
        to.stack = cp_trace_names_stack(&s->names, e->args[3]);
    }
    if (e->kind == CP_TRACE_GO_CREATE_BLOCKED)
        to.state = CP_TRACE_BLOCKED;
    return change_lane(s, lane, now, to, err);
}

static enum cp_status on_start(struct cp_trace_spans *s, uint32_t thread,
                               uint64_t now,
                               const struct cp_trace_read_event *e,
                               struct cp_error *err)
{
    struct change to = { .state = CP_TRACE_RUNNING, .by = CP_TRACE_NO_LANE };
    uint32_t lane;
    enum cp_status status = lane_of(s, e->args[1], &lane, err);

    if (status != CP_OK)
        return status;
    s->lanes[lane].seq = e->args[2];
    s->lanes[lane].seq_number = s->number;
    if (e->kind != CP_TRACE_GO_START)
        to.by = s->threads[thread].lane;
    if (e->kind == CP_TRACE_GO_SWITCH)
        status = change_own(s, thread, now,
                            (struct change){ .state = CP_TRACE_BLOCKED }, err);
    else if (e->kind == CP_TRACE_GO_SWITCH_DESTROY)
        status = end_own(s, thread, now, err);
    s->threads[thread].lane = lane;
    return status == CP_OK ? change_lane(s, lane, now, to, err) : status;
}

/* The running one stops or blocks. */
static enum cp_status on_stop(struct cp_trace_spans *s, uint32_t thread,
                              uint64_t now, const struct cp_trace_read_event *e,
                              struct cp_error *err)
{
    struct change to = { .state = CP_TRACE_RUNNABLE };
    enum cp_status status = CP_OK;

    to.reason = cp_trace_names_string(&s->names, e->args[1]);
    to.stack = cp_trace_names_stack(&s->names, e->args[2]);
    if (e->kind == CP_TRACE_GO_BLOCK)
        status = blocked_state(s, to.reason, &to.state, err);
    if (status == CP_OK)
        status = change_own(s, thread, now, to, err);
    s->threads[thread].lane = CP_TRACE_NO_LANE;
    return status;
}

static enum cp_status on_unblock(struct cp_trace_spans *s, uint32_t thread,
                                 uint64_t now,
                                 const struct cp_trace_read_event *e,
                                 struct cp_error *err)
{
    struct change to = { .state = CP_TRACE_RUNNABLE,
                         .by = s->threads[thread].lane };
    uint32_t lane;
    enum cp_status status = lane_of(s, e->args[1], &lane, err);

    if (status != CP_OK)
        return status;
    s->lanes[lane].seq = e->args[2];
    s->lanes[lane].seq_number = s->number;
    to.stack = cp_trace_names_stack(&s->names, e->args[3]);
    return change_lane(s, lane, now, to, err);
}

static enum cp_status on_syscall(struct cp_trace_spans *s, uint32_t thread,
                                 uint64_t now,
                                 const struct cp_trace_read_event *e,
                                 struct cp_error *err)
{
    struct cp_trace_thread *t = &s->threads[thread];
    struct change to = { .state = CP_TRACE_RUNNING };
    enum cp_status status;

    if (e->kind == CP_TRACE_SYSCALL_BEGIN) {
        to.state = CP_TRACE_SYSCALL;
        to.stack = cp_trace_names_stack(&s->names, e->args[2]);
        if (t->proc != CP_TRACE_NO_LANE) {
            s->procs[t->proc].seq = e->args[1];
            s->procs[t->proc].seq_number = s->number;
            t->is_proc_in_syscall = true;
        }
    } else {
        t->is_proc_in_syscall = false;
    }
    if (e->kind == CP_TRACE_SYSCALL_END_BLOCKED)
        to.state = CP_TRACE_RUNNABLE;
    status = change_own(s, thread, now, to, err);
    if (e->kind == CP_TRACE_SYSCALL_END_BLOCKED)
        t->lane = CP_TRACE_NO_LANE;
    return status;
}

enum cp_status cp_trace_follow_mark(struct cp_trace_spans *s,
                                    const struct cp_trace_mark *m,
                                    struct cp_error *err)
{
    return s->watcher->mark ? s->watcher->mark(s->watcher->context, m, err)
                            : CP_OK;
}

/* Regions, tasks, messages: what the program says of itself. */
static enum cp_status on_word(struct cp_trace_spans *s, uint32_t thread,
                              uint64_t now, const struct cp_trace_read_event *e,
                              struct cp_error *err)
{
    struct cp_trace_mark m = { .time_ns = now, .value = e->args[1] };
    unsigned stack = 3;

    m.lane = s->threads[thread].lane;
    switch (e->kind) {
    case CP_TRACE_TASK_BEGIN:
        m.kind = CP_TRACE_MARK_TASK_BEGIN;
        m.name = cp_trace_names_string(&s->names, e->args[3]);
        stack = 4;
        break;
    case CP_TRACE_TASK_END:
        m.kind = CP_TRACE_MARK_TASK_END;
        stack = 2;
        break;
    case CP_TRACE_LOG:
        m.kind = CP_TRACE_MARK_LOG;
        m.name = cp_trace_names_string(&s->names, e->args[2]);
        m.text = cp_trace_names_string(&s->names, e->args[3]);
        stack = 4;
        break;
    default:
        m.kind = e->kind == CP_TRACE_REGION_BEGIN ? CP_TRACE_MARK_REGION_BEGIN
                                                  : CP_TRACE_MARK_REGION_END;
        m.name = cp_trace_names_string(&s->names, e->args[2]);
    }
    m.stack = cp_trace_names_stack(&s->names, e->args[stack]);
    return cp_trace_follow_mark(s, &m, err);
}

/* Numbers, and what the collector does. */
static enum cp_status on_runtime(struct cp_trace_spans *s, uint32_t thread,
                                 uint64_t now,
                                 const struct cp_trace_read_event *e,
                                 struct cp_error *err)
{
    struct cp_trace_mark m = { .time_ns = now,
                               .lane = CP_TRACE_NO_LANE,
                               .kind = CP_TRACE_MARK_COUNTER,
                               .value = e->args[1] };

    switch (e->kind) {
    case CP_TRACE_PROCS_CHANGE:
        m.name = s->counters[0];
        break;
    case CP_TRACE_HEAP_ALLOC:
        m.name = s->counters[1];
        break;
    case CP_TRACE_HEAP_GOAL:
        m.name = s->counters[2];
        break;
    case CP_TRACE_GC_BEGIN:
    case CP_TRACE_GC_ACTIVE:
    case CP_TRACE_GC_END:
        m.kind = e->kind == CP_TRACE_GC_END ? CP_TRACE_MARK_REGION_END
                                            : CP_TRACE_MARK_REGION_BEGIN;
        m.name = s->gc;
        break;
    case CP_TRACE_STW_BEGIN:
    case CP_TRACE_STW_END:
        m.kind = e->kind == CP_TRACE_STW_END ? CP_TRACE_MARK_REGION_END
                                             : CP_TRACE_MARK_REGION_BEGIN;
        if (e->kind == CP_TRACE_STW_BEGIN)
            s->pause = cp_trace_names_string(&s->names, e->args[1]);
        m.name = s->pause;
        break;
    default:
        m.kind = e->kind == CP_TRACE_ASSIST_END ? CP_TRACE_MARK_REGION_END
                                                : CP_TRACE_MARK_REGION_BEGIN;
        m.name = s->assist;
        m.lane = s->threads[thread].lane;
    }
    return cp_trace_follow_mark(s, &m, err);
}

static enum cp_status on_end(struct cp_trace_spans *s, uint32_t thread,
                             uint64_t now, const struct cp_trace_read_event *e,
                             struct cp_error *err)
{
    if (e->kind == CP_TRACE_GO_DESTROY_SYSCALL)
        drop_proc(&s->threads[thread]);
    return end_own(s, thread, now, err);
}

static enum cp_status on_label(struct cp_trace_spans *s, uint32_t thread,
                               uint64_t now,
                               const struct cp_trace_read_event *e,
                               struct cp_error *err)
{
    uint32_t lane = s->threads[thread].lane;

    (void)now;
    (void)err;
    if (lane != CP_TRACE_NO_LANE)
        s->lanes[lane].label = cp_trace_names_string(&s->names, e->args[1]);
    return CP_OK;
}

typedef enum cp_status handler(struct cp_trace_spans *s, uint32_t thread,
                               uint64_t now,
                               const struct cp_trace_read_event *e,
                               struct cp_error *err);

static handler *const handlers[256] = {
    [CP_TRACE_PROCS_CHANGE] = on_runtime,
    [CP_TRACE_PROC_START] = on_proc,
    [CP_TRACE_PROC_STOP] = on_proc,
    [CP_TRACE_PROC_STEAL] = on_proc,
    [CP_TRACE_PROC_STATUS] = on_proc,
    [CP_TRACE_GO_CREATE] = on_create,
    [CP_TRACE_GO_CREATE_SYSCALL] = on_create,
    [CP_TRACE_GO_START] = on_start,
    [CP_TRACE_GO_DESTROY] = on_end,
    [CP_TRACE_GO_DESTROY_SYSCALL] = on_end,
    [CP_TRACE_GO_STOP] = on_stop,
    [CP_TRACE_GO_BLOCK] = on_stop,
    [CP_TRACE_GO_UNBLOCK] = on_unblock,
    [CP_TRACE_SYSCALL_BEGIN] = on_syscall,
    [CP_TRACE_SYSCALL_END] = on_syscall,
    [CP_TRACE_SYSCALL_END_BLOCKED] = on_syscall,
    [CP_TRACE_GO_STATUS] = on_status,
    [CP_TRACE_STW_BEGIN] = on_runtime,
    [CP_TRACE_STW_END] = on_runtime,
    [CP_TRACE_GC_ACTIVE] = on_runtime,
    [CP_TRACE_GC_BEGIN] = on_runtime,
    [CP_TRACE_GC_END] = on_runtime,
    [CP_TRACE_ASSIST_BEGIN] = on_runtime,
    [CP_TRACE_ASSIST_END] = on_runtime,
    [CP_TRACE_HEAP_ALLOC] = on_runtime,
    [CP_TRACE_HEAP_GOAL] = on_runtime,
    [CP_TRACE_GO_LABEL] = on_label,
    [CP_TRACE_TASK_BEGIN] = on_word,
    [CP_TRACE_TASK_END] = on_word,
    [CP_TRACE_REGION_BEGIN] = on_word,
    [CP_TRACE_REGION_END] = on_word,
    [CP_TRACE_LOG] = on_word,
    [CP_TRACE_GO_SWITCH] = on_start,
    [CP_TRACE_GO_SWITCH_DESTROY] = on_start,
    [CP_TRACE_GO_CREATE_BLOCKED] = on_create,
    [CP_TRACE_GO_STATUS_STACK] = on_status,
};

enum cp_status cp_trace_follow_take(void *context, uint32_t thread,
                                    uint64_t now,
                                    const struct cp_trace_read_event *e,
                                    struct cp_error *err)
{
    struct cp_trace_spans *s = context;

    if (s->summary.n_events++ == 0)
        s->summary.first_ns = now;
    return handlers[e->kind] ? handlers[e->kind](s, thread, now, e, err)
                             : CP_OK;
}

enum cp_status cp_trace_follow_end(struct cp_trace_spans *s, uint64_t now,
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
