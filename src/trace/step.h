/*
 * step - what a trace consists of, and who writes it down.
 *
 * A step is a change of a thread's state, or something that it says. The model
 * (model.h) makes them so that they follow each other: a thread blocks only
 * while it runs, is unblocked before it resumes, and so on. The steps of one
 * thread come in the order of their time; those of all threads nearly so.
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

/* The id of the recorder, which writes as a thread does; no thread has it. */
#define CP_TRACE_RECORDER 4194304

enum cp_step_kind {
    CP_STEP_KNOWN,   /* is there already, and runs */
    CP_STEP_CREATE,  /* other makes it; start: a stack of its first function */
    CP_STEP_BEGIN,   /* runs for the first time, after CREATE */
    CP_STEP_END,     /* ran, and is no more */
    CP_STEP_BLOCK,   /* ran, and waits; text: for what */
    CP_STEP_UNBLOCK, /* waited; other (0: nobody) let it go */
    CP_STEP_STOP,    /* ran, and has lost its processor; text: why */
    CP_STEP_RESUME,  /* runs, after UNBLOCK or STOP */
    CP_STEP_CALL,    /* ran, and is in a system call; text: its name */
    CP_STEP_RETURN,  /* runs, after CALL */
    CP_STEP_NAME,    /* text: its name, from now on; in any state */
    CP_STEP_REGION_BEGIN, /* text: name; while it runs, as the next ones */
    CP_STEP_REGION_END,
    CP_STEP_LOG,    /* text: category; more: message */
    CP_STEP_SAMPLE, /* of its processor time; in any state */
};

struct cp_step {
    uint64_t time_ns;
    uint64_t latest_ns; /* of UNBLOCK and CREATE: it runs then, at the latest */
    enum cp_step_kind kind;
    int32_t tid, other;
    uint32_t stack; /* 0: none */
    uint32_t start;
    struct cp_str text, more; /* borrowed */
};

/* What is known at the beginning. */
struct cp_trace_head {
    uint64_t begin_ns;
    uint64_t boot_ns; /* what the clock that runs in sleep is ahead by */
    int32_t pid;
    const char *program; /* its name */
    uint32_t n_stacks;   /* numbers of stacks are below */
};

/* A format: how steps become bytes. */
struct cp_trace_format {
    const char *name;
    const char *content_type;
    const char *file_name;

    /* A writer; its bytes go to `out`, which also keeps the first failure. */
    void *(*open)(const struct cp_trace_head *head, struct cp_out *out,
                  struct cp_error *err);
    void (*step)(void *writer, const struct cp_step *step);

    /* Is it time to say of all threads where they are? May be NULL. */
    bool (*is_full)(const void *writer);

    /*
     * The stacks that are to have their names before the next flush, which is
     * the last one or not; borrowed.
     */
    const uint32_t *(*wanted)(void *writer, bool is_last, size_t *out_n);

    /* Writes what is still to be written, and at the end the end. */
    void (*flush)(void *writer, const struct cp_trace_stacks *stacks,
                  bool is_last);
    void (*free)(void *writer);
};

extern const struct cp_trace_format cp_trace_go, cp_trace_perfetto,
    cp_trace_chrome;

/* The format of that name ("" is the default), or NULL. */
const struct cp_trace_format *cp_trace_format_find(const char *name);

#endif
