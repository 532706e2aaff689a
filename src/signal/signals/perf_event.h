/*
 * perf_event - a clock of a thread's CPU time that does not wait for the tick.
 *
 * An event of the kernel's that sends SIGTRAP to its thread, with a word of
 * ours, each time the thread has used so much CPU time and is not in the
 * kernel. There it must not come: one that comes in the middle of an exec would
 * kill the program that follows. It is held by a mapping alone, so that no file
 * descriptor stays open in the program, and a forked child has none of it.
 */
#ifndef CP_SIGNAL_PERF_EVENT_H
#define CP_SIGNAL_PERF_EVENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Begins an event for a thread of this process (0: the caller). Returns 0 and
 * its mapping, or -errno.
 */
int cp_signal_perf_open(int32_t tid, uint64_t period_ns, uint64_t word,
                        void **out);

/* Ends it; NULL is fine. */
void cp_signal_perf_close(void *event);

/* Is the signal one of an event, and with which word? */
bool cp_signal_perf_payload(const siginfo_t *info, uint64_t *out);

#endif
