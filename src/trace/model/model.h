/*
 * model - makes the steps of a trace (step.h) out of what threads wrote down.
 *
 * Input comes thread by thread; a wait is told when it is over, who ended it
 * is told by somebody else, and some of it may be lost. The model keeps what
 * it gets until a flush, brings it into the order of time, finds who woke
 * whom, and gives the format a story that holds together whatever the input.
 * On the way it adds up what each thread did.
 */
#ifndef CP_TRACE_MODEL_H
#define CP_TRACE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

struct cp_error;
struct cp_trace_format;

enum cp_trace_input_kind {
    CP_INPUT_WAIT,   /* begin_ns to time_ns; arg: lock, or the call's result */
    CP_INPUT_WAKE,   /* arg: the lock */
    CP_INPUT_CREATE, /* arg: a token; stack: who makes it */
    CP_INPUT_UNMADE, /* arg: the token; it could not be made */
    CP_INPUT_START,  /* arg: the token; stack: its function */
    CP_INPUT_END,    /* arg: what is waited for by those who join it */
    CP_INPUT_REGION_BEGIN,
    CP_INPUT_REGION_END, /* text */
    CP_INPUT_LOG,        /* text: category, NUL, message */
    CP_INPUT_SAMPLE,
    CP_INPUT_KNOWN,   /* a thread that was there before; text: its name */
    CP_INPUT_NAME,    /* text */
    CP_INPUT_ASLEEP,  /* it sleeps, nobody knows since when; text: what for */
    CP_INPUT_OUT,     /* left its processor by its own will */
    CP_INPUT_PREEMPT, /* has lost it */
    CP_INPUT_IN,      /* is on a processor; arg: which */
    CP_INPUT_FAULT,   /* as CP_INPUT_LOG, of the kernel */
    CP_INPUT_GONE,    /* is no more, without a word; if it is known at all */
};

/* How a call (an input's `call`) is shown. */
enum cp_trace_class {
    CP_CLASS_SYNC,    /* BLOCK; arg is the lock */
    CP_CLASS_SLEEP,   /* BLOCK */
    CP_CLASS_NETWORK, /* BLOCK if it is long, else CALL */
    CP_CLASS_CHILD,   /* the same */
    CP_CLASS_CALL,    /* CALL */
};

struct cp_trace_call {
    const char *name;   /* of the function: the leaf of its stacks */
    const char *reason; /* of the BLOCK */
    enum cp_trace_class class;
    int moves; /* bytes: 1 it reads, 2 it writes, 0 neither */
};

#define CP_TRACE_LONG_NS 20000

struct cp_trace_input {
    uint64_t time_ns, begin_ns, arg;
    int32_t tid;
    uint32_t stack;
    enum cp_trace_input_kind kind;
    unsigned call;
    const char *text; /* copied */
    uint32_t len;
};

/* What the kernel says of a thread; has_... tells what of it is known. */
struct cp_trace_account {
    uint64_t user_ns, sys_ns, run_delay_ns;
    uint64_t vcsw, ivcsw, minflt, majflt;
    int cpu;
    bool has_times, has_delay, has_switches, has_faults, has_cpu;
    char name[64]; /* "": not known */
};

struct cp_trace_model_options {
    const struct cp_trace_format *format;
    void *writer;
    const struct cp_trace_call *calls;
    unsigned n_calls;
    /*
     * Fills in what is known when a thread has ended (`end` is the text of
     * its CP_INPUT_END) or when the trace has (end is NULL).
     */
    void (*account)(void *context, int32_t tid, const char *end,
                    struct cp_trace_account *out);
    void *context;
};

struct cp_trace_model;

struct cp_trace_model *
cp_trace_model_new(const struct cp_trace_model_options *options,
                   uint64_t begin_ns, struct cp_error *err);
void cp_trace_model_free(struct cp_trace_model *m);

/* Keeps it; if there is no memory it is lost, and counted. */
void cp_trace_model_add(struct cp_trace_model *m,
                        const struct cp_trace_input *in);

/* Tells the format all that was until then. */
void cp_trace_model_flush(struct cp_trace_model *m, uint64_t until_ns);

/*
 * A thread waits, since begin_ns: said now, because the format has to know of
 * all threads or because the trace ends. Its end may still come.
 */
void cp_trace_model_waits(struct cp_trace_model *m,
                          const struct cp_trace_input *in, uint64_t now_ns);

/* Does it know the thread, and has it not said of this wait yet? */
bool cp_trace_model_lacks(const struct cp_trace_model *m, int32_t tid,
                          uint64_t begin_ns);

/* The end: totals of all threads that are there. */
void cp_trace_model_finish(struct cp_trace_model *m, uint64_t end_ns);

/* Something that the recorder has to say. */
void cp_trace_model_say(struct cp_trace_model *m, uint64_t time_ns,
                        const char *category, const char *message);

/* Input that was lost for lack of memory. */
uint64_t cp_trace_model_lost(const struct cp_trace_model *m);

#endif
