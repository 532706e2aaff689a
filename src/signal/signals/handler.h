/*
 * handler - the signal handlers that take the samples, and the state that they
 * share with the runtime.
 *
 * The runtime installs the handler once and leaves it there, so that a late
 * signal still finds it. The handler accepts signals of the library's timers,
 * which carry a random cookie. Any other signal gets the action that the
 * program had before (forwarding).
 *
 * Context: signal handler, in any thread. It calls nothing outside src/signal,
 *   so it keeps errno and is async-signal-safe.
 * Locking: none.
 * Ordering: the runtime publishes a sample table by a store to cp_handler_state
 *   and frees it after a grace period (signal/tables/readers.h).
 * Failure: a sample that cannot be taken is counted in cp_handler_state.
 */
#ifndef CP_SIGNAL_HANDLER_H
#define CP_SIGNAL_HANDLER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/assert/assert.h"
#include "signal/tables/samples.h"

/*
 * The payload of a signal from the library (si_value, or perf's sig_data):
 * cookie << 32 | source << 28 | number of the thread's record.
 */
enum cp_signal_source {
    CP_SIGNAL_CPU = 1,     /* timer or perf event of the CPU profile */
    CP_SIGNAL_REQUEST = 2, /* timer of requests (enum cp_thread_request) */
};

#define CP_SIGNAL_NUMBER_BITS 28

/* The state tag of a wall-clock sample that the handler takes. */
#define CP_STATE_RUNNING 1

/*
 * A walk that meets unknown code requests a refresh of the unwind table. The
 * handler changes NONE to REQUESTED, the refresh thread changes REQUESTED to
 * SERVED, and SERVED to NONE at its next regular refresh. So handlers wake the
 * refresh thread at most once between two regular refreshes.
 */
enum cp_refresh_request {
    CP_REFRESH_NONE,
    CP_REFRESH_REQUESTED,
    CP_REFRESH_SERVED,
};

struct cp_handler_state {
    /* Sample tables; NULL if that profile is off. */
    _Atomic(struct cp_signal_samples *) cpu;
    _Atomic(struct cp_signal_samples *) wall;
    _Atomic(struct cp_signal_samples *) stacks; /* list of all threads */

    uint32_t cookie; /* random; set before the first signal; 0 if not set */

    /* Samples since the start of the process. */
    _Atomic uint64_t n_samples; /* samples recorded, or lost by a full table */
    _Atomic uint64_t n_truncated;      /* stack without its outermost frame */
    _Atomic uint64_t n_no_reader_slot; /* lost: all reader slots in use */
    _Atomic uint64_t n_full; /* samples lost because the table was full */
    _Atomic uint64_t n_late; /* samples lost after the profile ended */

    _Atomic int64_t perf_lag_ns; /* mean delay of a thread's first perf event */
    _Atomic uint32_t refresh_request; /* enum cp_refresh_request */
    _Atomic uint32_t *refresh_futex;  /* the refresh thread sleeps on it */
    struct sigaction previous; /* the program's action before the handler */
};

extern struct cp_handler_state cp_handler_state;

/* Was the signal sent by a timer of the library? */
static inline bool cp_signal_is_from_timer(const siginfo_t *info)
{
    uint64_t payload = (uint64_t)(uintptr_t)info->si_value.sival_ptr;

    return info->si_code == SI_TIMER &&
           payload >> 32 == cp_handler_state.cookie;
}

/* The payload for a timer or an event of the thread with this number. */
static inline void *cp_signal_payload(enum cp_signal_source source,
                                      uint32_t number)
{
    uint64_t payload = (uint64_t)cp_handler_state.cookie << 32 |
                       (uint64_t)source << CP_SIGNAL_NUMBER_BITS | number;

    CP_ASSERT(number >> CP_SIGNAL_NUMBER_BITS == 0);
    return (void *)(uintptr_t)payload;
}

/* The handler of the library's real-time signal. */
void cp_signal_handle(int sig, siginfo_t *info, void *context);

/* The handler of SIGTRAP, which perf events send (perf_event.h). */
void cp_signal_handle_trap(int sig, siginfo_t *info, void *context);

/*
 * Call in a handler of sig: restores the default action and raises sig again.
 */
void cp_signal_raise_default(int sig);

#endif
