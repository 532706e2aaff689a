/*
 * read_follow.c - the table of event handlers, and the checks of event order.
 */
#include "trace/read/read_follow.h"

#include "trace/read/read_events.h"
#include "trace/read/read_lanes.h"
#include "trace/read/read_marks.h"

/*
 * Whether an event is the next one of its goroutine: its sequence number fits,
 * and the goroutine is blocked for a wake-up, or runnable for a start.
 */
static bool is_next_of_lane(const struct cp_trace_spans *s,
                            const struct cp_trace_read_event *e)
{
    uint32_t lane = cp_trace_lanes_find(&s->lane_ids, e->args[1]);
    const struct cp_trace_lane *l;

    if (lane == CP_TABLE_END)
        return false;
    l = &s->lanes[lane];
    if (l->seq_number != s->number || l->seq + 1 != e->args[2])
        return false;
    return e->kind == CP_TRACE_GO_START ? l->state == CP_TRACE_RUNNABLE
                                        : cp_trace_lanes_is_blocked(l);
}

static bool is_next_of_proc(const struct cp_trace_spans *s, uint64_t id,
                            uint64_t seq)
{
    uint32_t proc = cp_trace_lanes_find(&s->proc_ids, id);

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
    case CP_TRACE_SYSCALL_END_BLOCKED: /* lost its processor */
        return !s->threads[thread].is_proc_in_syscall;
    default:
        return true;
    }
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
        cp_trace_lanes_drop_proc(t);
        return CP_OK;
    }
    status = cp_trace_lanes_proc(s, e->args[1], &proc, err);
    if (status != CP_OK)
        return status;
    s->procs[proc].seq_number = s->number;
    s->procs[proc].seq = e->kind == CP_TRACE_PROC_STATUS ? 0 : e->args[2];
    if (e->kind == CP_TRACE_PROC_STEAL) {
        robbed = cp_trace_lanes_find(&s->thread_ids, e->args[3]);
        if (robbed != CP_TABLE_END && s->threads[robbed].proc == proc)
            cp_trace_lanes_drop_proc(&s->threads[robbed]);
    } else if (e->kind == CP_TRACE_PROC_START ||
               e->args[2] == CP_TRACE_PROC_RUNNING ||
               e->args[2] == CP_TRACE_PROC_SYSCALL) {
        t->proc = proc;
        t->is_proc_in_syscall = e->kind == CP_TRACE_PROC_STATUS &&
                                e->args[2] == CP_TRACE_PROC_SYSCALL;
    }
    return CP_OK;
}

/* Sets the state of a goroutine at the begin of a generation. */
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
    struct cp_trace_change to = { .by = CP_TRACE_NO_LANE };
    uint32_t lane, thread;
    enum cp_status status = cp_trace_lanes_lane(s, e->args[1], &lane, err);

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
        status = cp_trace_lanes_thread(s, e->args[2], &thread, err);
        if (status != CP_OK)
            return status;
        s->threads[thread].lane = lane;
    }
    if (to.state == s->lanes[lane].state ||
        (to.state == CP_TRACE_BLOCKED &&
         cp_trace_lanes_is_blocked(&s->lanes[lane])))
        return CP_OK; /* no change */
    /*
     * In the first generation a goroutine without events gets its status only
     * at the end; it had this state since the trace began.
     */
    if (s->lanes[lane].state == CP_TRACE_NONE && !s->lanes[lane].has_ended &&
        s->summary.n_generations == 1)
        now = s->summary.first_ns;
    return cp_trace_lanes_change(s, lane, now, to, err);
}

static enum cp_status on_create(struct cp_trace_spans *s, uint32_t thread,
                                uint64_t now,
                                const struct cp_trace_read_event *e,
                                struct cp_error *err)
{
    struct cp_trace_change to = { .state = CP_TRACE_RUNNABLE,
                                  .by = s->threads[thread].lane };
    uint32_t lane;
    enum cp_status status = cp_trace_lanes_lane(s, e->args[1], &lane, err);

    if (status != CP_OK)
        return status;
    s->lanes[lane].seq = 0;
    s->lanes[lane].seq_number = s->number;
    s->lanes[lane].was_created = true;
    s->lanes[lane].has_run = false; /* a reused id */
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
    return cp_trace_lanes_change(s, lane, now, to, err);
}

static enum cp_status on_start(struct cp_trace_spans *s, uint32_t thread,
                               uint64_t now,
                               const struct cp_trace_read_event *e,
                               struct cp_error *err)
{
    struct cp_trace_change to = { .state = CP_TRACE_RUNNING,
                                  .by = CP_TRACE_NO_LANE };
    uint32_t lane;
    enum cp_status status = cp_trace_lanes_lane(s, e->args[1], &lane, err);

