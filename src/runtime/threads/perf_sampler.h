/*
 * perf_sampler - whether threads can be sampled by events of the kernel's
 * (signal/signals/perf_event.h), which are not bound to its tick as timers are.
 *
 * They need CAP_PERFMON, or kernel.perf_event_paranoid of 2 or less. SIGTRAP
 * must be the program's default, and nobody may be tracing it: a debugger would
 * stop at each sample. Used under the lock of runtime/threads/threads.h.
 */
#ifndef CP_PERF_SAMPLER_H
#define CP_PERF_SAMPLER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "signal/signals/signal_shield.h"

struct sigaction;

/* Before the first profile: never use events, because of that. */
void cp_perf_sampler_forbid(const char *why);

/* Before the first profile: use them under a seccomp filter too. */
void cp_perf_sampler_allow_filtered(void);

/*
 * Why perf_event_open must not be called, of whatever use it were; NULL: it
 * may. cp_perf_sampler_is_forbidden looks for no new filter (sandbox.h).
 */
const char *cp_perf_sampler_forbidden_reason(void);
bool cp_perf_sampler_is_forbidden(void);

/*
 * May events be used? Tries it when a profile begins, and has SIGTRAP handled
 * from then on.
 */
bool cp_perf_sampler_try_start(void);

/* Ends all events and gives SIGTRAP back, if it is not taken. */
void cp_perf_sampler_release(void);

/* In the child of a fork: SIGTRAP is the program's. */
void cp_perf_sampler_reset_after_fork(void);

/* Is SIGTRAP ours now, or would it be but for the program
 * (signal/signals/signal_shield.h)? */
bool cp_perf_sampler_owns_sigtrap(void);

/*
 * The program's sigaction of SIGTRAP while that is ours; `next` is libc's. It
 * is free for who asks, and who wants it has it, without a trap of ours: events
 * are ended first. A handler may call this.
 */
int cp_perf_sampler_sigaction(cp_sigaction_fn *next,
                              const struct sigaction *act,
                              struct sigaction *old);

/*
 * Has the program taken SIGTRAP since, or a debugger come? Then timers must go
 * on in place of events.
 */
bool cp_perf_sampler_is_lost(void);

/* Why not, in a few words; "" if they may. */
const char *cp_perf_sampler_disabled_reason(void);

/* The time between two of the kernel's ticks. */
uint64_t cp_perf_sampler_tick_ns(void);

#endif
