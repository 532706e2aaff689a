/*
 * model_threads - the states of all threads of a trace; part of the model.
 *
 * Items arrive in the order of time and may contradict each other. The steps
 * passed to the format are consistent.
 */
#ifndef CP_TRACE_MODEL_THREADS_H
#define CP_TRACE_MODEL_THREADS_H

#include <stdbool.h>
#include <stdint.h>

struct cp_error;
struct cp_trace_model_options;

enum cp_item_kind {
    CP_ITEM_KNOWN,
    CP_ITEM_CREATE,
    CP_ITEM_BEGIN,
    CP_ITEM_END,
    CP_ITEM_WAIT,    /* begin of a wait */
    CP_ITEM_UNBLOCK, /* unblock of the wait that began at begin_ns */
    CP_ITEM_WAITED,  /* end of the wait that began at begin_ns */
    CP_ITEM_CALLED,  /* short call; begin_ns is its end */
    CP_ITEM_ASLEEP,
    CP_ITEM_REGION_BEGIN,
    CP_ITEM_REGION_END,
    CP_ITEM_LOG,
    CP_ITEM_SAMPLE,
    CP_ITEM_NAME,
    CP_ITEM_OUT,
    CP_ITEM_PREEMPT,
    CP_ITEM_IN,
    CP_ITEM_FAULT,
    CP_ITEM_GONE,
};

struct cp_item {
    uint64_t time_ns;
    uint64_t begin_ns; /* begin of the wait */
    uint64_t arg; /* WAITED: result of a call; BEGIN: token; UNBLOCK and CREATE:
                     time when the thread runs */
    char *text;
    uint32_t len;
    int32_t tid, other;
    uint32_t stack, start;
    uint8_t kind; /* enum cp_item_kind */
    uint8_t call;
    bool is_long;
};

struct cp_model_threads;

struct cp_model_threads *
cp_model_threads_new(const struct cp_trace_model_options *options,
                     uint64_t begin_ns, struct cp_error *err);
void cp_model_threads_free(struct cp_model_threads *ts);

void cp_model_threads_apply(struct cp_model_threads *ts,
                            const struct cp_item *item);
bool cp_model_threads_lacks(const struct cp_model_threads *ts, int32_t tid,
                            uint64_t begin_ns);
void cp_model_threads_finish(struct cp_model_threads *ts, uint64_t end_ns);
void cp_model_threads_log(struct cp_model_threads *ts, uint64_t time_ns,
                          const char *category, const char *message);

/* Returns the number of items that were dropped as inconsistent. */
uint64_t cp_model_threads_lost(const struct cp_model_threads *ts);

#endif