    if (status != CP_OK)
        return status;
    s->lanes[lane].seq = e->args[2];
    s->lanes[lane].seq_number = s->number;
    if (e->kind != CP_TRACE_GO_START)
        to.by = s->threads[thread].lane;
    if (e->kind == CP_TRACE_GO_SWITCH)
        status = cp_trace_lanes_change_own(
            s, thread, now,
            (struct cp_trace_change){ .state = CP_TRACE_BLOCKED }, err);
    else if (e->kind == CP_TRACE_GO_SWITCH_DESTROY)
        status = cp_trace_lanes_end_own(s, thread, now, err);
    s->threads[thread].lane = lane;
    return status == CP_OK ? cp_trace_lanes_change(s, lane, now, to, err)
                           : status;
}

/* Handles the running goroutine's stop or block. */
static enum cp_status on_stop(struct cp_trace_spans *s, uint32_t thread,
                              uint64_t now, const struct cp_trace_read_event *e,
                              struct cp_error *err)
{
    struct cp_trace_change to = { .state = CP_TRACE_RUNNABLE };
    enum cp_status status = CP_OK;

    to.reason = cp_trace_names_string(&s->names, e->args[1]);
    to.stack = cp_trace_names_stack(&s->names, e->args[2]);
    if (e->kind == CP_TRACE_GO_BLOCK)
        status = cp_trace_lanes_blocked_state(s, to.reason, &to.state, err);
    if (status == CP_OK)
        status = cp_trace_lanes_change_own(s, thread, now, to, err);
    s->threads[thread].lane = CP_TRACE_NO_LANE;
    return status;
}

static enum cp_status on_unblock(struct cp_trace_spans *s, uint32_t thread,
                                 uint64_t now,
                                 const struct cp_trace_read_event *e,
                                 struct cp_error *err)
{
    struct cp_trace_change to = { .state = CP_TRACE_RUNNABLE,
                                  .by = s->threads[thread].lane };
    uint32_t lane;
    enum cp_status status = cp_trace_lanes_lane(s, e->args[1], &lane, err);

    if (status != CP_OK)
        return status;
    s->lanes[lane].seq = e->args[2];
    s->lanes[lane].seq_number = s->number;
    to.stack = cp_trace_names_stack(&s->names, e->args[3]);
    return cp_trace_lanes_change(s, lane, now, to, err);
}

static enum cp_status on_syscall(struct cp_trace_spans *s, uint32_t thread,
                                 uint64_t now,
                                 const struct cp_trace_read_event *e,
                                 struct cp_error *err)
{
    struct cp_trace_thread *t = &s->threads[thread];
    struct cp_trace_change to = { .state = CP_TRACE_RUNNING };
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
    status = cp_trace_lanes_change_own(s, thread, now, to, err);
    if (e->kind == CP_TRACE_SYSCALL_END_BLOCKED)
        t->lane = CP_TRACE_NO_LANE;
    return status;
}

static enum cp_status on_end(struct cp_trace_spans *s, uint32_t thread,
                             uint64_t now, const struct cp_trace_read_event *e,
                             struct cp_error *err)
{
    if (e->kind == CP_TRACE_GO_DESTROY_SYSCALL)
        cp_trace_lanes_drop_proc(&s->threads[thread]);
    return cp_trace_lanes_end_own(s, thread, now, err);
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
    [CP_TRACE_PROCS_CHANGE] = cp_trace_marks_on_runtime,
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
    [CP_TRACE_STW_BEGIN] = cp_trace_marks_on_runtime,
    [CP_TRACE_STW_END] = cp_trace_marks_on_runtime,
    [CP_TRACE_GC_ACTIVE] = cp_trace_marks_on_runtime,
    [CP_TRACE_GC_BEGIN] = cp_trace_marks_on_runtime,
    [CP_TRACE_GC_END] = cp_trace_marks_on_runtime,
    [CP_TRACE_ASSIST_BEGIN] = cp_trace_marks_on_runtime,
    [CP_TRACE_ASSIST_END] = cp_trace_marks_on_runtime,
    [CP_TRACE_HEAP_ALLOC] = cp_trace_marks_on_runtime,
    [CP_TRACE_HEAP_GOAL] = cp_trace_marks_on_runtime,
    [CP_TRACE_GO_LABEL] = on_label,
    [CP_TRACE_TASK_BEGIN] = cp_trace_marks_on_program,
    [CP_TRACE_TASK_END] = cp_trace_marks_on_program,
    [CP_TRACE_REGION_BEGIN] = cp_trace_marks_on_program,
    [CP_TRACE_REGION_END] = cp_trace_marks_on_program,
    [CP_TRACE_LOG] = cp_trace_marks_on_program,
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
