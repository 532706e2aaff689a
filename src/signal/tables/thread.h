/*
 * thread - the record of a thread, shared by the signal handler, the hooks that
 * run in the thread, and the runtime (runtime/threads/threads.h).
 *
 * The runtime keeps one record a thread. Records lie in mapped chunks that are
 * never unmapped, so a pointer to a record always stays valid; a new thread may
 * get the record of one that has exited. Each signal that the library sends
 * carries the number of its thread's record.
 *
 * Context: any, signal handlers included.
 * Locking: the fields that are not atomic belong to one writer, which the
 *   comment of their struct names; the runtime's lock is that of threads.c.
 * Ordering: cp_signal_threads publishes a chunk; cp_signal_thread_at acquires
 *   it. tid is stored after the stack bounds, and set to 0 after the thread's
 *   timers are deleted.
 * Failure: none; cp_signal_thread_at returns NULL for a number without record.
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

/* 8-byte words of general registers at the start of an mcontext_t. */
#if defined(__aarch64__)
#define CP_SIGNAL_REGISTERS_MAX 34
#else
#define CP_SIGNAL_REGISTERS_MAX 23
#endif

/* Requests to a thread (runtime/threads/thread_request.h); a bit mask. */
enum cp_thread_request {
    CP_REQUEST_WALL = 1,      /* a sample for the wall-clock profile */
    CP_REQUEST_STACK = 2,     /* its stack, for the list of all threads */
    CP_REQUEST_REGISTERS = 4, /* its registers, for the leak search */
};

/*
 * The CPU profile. The runtime writes all fields under its lock while no timer
 * of the thread runs; then the handler alone writes count and slot.
 */
struct cp_thread_cpu {
    _Atomic uint64_t period_ns; /* CPU time between samples; 0 if not sampled */
    _Atomic uint64_t count;     /* periods recorded since first_ns */
    _Atomic(struct cp_signal_slot *) slot; /* last sample; NULL if none */
    uint64_t first_ns; /* due time of the first sample, by the thread's clock */
    uint64_t from_ns;  /* runtime: the thread's clock at the profile's start */
    uint32_t phase;    /* runtime: index + 1 (sampling_phase.h); 0 if none */
    uint32_t phase_generation; /* runtime: generation that `phase` belongs to */
    int timer_id;              /* runtime: id, or CP_NO_TIMER */
};

/*
 * The perf event of the CPU profile (perf_event.h), if the kernel grants one.
 * The runtime prepares it; the handler of the thread continues it.
 */
struct cp_thread_perf {
    _Atomic(void *) event;      /* mapping of the open event; NULL if none */
    _Atomic uint64_t period_ns; /* from the second event on; 0 means only one */
    int64_t retry_ns;       /* event interval until the first is due; 0: once */
    _Atomic bool is_paused; /* no event may be open (perf_signals.h) */
    bool has_fired;         /* the first event has been handled */
    bool has_backup_timer; /* the timer repeats the event, in case it is lost */
};

/*
 * Requests to the thread. The requester sets bits and arms the timer; the
 * handler clears all bits at once and replies.
 */
struct cp_thread_requests {
    _Atomic uint32_t pending; /* bits of enum cp_thread_request */
    int timer;                /* runtime: id + 1; 0 if none */
};

/*
 * The wall-clock profile. value_ns and count accumulate running time that the
 * sampler has measured, until the handler attributes it to a stack.
 */
struct cp_thread_wall {
    _Atomic uint64_t value_ns; /* running time without a stack yet */
    _Atomic uint32_t count;    /* samples without a stack yet */
    bool has_replied; /* runtime: the thread does not block the signal */
    _Atomic(struct cp_signal_slot *) running_slot; /* last one; NULL if none */
    struct cp_signal_slot *sleeping_slot; /* runtime: last one; NULL if none */
    uint64_t sleeping_cpu_ns; /* runtime: CPU time when sleeping_slot was set */
    uint64_t accounted_ns;    /* runtime: monotonic time accounted for so far */
};

/*
 * The reply to CP_REQUEST_REGISTERS (runtime/heap/leak_registers.h). The
 * handler writes values and sp, then increments n_replies (release).
 */
struct cp_thread_registers {
    uintptr_t values[CP_SIGNAL_REGISTERS_MAX];
    uintptr_t sp;
    _Atomic uint32_t n_replies;
    uint32_t awaited; /* runtime: value of n_replies to wait for; 0 if none */
};

