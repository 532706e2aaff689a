/* read_events.c - the table of event arguments, and the decoder. */
#include "trace/read/read_events.h"

#include "profile/codec/wire.h"

/*
 * Number of arguments by kind; the first is always the time. 0: the kind cannot
 * occur in an ordinary batch. Kinds from 128 belong to the experiment that
 * traces single allocations.
 */
static const uint8_t n_args[256] = {
    [CP_TRACE_PROCS_CHANGE] = 3,        /* processors, stack */
    [CP_TRACE_PROC_START] = 3,          /* processor, its count */
    [CP_TRACE_PROC_STOP] = 1,           /* no further arguments */
    [CP_TRACE_PROC_STEAL] = 4,          /* processor, its count, from thread */
    [CP_TRACE_PROC_STATUS] = 3,         /* processor, status */
    [CP_TRACE_GO_CREATE] = 4,           /* new one, its stack, stack */
    [CP_TRACE_GO_CREATE_SYSCALL] = 2,   /* new one */
    [CP_TRACE_GO_START] = 3,            /* goroutine, its count */
    [CP_TRACE_GO_DESTROY] = 1,          /* no further arguments */
    [CP_TRACE_GO_DESTROY_SYSCALL] = 1,  /* no further arguments */
    [CP_TRACE_GO_STOP] = 3,             /* reason, stack */
    [CP_TRACE_GO_BLOCK] = 3,            /* reason, stack */
    [CP_TRACE_GO_UNBLOCK] = 4,          /* goroutine, its count, stack */
    [CP_TRACE_SYSCALL_BEGIN] = 3,       /* the processor's count, stack */
    [CP_TRACE_SYSCALL_END] = 1,         /* no further arguments */
    [CP_TRACE_SYSCALL_END_BLOCKED] = 1, /* no further arguments */
    [CP_TRACE_GO_STATUS] = 4,           /* goroutine, thread, status */
    [CP_TRACE_STW_BEGIN] = 3,           /* why, stack */
    [CP_TRACE_STW_END] = 1,             /* no further arguments */
    [CP_TRACE_GC_ACTIVE] = 2,           /* count */
    [CP_TRACE_GC_BEGIN] = 3,            /* count, stack */
    [CP_TRACE_GC_END] = 2,              /* count */
    [CP_TRACE_SWEEP_ACTIVE] = 2,        /* processor */
    [CP_TRACE_SWEEP_BEGIN] = 2,         /* stack */
    [CP_TRACE_SWEEP_END] = 3,           /* bytes swept, bytes freed */
    [CP_TRACE_ASSIST_ACTIVE] = 2,       /* goroutine */
    [CP_TRACE_ASSIST_BEGIN] = 2,        /* stack */
    [CP_TRACE_ASSIST_END] = 1,          /* no further arguments */
    [CP_TRACE_HEAP_ALLOC] = 2,          /* bytes */
    [CP_TRACE_HEAP_GOAL] = 2,           /* bytes */
    [CP_TRACE_GO_LABEL] = 2,            /* text */
    [CP_TRACE_TASK_BEGIN] = 5,          /* task, its parent, name, stack */
    [CP_TRACE_TASK_END] = 3,            /* task, stack */
    [CP_TRACE_REGION_BEGIN] = 4,        /* task, name, stack */
    [CP_TRACE_REGION_END] = 4,          /* task, name, stack */
    [CP_TRACE_LOG] = 5,                 /* task, category, text, stack */
    [CP_TRACE_GO_SWITCH] = 3,           /* goroutine, its count */
    [CP_TRACE_GO_SWITCH_DESTROY] = 3,   /* goroutine, its count */
    [CP_TRACE_GO_CREATE_BLOCKED] = 4,   /* new one, its stack, stack */
    [CP_TRACE_GO_STATUS_STACK] = 5,     /* goroutine, thread, status, stack */
    [CP_TRACE_CLOCK_SNAPSHOT] = 4,      /* monotonic, seconds, nanoseconds */
    [128] = 4,                          /* a span: id, pages, kind */
    [129] = 4,                          /* a new span: the same */
    [130] = 2,                          /* a span freed: id */
    [131] = 3,                          /* an object: id, type */
    [132] = 3,                          /* a new object: the same */
    [133] = 2,                          /* an object freed: id */
    [134] = 3,                          /* a stack: id, order */
    [135] = 3,                          /* a new stack: the same */
    [136] = 2,                          /* a stack freed: id */
};

_Static_assert(CP_TRACE_MAX_ARGS == 5, "the longest of them");

bool cp_trace_event_read(struct cp_wire *w, struct cp_trace_read_event *out)
{
    struct cp_wire at = *w;
    unsigned n;

    if (at.pos == at.end)
        return false;
    out->kind = *at.pos++;
    n = n_args[out->kind];
    if (n == 0)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!cp_wire_varint(&at, &out->args[i]))
            return false;
    *w = at;
    return true;
}
