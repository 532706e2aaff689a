/*
 * trace - writes the events of the execution trace, in the traced threads.
 *
 * A thread appends events to its own buffer, and takes a new one from a pool
 * when the buffer is full. The runtime reads the buffers from time to time and
 * frees them (runtime/trace/trace_pool.h).
 *
 * A session is one trace; its number is odd while the trace runs. A thread that
 * still has a buffer of an older session drops it; the runtime ignores the
 * events in it.
 *
 * Each thread has a second buffer for the library's signal handler, because the
 * handler may interrupt a hook that writes an event. If a signal handler of the
 * program interrupts such a hook and enters a hook itself, the second event is
 * lost.
 *
 * Context: hooks in any thread; cp_trace_sample: the library's signal handler.
 * Locking: none; nothing is allocated. A buffer has one writer, its thread.
 * Ordering: a writer stores an event, then n (release); the reader loads n
 *   (acquire) and reads the events below. A store of CP_TRACE_DONE (release)
 *   gives the buffer to the reader; the bit in `free` gives it to the pool.
 * Failure: an event that finds no buffer is lost and counted in n_lost.
 */
#ifndef CP_SIGNAL_TRACE_H
#define CP_SIGNAL_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/tables/thread.h"
#include "signal/unwinder/regs.h"

enum cp_trace_kind {
    CP_TRACE_WAIT = 1,      /* arg: lock, or result of an I/O call */
    CP_TRACE_WAKE,          /* arg: lock or object with waiters */
    CP_TRACE_CREATE,        /* before a thread is created; arg: token */
    CP_TRACE_CREATE_FAILED, /* creation failed; arg: token */
    CP_TRACE_START,        /* thread starts; arg: token, more: start function */
    CP_TRACE_END,          /* thread ends; arg: pthread_t, more: cp_trace_end */
    CP_TRACE_REGION_BEGIN, /* more: name */
    CP_TRACE_REGION_END,   /* more: name */
    CP_TRACE_LOG,          /* more: category, NUL, message */
    CP_TRACE_SAMPLE,       /* sample of the CPU profile */
};

struct cp_trace_event {
    uint64_t time_ns;  /* monotonic; end of a wait */
    uint64_t begin_ns; /* start of a wait; 0 for other events */
    uint64_t arg;      /* see enum cp_trace_kind */
    uint32_t stack;    /* index + 1 in cp_trace.stacks; 0 if none */
    uint16_t more;     /* bytes of data after the event; see cp_trace_slots */
    uint8_t kind;      /* enum cp_trace_kind */
    uint8_t call;      /* function of a wait (calls.h); else 0 */
};

/* Size of an event with its data, in units of struct cp_trace_event. */
static inline uint32_t cp_trace_slots(const struct cp_trace_event *e)
{
    return 1 + (e->more + (uint32_t)sizeof(*e) - 1) / (uint32_t)sizeof(*e);
}

/* Data of a CP_TRACE_END: the resource usage of the thread. */
struct cp_trace_end {
    uint64_t cpu_ns, user_ns, sys_ns;
    uint64_t vcsw, ivcsw, minflt, majflt;
    char name[16];
};

#define CP_TRACE_MAX_TEXT 1024     /* bytes of a name or a message */
#define CP_TRACE_BUFFER_EVENTS 127 /* a buffer is a page */

enum cp_trace_buffer_state {
    CP_TRACE_FREE,  /* in the pool */
    CP_TRACE_OWNED, /* its thread writes */
    CP_TRACE_DONE,  /* complete; the reader frees it */
};

struct cp_trace_buffer {
    _Atomic uint32_t state; /* enum cp_trace_buffer_state */
    uint32_t session;
    int32_t tid;
    _Atomic uint32_t n; /* published events */
    uint64_t order;     /* sequence number among all buffers */
    uint32_t n_read;    /* events that the reader has read */
    uint32_t unused;
    struct cp_trace_event events[CP_TRACE_BUFFER_EVENTS];
};

