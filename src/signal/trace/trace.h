/*
 * trace - what threads did, written down by themselves while a trace runs.
 *
 * A thread writes events into a buffer of memory that only it writes to, and
 * takes another from a pool when it is full: no lock, nothing allocated. The
 * runtime reads the buffers from time to time and gives them back. Where the
 * pool is empty, events are lost and counted.
 *
 * A session is one trace; its number is odd while it runs. A thread that comes
 * late, with a buffer of an older session, lets go of it: whatever it wrote
 * there is not looked at.
 *
 * The signal handler has a buffer of its own for each thread, because it may
 * interrupt a hook. Where a handler of the program interrupts a hook that is
 * writing an event and gets into a hook again, the second event is lost.
 */
#ifndef CP_SIGNAL_TRACE_H
#define CP_SIGNAL_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/tables/samples.h"
#include "signal/tables/thread.h"
#include "signal/unwinder/regs.h"

enum cp_trace_kind {
    CP_TRACE_WAIT = 1,      /* arg: the lock, or what the call returned */
    CP_TRACE_WAKE,          /* arg: the lock that somebody waits for */
    CP_TRACE_CREATE,        /* a thread is about to be made; arg: a token */
    CP_TRACE_CREATE_FAILED, /* it could not be made; arg: the token */
    CP_TRACE_START,         /* it begins; arg: the token, more: its function */
    CP_TRACE_END,           /* arg: its pthread_t, more: cp_trace_end */
    CP_TRACE_REGION_BEGIN,  /* more: the name */
    CP_TRACE_REGION_END,    /* the same */
    CP_TRACE_LOG,           /* more: category, NUL, message */
    CP_TRACE_SAMPLE,        /* of the CPU sampler */
};

struct cp_trace_event {
    uint64_t time_ns;  /* monotonic; of a wait: its end */
    uint64_t begin_ns; /* of a wait */
    uint64_t arg;
    uint32_t stack; /* slot in the table, + 1; 0: none */
    uint16_t more;  /* bytes that follow, in the space of next events */
    uint8_t kind;   /* enum cp_trace_kind */
    uint8_t call;   /* of a wait: calls.h */
};

/* The space that an event takes, in events. */
static inline uint32_t cp_trace_slots(const struct cp_trace_event *e)
{
    return 1 + (e->more + (uint32_t)sizeof(*e) - 1) / (uint32_t)sizeof(*e);
}

/* What follows a CP_TRACE_END: the thread's own account. */
struct cp_trace_end {
    uint64_t cpu_ns, user_ns, sys_ns;
    uint64_t vcsw, ivcsw, minflt, majflt;
    char name[16];
};

#define CP_TRACE_MAX_TEXT 1024
#define CP_TRACE_BUFFER_EVENTS 127

enum cp_trace_buffer_state {
    CP_TRACE_FREE,
    CP_TRACE_OWNED, /* its thread may write */
    CP_TRACE_DONE,  /* its thread has let go of it */
};

struct cp_trace_buffer {
    _Atomic uint32_t state;
    uint32_t session;
    int32_t tid;
    _Atomic uint32_t n; /* events that are there */
    uint64_t order;     /* of all buffers of the session */
    uint32_t n_read;    /* the reader's */
    uint32_t unused;
    struct cp_trace_event events[CP_TRACE_BUFFER_EVENTS];
};

#define CP_TRACE_BUFFERS 2048      /* 8 MiB, and two for each thread */
#define CP_TRACE_MAX_BUFFERS 16384 /* of these there may be, 64 MiB */
#define CP_TRACE_CALLS 64          /* more than there are (calls.h) */
#define CP_TRACE_BUCKETS 1024      /* a power of two */

struct cp_trace {
    _Atomic uint32_t session;
    struct cp_trace_buffer *buffers;
    _Atomic uint32_t n_words; /* of `free`, in use; it only grows */
    _Atomic uint64_t free[CP_TRACE_MAX_BUFFERS / 64]; /* a bit for each */
    _Atomic uint64_t order;
    _Atomic uint64_t n_lost;                    /* events */
    _Atomic uint32_t waiters[CP_TRACE_BUCKETS]; /* by their lock; a hint */
    struct cp_signal_samples stacks;
    uint32_t bare[CP_TRACE_CALLS]; /* the stack of a call that has no other */
};

extern struct cp_trace cp_trace __attribute__((visibility("hidden")));

static inline bool cp_trace_is_on(void)
{
    return __builtin_expect(
        atomic_load_explicit(&cp_trace.session, memory_order_relaxed) & 1, 0);
}

static inline uint32_t cp_trace_bucket(uint64_t lock)
{
    return (uint32_t)(lock * 0x9e3779b97f4a7c15u >> 54);
}

/* Somebody waits for it, or for one that looks like it. */
static inline bool cp_trace_has_waiters(uint64_t lock)
{
    return cp_trace_is_on() &&
           atomic_load_explicit(&cp_trace.waiters[cp_trace_bucket(lock)],
                                memory_order_relaxed) > 0;
}

/* A wait that is traced. */
struct cp_trace_wait {
    uint32_t session; /* 0: it is not */
    uint32_t stack;
    uint64_t lock;
};

/*
 * The calling thread waits from begin_ns on; `caller` as in capture.h. The
 * stack is taken now, but for calls of I/O, which may come back at once: of
 * these it can be found by `here`, the registers of the hook.
 */
struct cp_trace_wait cp_trace_wait_begin(unsigned call, uint64_t lock,
                                         uint64_t begin_ns,
                                         const struct cp_signal_regs *here,
                                         uintptr_t caller);

/* It has waited; of a call of I/O, arg is what it returned. */
void cp_trace_wait_end(const struct cp_trace_wait *wait,
                       const struct cp_trace_event *e, uintptr_t caller);

/* It did not wait after all. */
void cp_trace_wait_abort(const struct cp_trace_wait *wait);

/*
 * The same without a trace: a call has begun, and by `here` the stack can be
 * found while it lasts. False: nobody knows this thread.
 */
bool cp_trace_wait_publish(unsigned call, uint64_t begin_ns,
                           const struct cp_signal_regs *here);
void cp_trace_wait_unpublish(void);

/* An event of the calling thread, with its stack if caller is not 0. */
void cp_trace_write(struct cp_trace_event e, const void *more,
                    uintptr_t caller);

/* From the handler: a sample of the thread that it interrupted. */
void cp_trace_sample(struct cp_signal_thread *t, const uintptr_t *frames,
                     size_t n, uint64_t time_ns);

/* The thread is no more: lets go of its buffers. */
void cp_trace_release_buffers(struct cp_signal_thread *t);

/* Gives a buffer back to the pool. */
void cp_trace_free_buffer(struct cp_trace_buffer *buffer);

/* A stack for the table, of a thread that does not do it itself. */
uint32_t cp_trace_stack(const uintptr_t *frames, size_t n, uint32_t call);

#endif
