/*
 * handler - the signal handler that takes the samples.
 *
 * Installed once and left there, so that a late signal finds it. It handles the
 * signals of the library's timers, which carry a random word; for any other
 * signal it does what the program would have had without the library.
 * It calls nothing outside src/signal and so does not touch errno.
 */
#ifndef CP_SIGNAL_HANDLER_H
#define CP_SIGNAL_HANDLER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "signal/tables/samples.h"

/* What a signal of ours carries: word << 32 | what << 28 | thread number. */
enum cp_signal_source {
    CP_SIGNAL_CPU = 1,     /* from the timer of the CPU profile */
    CP_SIGNAL_REQUEST = 2, /* from the timer of requests */
};

/* The state tag of a wall-clock sample that the handler takes. */
#define CP_STATE_RUNNING 1

/*
 * A stack may have met code that was loaded since the last look. The sampler's
 * thread is woken for it, once between two of its regular looks.
 */
enum cp_refresh_request {
    CP_REFRESH_NONE,
    CP_REFRESH_REQUESTED,
    CP_REFRESH_SERVED
};

struct cp_handler_state {
    _Atomic(struct cp_signal_samples *) cpu; /* NULL: off */
    _Atomic(struct cp_signal_samples *) wall;
    _Atomic(struct cp_signal_samples *) stacks; /* of a look at all threads */
    uint32_t cookie;                   /* random, set before the first signal */
    _Atomic uint64_t n_samples;        /* taken */
    _Atomic uint64_t n_truncated;      /* whose stack did not reach its root */
    _Atomic uint64_t n_no_reader_slot; /* lost: too many walkers at once */
    _Atomic uint64_t n_full;     /* lost: there was no room in the table */
    _Atomic uint64_t n_late;     /* of a profile that was over */
    _Atomic int64_t perf_lag_ns; /* from when an event is due to its signal */
    _Atomic uint32_t refresh_request; /* see cp_refresh_request */
    _Atomic uint32_t *refresh_futex;  /* on which the sampler's thread sleeps */
    struct sigaction previous;        /* what was there before us */
};

extern struct cp_handler_state cp_handler_state;

/* Does it carry our word? */
static inline bool cp_signal_is_from_timer(const siginfo_t *info)
{
    uint64_t word = (uint64_t)(uintptr_t)info->si_value.sival_ptr;

    return info->si_code == SI_TIMER && word >> 32 == cp_handler_state.cookie;
}

/* Does what the signal does by default; in a handler of it. */
void cp_signal_raise_default(int sig);

static inline void *cp_signal_payload(enum cp_signal_source what,
                                      uint32_t number)
{
    uint64_t word =
        (uint64_t)cp_handler_state.cookie << 32 | (uint64_t)what << 28 | number;

    return (void *)(uintptr_t)word;
}

/* The same for SIGTRAP, which events of the kernel's send (perf_event.h). */
void cp_signal_handle_trap(int sig, siginfo_t *info, void *context);

void cp_signal_handle(int sig, siginfo_t *info, void *context);

#endif