#define CP_TRACE_BUFFERS 2048      /* 8 MiB; two more for each thread */
#define CP_TRACE_MAX_BUFFERS 16384 /* 64 MiB */
#define CP_TRACE_CALLS 64          /* at least CP_CALLS (calls.h) */
#define CP_TRACE_BUCKETS 1024      /* a power of two */

struct cp_trace {
    _Atomic uint32_t session; /* odd while a trace runs */
    struct cp_trace_buffer *buffers;
    _Atomic uint32_t n_words; /* words of `free` in use; only grows */
    _Atomic uint64_t free[CP_TRACE_MAX_BUFFERS / 64]; /* bit set: free buffer */
    _Atomic uint64_t order;  /* sequence number of the next buffer */
    _Atomic uint64_t n_lost; /* events */
    _Atomic uint32_t waiters[CP_TRACE_BUCKETS]; /* by lock hash; a hint */
    struct cp_signal_samples stacks;
    uint32_t bare[CP_TRACE_CALLS]; /* stack of a short I/O call, by call */
};

extern struct cp_trace cp_trace __attribute__((visibility("hidden")));

/* Whether a trace runs. */
static inline bool cp_trace_is_on(void)
{
    return __builtin_expect(
        atomic_load_explicit(&cp_trace.session, memory_order_relaxed) & 1, 0);
}

static inline uint32_t cp_trace_bucket(uint64_t lock)
{
    return (uint32_t)(lock * 0x9e3779b97f4a7c15u >> 54);
}

/*
 * Whether a traced thread may be waiting for the lock. False positives occur:
 * all locks of a hash bucket share a counter.
 */
static inline bool cp_trace_has_waiters(uint64_t lock)
{
    return cp_trace_is_on() &&
           atomic_load_explicit(&cp_trace.waiters[cp_trace_bucket(lock)],
                                memory_order_relaxed) > 0;
}

/* A wait in progress. */
struct cp_trace_wait {
    uint32_t session; /* 0 if not traced */
    uint32_t stack;   /* index + 1; 0 means capture at the end */
    uint64_t lock;    /* address; 0 if none */
};

/*
 * Call before a wait; `caller` is as in capture.h. The stack is captured now,
 * except for an I/O call, which may return at once. During an I/O call other
 * threads can walk the stack from `here`, the registers of the hook.
 */
struct cp_trace_wait cp_trace_wait_begin(unsigned call, uint64_t lock,
                                         uint64_t begin_ns,
                                         const struct cp_signal_regs *here,
                                         uintptr_t caller);

/* Call after a wait: writes its event; e->arg is the result of an I/O call. */
void cp_trace_wait_end(const struct cp_trace_wait *wait,
                       const struct cp_trace_event *e, uintptr_t caller);

/* Call after a call that did not wait: writes no event. */
void cp_trace_wait_abort(const struct cp_trace_wait *wait);

/*
 * Call around a wait while no trace runs: publishes the call and the registers
 * in the thread's record, so that another thread can walk the stack during the
 * call. publish returns false if the thread has no record.
 */
bool cp_trace_wait_publish(unsigned call, uint64_t begin_ns,
                           const struct cp_signal_regs *here);
void cp_trace_wait_unpublish(void);

/*
 * Writes an event of the calling thread. If caller is 0, the event has no
 * stack.
 */
void cp_trace_write(struct cp_trace_event e, const void *more,
                    uintptr_t caller);

/* In the signal handler: writes a sample of the interrupted thread. */
void cp_trace_sample(struct cp_signal_thread *t, const uintptr_t *frames,
                     size_t n, uint64_t time_ns);

/* Gives the buffers of an exiting thread to the reader. */
void cp_trace_release_buffers(struct cp_signal_thread *t);

/* Returns a buffer to the pool; the reader calls it. */
void cp_trace_free_buffer(struct cp_trace_buffer *buffer);

/*
 * Adds a stack to cp_trace.stacks. Returns its index + 1, or 0 if it is lost.
 */
uint32_t cp_trace_stack(const uintptr_t *frames, size_t n, uint32_t call);

#endif
