/*
 * read_events - the events of Go's execution traces, 1.22 to 1.26.
 *
 * An event is a byte for its kind, then varints; read_events.c lists their
 * meanings. The first varint of a timed event is the time since the previous
 * event in its batch. Threads of native programs appear in these traces as
 * goroutines.
 */
#ifndef CP_TRACE_READ_EVENTS_H
#define CP_TRACE_READ_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct cp_wire;

#define CP_TRACE_MAX_ARGS 5

enum cp_trace_read_kind {
    CP_TRACE_BATCH = 1,
    CP_TRACE_STACKS = 2,
    CP_TRACE_STACK = 3,
    CP_TRACE_STRINGS = 4,
    CP_TRACE_STRING = 5,
    CP_TRACE_CPU_SAMPLES = 6,
    CP_TRACE_CPU_SAMPLE = 7,
    CP_TRACE_FREQUENCY = 8,
    CP_TRACE_PROCS_CHANGE = 9,
    CP_TRACE_PROC_START = 10,
    CP_TRACE_PROC_STOP = 11,
    CP_TRACE_PROC_STEAL = 12,
    CP_TRACE_PROC_STATUS = 13,
    CP_TRACE_GO_CREATE = 14,
    CP_TRACE_GO_CREATE_SYSCALL = 15,
    CP_TRACE_GO_START = 16,
    CP_TRACE_GO_DESTROY = 17,
    CP_TRACE_GO_DESTROY_SYSCALL = 18,
    CP_TRACE_GO_STOP = 19,
    CP_TRACE_GO_BLOCK = 20,
    CP_TRACE_GO_UNBLOCK = 21,
    CP_TRACE_SYSCALL_BEGIN = 22,
    CP_TRACE_SYSCALL_END = 23,
    CP_TRACE_SYSCALL_END_BLOCKED = 24,
    CP_TRACE_GO_STATUS = 25,
    CP_TRACE_STW_BEGIN = 26,
    CP_TRACE_STW_END = 27,
    CP_TRACE_GC_ACTIVE = 28,
    CP_TRACE_GC_BEGIN = 29,
    CP_TRACE_GC_END = 30,
    CP_TRACE_SWEEP_ACTIVE = 31,
    CP_TRACE_SWEEP_BEGIN = 32,
    CP_TRACE_SWEEP_END = 33,
    CP_TRACE_ASSIST_ACTIVE = 34,
    CP_TRACE_ASSIST_BEGIN = 35,
    CP_TRACE_ASSIST_END = 36,
    CP_TRACE_HEAP_ALLOC = 37,
    CP_TRACE_HEAP_GOAL = 38,
    CP_TRACE_GO_LABEL = 39,
    CP_TRACE_TASK_BEGIN = 40,
    CP_TRACE_TASK_END = 41,
    CP_TRACE_REGION_BEGIN = 42,
    CP_TRACE_REGION_END = 43,
    CP_TRACE_LOG = 44,
    CP_TRACE_GO_SWITCH = 45,
    CP_TRACE_GO_SWITCH_DESTROY = 46,
    CP_TRACE_GO_CREATE_BLOCKED = 47,
    CP_TRACE_GO_STATUS_STACK = 48,
    CP_TRACE_EXPERIMENTAL_BATCH = 49,
    CP_TRACE_SYNC_MARK = 50,
    CP_TRACE_CLOCK_SNAPSHOT = 51,
    CP_TRACE_END_OF_GENERATION = 52,
};

/* States in the status events of goroutines and processors. */
enum { CP_TRACE_WAS_RUNNABLE = 1, CP_TRACE_WAS_RUNNING = 2 };
enum { CP_TRACE_WAS_SYSCALL = 3, CP_TRACE_WAS_WAITING = 4 };
enum { CP_TRACE_PROC_RUNNING = 1, CP_TRACE_PROC_SYSCALL = 3 };

/* An event of an ordinary batch; args[0] is the time since the previous one. */
struct cp_trace_read_event {
    uint8_t kind;
    uint64_t args[CP_TRACE_MAX_ARGS];
};

/*
 * Reads an event. Returns false if the bytes end early or the kind cannot occur
 * in an ordinary batch.
 */
bool cp_trace_event_read(struct cp_wire *w, struct cp_trace_read_event *out);

#endif
