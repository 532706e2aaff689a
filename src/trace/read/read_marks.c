/* read_marks.c - turns events into marks. */
#include "trace/read/read_marks.h"

#include "trace/read/read_events.h"
#include "trace/read/read_lanes.h"

enum cp_status cp_trace_marks_report(struct cp_trace_spans *s,
                                     const struct cp_trace_mark *m,
                                     struct cp_error *err)
{
    return s->watcher->mark ? s->watcher->mark(s->watcher->context, m, err)
                            : CP_OK;
}

enum cp_status cp_trace_marks_on_program(struct cp_trace_spans *s,
                                         uint32_t thread, uint64_t now,
                                         const struct cp_trace_read_event *e,
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
    return cp_trace_marks_report(s, &m, err);
}

enum cp_status cp_trace_marks_on_runtime(struct cp_trace_spans *s,
                                         uint32_t thread, uint64_t now,
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
    return cp_trace_marks_report(s, &m, err);
}
