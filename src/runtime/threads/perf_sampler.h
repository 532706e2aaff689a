/*
 * perf_sampler - decides whether threads can be sampled by kernel events
 * (signal/signals/perf_event.h), which are not bound to the timer tick.
 *
 * Events need Linux 5.18 and CAP_PERFMON or kernel.perf_event_paranoid <= 2.
 * They send SIGTRAP. The program must leave SIGTRAP at its default, and must
 * not be traced: a debugger would stop at each sample.
 *
 * Context: any thread outside signal handlers; cp_perf_sampler_sigaction and
 * cp_perf_sampler_owns_sigtrap also in the program's handlers.
 * Locking: the caller of _try_start, _is_lost and _reset_after_fork holds the
 * lock of the thread list (threads.c); the other functions neither need nor
 * take a lock.
 * Ordering: is_handled is set after the handler is installed, and cleared
 * before SIGTRAP is restored.
 * Failure: events are not used; cp_perf_sampler_disabled_reason says why.
 */
#ifndef CP_PERF_SAMPLER_H
#define CP_PERF_SAMPLER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "signal/signals/signal_shield.h"

struct sigaction;

/* Call before the first profile: disables events, with the reason for users. */
void cp_perf_sampler_forbid(const char *reason);

/* Call before the first profile: allows events under a seccomp filter. */
void cp_perf_sampler_allow_filtered(void);

/*
 * Why perf_event_open must not be called for any purpose; NULL if it may.
 * cp_perf_sampler_is_forbidden does not scan for a new filter (sandbox.h).
 */
const char *cp_perf_sampler_forbidden_reason(void);
bool cp_perf_sampler_is_forbidden(void);

/*
 * Tries an event at the start of a profile and installs the handler of SIGTRAP.
 * Returns whether threads may be sampled by events.
 */
bool cp_perf_sampler_try_start(void);

/* Closes all events and restores SIGTRAP, unless the program handles it. */
void cp_perf_sampler_release(void);

/* Restores SIGTRAP in the child of a fork, which has no events. */
void cp_perf_sampler_reset_after_fork(void);

/* Whether SIGTRAP has the library's handler or shield
 * (signal/signals/signal_shield.h). */
bool cp_perf_sampler_owns_sigtrap(void);

/*
 * sigaction() of the program for such a SIGTRAP; `real` is libc's function. The
 * program sees SIG_DFL. If it sets a different action, all events are closed
 * first and the shield drops late signals.
 */
int cp_perf_sampler_sigaction(cp_sigaction_fn *real,
                              const struct sigaction *act,
                              struct sigaction *old);

/*
 * Whether events can no longer be used: the program has replaced the handler, a
 * debugger has attached, or a filter was found. Returns true only once; the
 * caller then starts timers in place of events.
 */
bool cp_perf_sampler_is_lost(void);

/* Why events are not used, in a few words; "" if they are. */
const char *cp_perf_sampler_disabled_reason(void);

/* The period of the kernel's timer tick. */
uint64_t cp_perf_sampler_tick_ns(void);

#endif
