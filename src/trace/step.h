/*
 * step - the events of a trace as the model passes them to a format, and the
 * interface of a format.
 *
 * A step is a change of a thread's state, or a message, region or sample of it.
 * The model (model.h) makes them consistent: a thread blocks only while it
 * runs, is unblocked before it resumes, and so on. The steps of one thread are
 * sorted by time; those of different threads nearly so.
 */
#ifndef CP_TRACE_STEP_H
#define CP_TRACE_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"

struct cp_error;
struct cp_out;
struct cp_trace_stacks;

/*
 * Thread id of the recorder, which emits messages like a thread. Above the
 * kernel's largest pid.
 */
#define CP_TRACE_RECORDER 4194304

enum cp_step_kind {
    CP_STEP_KNOWN,  /* exists already, and runs */
    CP_STEP_CREATE, /* created by other; start: stack with its start function */
    CP_STEP_BEGIN,  /* runs for the first time, after CREATE */
    CP_STEP_END,    /* stops running and exits */
    CP_STEP_BLOCK,  /* stops running and waits; text: reason */
    CP_STEP_UNBLOCK,      /* becomes runnable; other: waker, 0 if unknown */
    CP_STEP_STOP,         /* loses its CPU; text: reason */
    CP_STEP_RESUME,       /* runs, after UNBLOCK or STOP */
    CP_STEP_CALL,         /* enters a system call; text: its name */
    CP_STEP_RETURN,       /* runs, after CALL */
    CP_STEP_NAME,         /* text: its new name; in any state */
    CP_STEP_REGION_BEGIN, /* text: name; only while it runs */
    CP_STEP_REGION_END,
    CP_STEP_LOG,    /* text: category; more: message */
    CP_STEP_SAMPLE, /* CPU sample; in any state */
};

struct cp_step {
    uint64_t time_ns;
    uint64_t latest_ns; /* UNBLOCK and CREATE: time by which it runs */
    enum cp_step_kind kind;
    int32_t tid, other;
    uint32_t stack; /* stack number, or 0 */
    uint32_t start;
    struct cp_str text, more; /* borrowed */
};

/* Properties of the trace, known at its begin. */
struct cp_trace_head {
    uint64_t begin_ns;
    uint64_t boot_ns; /* CLOCK_BOOTTIME - CLOCK_MONOTONIC */
    int32_t pid;
    const char *program; /* name of the program */
    uint32_t n_stacks;   /* upper bound of stack numbers */
};

/* A format: turns steps into bytes. */
struct cp_trace_format {
    const char *name;
    const char *content_type;
    const char *file_name;

    /*
     * Creates a writer. It writes to `out`, which also holds the first failure.
     */
    void *(*open)(const struct cp_trace_head *head, struct cp_out *out,
                  struct cp_error *err);
    void (*step)(void *writer, const struct cp_step *step);

    /* Whether the format needs the state of all threads now. May be NULL. */
    bool (*is_full)(const void *writer);

    /* The stacks that must be symbolized before the next flush, borrowed. */
    const uint32_t *(*wanted)(void *writer, bool is_last, size_t *out_n);

    /* Writes the pending bytes; with is_last also the end of the file. */
    void (*flush)(void *writer, const struct cp_trace_stacks *stacks,
                  bool is_last);
    void (*free)(void *writer);
};

extern const struct cp_trace_format cp_trace_go, cp_trace_perfetto,
    cp_trace_chrome;

/* Returns the format of that name ("" is the default), or NULL. */
const struct cp_trace_format *cp_trace_format_find(const char *name);

#endif
