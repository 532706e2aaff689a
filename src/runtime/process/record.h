/*
 * record - writes a CPU profile and a heap profile to files, for cpprof run.
 *
 * CPPROF=cpu_file:F,cpu_seconds:N records the CPU profile of the first N
 * seconds (0 means until the program ends); heap_file:F records the heap at the
 * end. The end is exit(), or SIGINT, SIGTERM or SIGHUP if the program leaves
 * them at SIG_DFL; the signal is sent again after the files are written. Of
 * several processes that share an address, only the one that serves is
 * recorded.
 *
 * Context: a thread of the library waits; the files are written there or on the
 * exiting thread. cp_record_on_signal is async-signal-safe.
 * Locking: one lock while a file is written.
 * Ordering: the signal handler publishes the signal by CAS on a futex word.
 * Failure: printed on stderr.
 */
#ifndef CP_RECORD_H
#define CP_RECORD_H

#include <stdbool.h>

struct cp_settings;

/* Starts the recordings that the settings select, once per process. */
void cp_record_start(const struct cp_settings *s);

/* Whether this process still has files to write. */
bool cp_record_is_on(void);

/* Whether the signal is SIGINT, SIGTERM or SIGHUP. */
bool cp_record_is_end_signal(int sig);

/* Writes the files; the program is about to end. */
void cp_record_finish(void);

/* Writes the files, and restores SIG_DFL where record.c has a handler. */
void cp_record_end(void);

/* The handler in place of SIG_DFL. */
void cp_record_on_signal(int sig);

/*
 * Discards the recording, because a different process has leased the address.
 */
void cp_record_cancel(void);

/* In the child of a fork, which is not recorded. */
void cp_record_reset_after_fork(void);

/* Used by pause.h: ends the thread; internal_thread.h starts it again. */
void cp_record_pause(void);
void cp_record_resume(void);

#endif
