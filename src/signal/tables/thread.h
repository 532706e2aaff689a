/*
 * thread - what a signal handler knows of the thread it runs on.
 *
 * The runtime keeps one of these for each thread (runtime/threads/threads.h);
 * they lie in memory of their own and are never freed, only used again. A
 * signal that we caused carries the number of its thread's record.
 */
#ifndef CP_SIGNAL_THREAD_H
#define CP_SIGNAL_THREAD_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/tables/samples.h"

struct cp_trace_buffer;

/* The words of a context that are registers; it begins with them. */
#if defined(__aarch64__)
#define CP_SIGNAL_REGISTERS_MAX 34
#else
#define CP_SIGNAL_REGISTERS_MAX 23
#endif

/* What a thread is requested to report of itself
 * (runtime/threads/thread_request.h). */
enum cp_thread_request {
    CP_REQUEST_WALL = 1,      /* a sample for the wall-clock profile */
    CP_REQUEST_STACK = 2,     /* its stack, for the list of all threads */
    CP_REQUEST_REGISTERS = 4, /* its registers, for a search for leaks */
};

struct cp_signal_thread {
    alignas(64) _Atomic int32_t tid; /* 0: the record is free */
    _Atomic uint32_t labels;         /* the set that the thread has now */
    _Atomic uintptr_t stack_low;     /* where reads need no question: */
    _Atomic uintptr_t stack_high;    /* see stack_reader.h */
    _Atomic uint64_t cpu_period_ns;  /* of its timer */
    _Atomic uint64_t cpu_count;      /* of periods that were sampled */
    _Atomic(struct cp_signal_slot *) cpu_slot; /* of the last sample */
    uint64_t cpu_first_ns; /* the timer's first expiry, by the thread's clock */
    bool cpu_has_backup;   /* the timer repeats what an event may have said */

    /* Of events (perf_event.h), where they are used. */
    _Atomic(void *) perf;            /* NULL: there is none */
    _Atomic uint64_t perf_period_ns; /* after the first; 0: the timer goes on */
    _Atomic bool perf_is_paused; /* there must be none: see perf_signals.h */
    bool perf_is_in_step;        /* the first has come */
    int64_t perf_gap_ns; /* it comes again after that; before, it is early */

    /* Requests: bits of enum cp_thread_request. The requester sets them and
     * arms the timer; the handler takes them all at once. */
    _Atomic uint32_t requests;

    /* Running time that the wall-clock sampler has seen and the handler has
     * not attributed to a stack yet. The sampler adds, the handler takes. */
    _Atomic uint64_t wall_value;                        /* ns */
    _Atomic uint32_t wall_count;                        /* samples */
    _Atomic(struct cp_signal_slot *) wall_running_slot; /* last; or NULL */

    /* All registers, as the last reply to CP_REQUEST_REGISTERS gave them. */
    uintptr_t registers[CP_SIGNAL_REGISTERS_MAX];
    uintptr_t registers_sp;
    _Atomic uint32_t registers_replies;

    /* Of the list of all threads (runtime/profiles/thread_stacks.h). */
    _Atomic uint64_t stack_replies;              /* stacks walked so far */
    _Atomic(struct cp_signal_slot *) stack_slot; /* of the last one */

    /* Of the trace (trace.h): of the thread itself, and of the handler. */
    struct cp_trace_buffer *trace_buffers[2];
    uint32_t trace_session;            /* the session that it writes in */
    _Atomic uint32_t trace_wait_call;  /* what it waits in ... */
    _Atomic uint64_t trace_wait_ns;    /* ... and since when; 0: it does not */
    _Atomic uint32_t trace_wait_stack; /* ... and from where; 0: not known */
    _Atomic uintptr_t trace_wait_regs[4]; /* of the hook, if it is not: */
                                          /* pc, sp, fp and aux of regs.h */
    _Atomic uintptr_t trace_wait_entry;   /* the function it is of, or 0 */

    _Atomic uint32_t waiter_slot; /* that it keeps (waiters.c), + 1 */

    /* The runtime's own; no handler looks at these. */
    uintptr_t start;      /* the function that the thread began in, or 0 */
    uint64_t cpu_from_ns; /* its clock when it was first sampled */
    uint32_t
        cpu_phase; /* of its period (runtime/threads/sampling_phase.h), + 1 */
    uint32_t cpu_phase_round; /* to which that belongs */
    int timer_id;
    int request_timer; /* + 1; 0: there is none */
    uint32_t number;
    uint32_t next; /* in a chain of records: number + 1; 0: the last */
    uint32_t flags;
    uint64_t wall_clock;    /* CPU time when it was found asleep, ns */
    uint64_t wall_visit_ns; /* when it was last accounted for */
    struct cp_signal_slot *wall_sleeping_slot; /* last; or NULL */
    uint64_t mark;
    uint32_t registers_awaited; /* the reply that is awaited; 0: none */
};

/* The periods that have passed by the thread's clock and were not sampled. */
static inline uint64_t cp_signal_due(const struct cp_signal_thread *t,
                                     uint64_t clock_ns)
{
    uint64_t period = atomic_load(&t->cpu_period_ns);
    uint64_t n = atomic_load(&t->cpu_count), due;

    if (clock_ns < t->cpu_first_ns || period == 0)
        return 0;
    due = (clock_ns - t->cpu_first_ns) / period + 1;
    return due > n ? due - n : 0;
}

#define CP_THREADS_CHUNK 256
#define CP_THREADS_CHUNKS 1024

extern _Atomic(struct cp_signal_thread *) cp_signal_threads[CP_THREADS_CHUNKS];

/* The record of a number; NULL: there is none. */
static inline struct cp_signal_thread *cp_signal_thread_at(uint32_t number)
{
    struct cp_signal_thread *chunk;

    if (number / CP_THREADS_CHUNK >= CP_THREADS_CHUNKS)
        return NULL;
    chunk = atomic_load_explicit(&cp_signal_threads[number / CP_THREADS_CHUNK],
                                 memory_order_acquire);
    return chunk ? &chunk[number % CP_THREADS_CHUNK] : NULL;
}

/* The current thread's, or NULL when it is not known yet. */
extern _Thread_local struct cp_signal_thread *cp_signal_self
    __attribute__((tls_model("initial-exec")));

/* Whether the current thread belongs to the library; its waits are not
 * recorded. */
extern _Thread_local bool cp_signal_is_internal
    __attribute__((tls_model("initial-exec")));

#endif
