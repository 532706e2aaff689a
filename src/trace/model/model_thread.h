/*
 * model_thread - the state machine of one thread of the model, which emits its
 * steps. Internal to model_threads.c and model_waits.c.
 */
#ifndef CP_TRACE_MODEL_THREAD_H
#define CP_TRACE_MODEL_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "trace/model/model.h"
#include "trace/model/model_threads.h"
#include "trace/model/model_totals.h"
#include "trace/step.h"
#include "trace/tid_table.h"

#define CP_MODEL_REGIONS 32
#define CP_MODEL_NAME_BYTES 64

enum cp_model_state {
    CP_MODEL_CREATED, /* has not run yet */
    CP_MODEL_RUNNING,
    CP_MODEL_BLOCKED,
    CP_MODEL_CALLING,
    CP_MODEL_STOPPED,
};

/* The wait that a thread is in. */
struct cp_model_wait {
    uint64_t begin_ns;
    uint32_t stack;
    uint8_t call;
    bool is_long;
};

struct cp_model_thread {
    int32_t tid;
    enum cp_model_state state;
    bool is_known; /* existed before the trace */
    bool is_woken; /* BLOCKED: unblocked, but not running yet */
    bool is_io;    /* BLOCKED or CALLING: counts as I/O */
    bool in_wait;  /* the state is a wait whose end will be input */
    struct cp_model_wait wait;
    struct cp_model_wait outer; /* wait interrupted by a signal handler */
    uint32_t depth;             /* waits nested in the outer one */
    uint64_t start_ns, last_ns, since_ns;
    struct cp_model_totals totals;
    char name[CP_MODEL_NAME_BYTES];
    struct cp_str regions[CP_MODEL_REGIONS];
    uint32_t n_regions;
};

struct cp_model_threads {
    struct cp_trace_model_options options;
    struct cp_tid_table threads;
    uint64_t n_lost;
};

static inline struct cp_str cp_model_text(const char *text)
{
    return (struct cp_str){ text, (uint32_t)strlen(text) };
}

/*
 * Emits a step of the thread, at its time or that of its last step, whichever
 * is later.
 */
void cp_model_emit(struct cp_model_threads *ts, struct cp_model_thread *t,
                   struct cp_step step);
void cp_model_emit_kind(struct cp_model_threads *ts, struct cp_model_thread *t,
                        enum cp_step_kind kind, uint64_t time_ns);

/* Changes the state, and adds the time in the old state to the totals. */
void cp_model_change(struct cp_model_thread *t, enum cp_model_state state,
                     uint64_t time_ns);

/* Makes the thread running from any state, with the steps in between. */
void cp_model_run(struct cp_model_threads *ts, struct cp_model_thread *t,
                  uint64_t time_ns);

void cp_model_block(struct cp_model_threads *ts, struct cp_model_thread *t,
                    struct cp_step step, bool is_io);

/* State changes by kind of item (model_waits.c). */
void cp_model_on_wait(struct cp_model_threads *ts, struct cp_model_thread *t,
                      const struct cp_item *item);
void cp_model_on_unblock(struct cp_model_threads *ts, struct cp_model_thread *t,
                         const struct cp_item *item);
void cp_model_on_waited(struct cp_model_threads *ts, struct cp_model_thread *t,
                        const struct cp_item *item);
void cp_model_on_called(struct cp_model_threads *ts, struct cp_model_thread *t,
                        const struct cp_item *item);
void cp_model_on_asleep(struct cp_model_threads *ts, struct cp_model_thread *t,
                        const struct cp_item *item);

#endif
