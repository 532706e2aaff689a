/*
 * trace_notes - what threads and the program itself write into a trace.
 *
 * One load and a branch when none runs. Locks and calls are elsewhere
 * (signal/waits/waits.h).
 */
#ifndef CP_TRACE_NOTES_H
#define CP_TRACE_NOTES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A thread is about to be made by whoever called the hook; `token` is what it
 * has in common with the start of that thread.
 */
void cp_trace_note_create(const void *token, uintptr_t caller);

/* That thread could not be made. */
void cp_trace_note_unmade(const void *token);

/* The calling thread begins, in this function. */
void cp_trace_note_start(const void *token, uintptr_t function);

/* The calling thread is about to end. */
void cp_trace_note_end(void);

/* Of the program; see include/cpprof.h. */
void cp_trace_note_region(const char *name, bool is_begin, uintptr_t caller);
void cp_trace_note_log(const char *category, const char *message,
                       uintptr_t caller);

#endif
