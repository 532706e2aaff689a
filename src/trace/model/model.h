/*
 * model - turns the recorded events of threads into the steps of a trace
 * (step.h).
 *
 * Input arrives thread by thread. A wait is recorded when it is over, its waker
 * is recorded by another thread, and events may be lost. The model buffers
 * input until a flush, sorts it by time, and finds the waker of each wait. It
 * passes consistent steps to the format, whatever the input, and adds up the
 * totals of each thread.
 *
 * Context: one thread (the drain of the recorder). Locking: none. Failure:
 * without memory an event is dropped and counted (cp_trace_model_lost).
 */
#ifndef CP_TRACE_MODEL_H
#define CP_TRACE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

struct cp_error;
struct cp_trace_format;

enum cp_trace_input_kind {
    CP_INPUT_WAIT,   /* begin_ns to time_ns; arg: lock, or result of the call */
    CP_INPUT_WAKE,   /* arg: the released lock */
    CP_INPUT_CREATE, /* arg: token; stack: of the creator */
    CP_INPUT_CREATE_FAILED, /* arg: token; pthread_create failed */
    CP_INPUT_START,         /* arg: token; stack: its start function */
    CP_INPUT_END,           /* arg: object that joiners wait for */
    CP_INPUT_REGION_BEGIN,
    CP_INPUT_REGION_END, /* text: name */
    CP_INPUT_LOG,        /* text: category, NUL, message */
    CP_INPUT_SAMPLE,
    CP_INPUT_KNOWN,    /* thread that existed before the trace; text: name */
    CP_INPUT_NAME,     /* text: name */
    CP_INPUT_ASLEEP,   /* sleeps since an unknown time; text: reason */
    CP_INPUT_OUT,      /* left its CPU voluntarily */
    CP_INPUT_PREEMPT,  /* was preempted */
    CP_INPUT_IN,       /* runs on a CPU; arg: its number */
    CP_INPUT_FAULT,    /* like CP_INPUT_LOG, but from the kernel */
    CP_INPUT_VANISHED, /* vanished without an END; ignored if unknown */
};

/* How a call (the field `call` of an input) is shown. */
enum cp_trace_class {
    CP_CLASS_SYNC,    /* BLOCK; arg is the lock */
    CP_CLASS_SLEEP,   /* BLOCK */
    CP_CLASS_NETWORK, /* BLOCK if it is long, else CALL */
    CP_CLASS_CHILD,   /* BLOCK if it is long, else CALL */
    CP_CLASS_CALL,    /* CALL */
};

struct cp_trace_call {
    const char *name;   /* function name: leaf of its stacks */
    const char *reason; /* reason of the BLOCK */
    enum cp_trace_class class;
    int moves; /* result is a byte count: 1 read, 2 written, 0 neither */
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

/* The kernel's totals of a thread; has_... marks the known fields. */
struct cp_trace_account {
    uint64_t user_ns, sys_ns, run_delay_ns;
    uint64_t vcsw, ivcsw, minflt, majflt;
    int cpu;
    bool has_times, has_delay, has_switches, has_faults, has_cpu;
    char name[64]; /* "" if unknown */
};

struct cp_trace_model_options {
    const struct cp_trace_format *format;
    void *writer;
    const struct cp_trace_call *calls;
    unsigned n_calls;
    /*
     * Fetches the totals of a thread that has ended (`end` is the text of its
     * CP_INPUT_END) or of a thread at the end of the trace (end is NULL).
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

/* Buffers an event. Drops and counts it if memory is exhausted. */
void cp_trace_model_add(struct cp_trace_model *m,
                        const struct cp_trace_input *in);

/* Passes all steps up to until_ns to the format. */
void cp_trace_model_flush(struct cp_trace_model *m, uint64_t until_ns);

/*
 * Reports a wait that is still in progress, because the format needs the state
 * of all threads or because the trace ends. Its end may still be added later.
 */
void cp_trace_model_report_wait(struct cp_trace_model *m,
                                const struct cp_trace_input *in,
                                uint64_t now_ns);

/* Whether the thread is known and this wait is not reported yet. */
bool cp_trace_model_lacks_wait(const struct cp_trace_model *m, int32_t tid,
                               uint64_t begin_ns);

/* Ends the trace: emits the totals of all live threads. */
void cp_trace_model_finish(struct cp_trace_model *m, uint64_t end_ns);

/* Emits a message of the recorder. */
void cp_trace_model_log(struct cp_trace_model *m, uint64_t time_ns,
                        const char *category, const char *message);

/* Returns the number of events dropped because memory was exhausted. */
uint64_t cp_trace_model_lost(const struct cp_trace_model *m);

#endif