/*
 * The reply to CP_REQUEST_STACK (runtime/profiles/thread_stacks.h). The handler
 * stores slot, then increments n_replies.
 */
struct cp_thread_stack_list {
    _Atomic uint64_t n_replies;
    _Atomic(struct cp_signal_slot *) slot; /* last walk; NULL if it failed */
};

/* The execution trace (trace.h); the thread itself and its handler write. */
struct cp_thread_trace {
    struct cp_trace_buffer *buffers[2]; /* hooks', handler's; NULL if none */
    uint32_t session; /* of the event being written by a hook; 0 if none */
};

/*
 * The current wait of the thread, as in a seqlock: a hook writes since_ns
 * (release) after all other fields. A reader loads since_ns before and after
 * the other fields, and discards them if the two values differ.
 */
struct cp_thread_waits {
    _Atomic uint64_t since_ns; /* monotonic; 0 if the thread does not wait */
    _Atomic uint32_t call;     /* function that it waits in (calls.h) */
    _Atomic uint32_t stack;    /* index + 1 in cp_trace.stacks; 0: use regs */
    _Atomic uintptr_t regs[4]; /* pc, sp, fp, aux in the hook (regs.h) */
    _Atomic uintptr_t entry;   /* real function of the hook; 0 if unknown */
    _Atomic uint32_t waiter_slot; /* index + 1 (waiters.c); 0 if none */
};

/* The runtime's list of threads, under the lock of threads.c. */
struct cp_thread_runtime {
    uintptr_t start_pc; /* start function of the thread; 0 if unknown */
    uint64_t last_scan; /* number of the last scan of /proc that saw it */
    uint32_t next;      /* number + 1 of the next in the chain, or 0 */
};

struct cp_signal_thread {
    alignas(64) _Atomic int32_t tid; /* 0 if the record is free */
    _Atomic uint32_t labels;         /* label set of the thread; 0 if none */
    uint32_t number;                 /* index of this record; never changes */
    _Atomic uintptr_t stack_low;     /* bounds of the stack, readable without */
    _Atomic uintptr_t stack_high; /* a check (stack_reader.h); 0 if unknown */
    struct cp_thread_cpu cpu;
    struct cp_thread_perf perf;
    struct cp_thread_requests requests;
    struct cp_thread_wall wall;
    struct cp_thread_registers registers;
    struct cp_thread_stack_list stack_list;
    struct cp_thread_trace trace;
    struct cp_thread_waits waits;
    struct cp_thread_runtime runtime;
};

_Static_assert(offsetof(struct cp_signal_thread, cpu) +
                       offsetof(struct cp_thread_cpu, from_ns) <=
                   64,
               "a CPU sample reads one cache line of the record");

/*
 * Returns the number of sampling periods that have passed at this CPU time and
 * are not recorded yet.
 */
static inline uint64_t cp_signal_periods_due(const struct cp_signal_thread *t,
                                             uint64_t clock_ns)
{
    uint64_t period = atomic_load(&t->cpu.period_ns);
    uint64_t n = atomic_load(&t->cpu.count), due;

    if (clock_ns < t->cpu.first_ns || period == 0)
        return 0;
    due = (clock_ns - t->cpu.first_ns) / period + 1;
    return due > n ? due - n : 0;
}

#define CP_THREADS_CHUNK 256   /* records in a chunk */
#define CP_THREADS_CHUNKS 1024 /* chunks at most */

extern _Atomic(struct cp_signal_thread *) cp_signal_threads[CP_THREADS_CHUNKS];

/* Returns the record with this number, or NULL if its chunk is not mapped. */
static inline struct cp_signal_thread *cp_signal_thread_at(uint32_t number)
{
    struct cp_signal_thread *chunk;

    if (number / CP_THREADS_CHUNK >= CP_THREADS_CHUNKS)
        return NULL;
    chunk = atomic_load_explicit(&cp_signal_threads[number / CP_THREADS_CHUNK],
                                 memory_order_acquire);
    return chunk ? &chunk[number % CP_THREADS_CHUNK] : NULL;
}

/* The record of the current thread, or NULL if it is not registered yet. */
extern _Thread_local struct cp_signal_thread *cp_signal_self
    __attribute__((tls_model("initial-exec")));

/* True in a thread of the library, whose waits are not recorded. */
extern _Thread_local bool cp_signal_is_internal
    __attribute__((tls_model("initial-exec")));

#endif
