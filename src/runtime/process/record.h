/*
 * record - a CPU profile and a heap profile into files, for `cpprof run`.
 *
 * CPPROF=cpu_file:F,cpu_seconds:N: the CPU profile of the first N seconds (0:
 * of the whole life); heap_file:F: the heap at the end. The end is exit, or
 * SIGINT, SIGTERM or SIGHUP if the program leaves them at their default: they
 * are passed on when the files are written. Of several processes that share an
 * address, the one that serves is recorded.
 */
#ifndef CP_RECORD_H
#define CP_RECORD_H

#include <stdbool.h>

struct cp_settings;

/*
 * Begins, if the settings ask for it and it has not begun before. Failures are
 * said.
 */
void cp_record_start(const struct cp_settings *s);

/* Is something to be written by this process? One load where nothing is. */
bool cp_record_is_on(void);

/* Does that signal end programs in an orderly way? */
bool cp_record_is_end(int sig);

/* The program is about to end: writes what is to be written. */
void cp_record_finish(void);

/* The same, and signals are at their default again where the program left
   them there. */
void cp_record_end(void);

/* What stands in place of the default. */
void cp_record_on_signal(int sig);

/* The address went to another process: nothing is written. */
void cp_record_cancel(void);

/* In the child of a fork, which records nothing. */
void cp_record_reset_after_fork(void);

/* Its thread ends, and is started again by own_thread.h. */
void cp_record_pause(void);
void cp_record_resume(void);

#endif
