/*
 * perf_event - a perf event that sends SIGTRAP to its thread after each period
 * of CPU time, more precisely than a timer, which waits for the kernel's tick.
 *
 * The event fires in user mode only: a SIGTRAP that is pending during an exec
 * would kill the new program. Its file descriptor is closed at once; a mapping
 * keeps it open. So the program sees no descriptor, and a forked child does not
 * inherit the event.
 *
 * Context: any, signal handlers included. Locking, ordering: none.
 * Failure: -errno; older kernels and seccomp filters refuse the event.
 */
#ifndef CP_SIGNAL_PERF_EVENT_H
#define CP_SIGNAL_PERF_EVENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Opens an event for a thread of this process; tid 0 is the caller. Returns 0
 * and the mapping in *out, or -errno.
 */
int cp_signal_perf_open(int32_t tid, uint64_t period_ns, uint64_t payload,
                        void **out);

/* Closes the event; NULL is ignored. */
void cp_signal_perf_close(void *event);

/* True for a signal of a perf event; *out is its payload. */
bool cp_signal_perf_payload(const siginfo_t *info, uint64_t *out);

#endif
