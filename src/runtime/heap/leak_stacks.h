/*
 * leak_stacks - the stacks of threads that have ended.
 *
 * glibc keeps a thread's stack, with its thread-local memory on top, for the
 * next thread. What stands there until then is over and done with. Threads tell
 * of theirs when they begin; whether one has ended, and its memory is still
 * what it was, is seen from what glibc has there: the descriptor of the thread
 * points to itself, and has no id any more.
 */
#ifndef CP_LEAK_STACKS_H
#define CP_LEAK_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CP_LEAK_STACKS_MAX 1024 /* others are never left out */

/*
 * The calling thread begins, on a stack that glibc has made and that reaches
 * down to `low` at least.
 */
void cp_leak_stacks_note(uintptr_t low);

/* The calling thread is the program's first. */
void cp_leak_stacks_note_main(void);

/*
 * glibc's descriptor of the i-th of them, CP_LEAK_STACKS_MAX being the first
 * thread; 0: there is none. The thread may have ended.
 */
uintptr_t cp_leak_stacks_descriptor(size_t i);

/* The thread's id, by its descriptor; 0 or less: it has ended, or is unknown */
int32_t cp_leak_stacks_tid(uintptr_t self);

/*
 * Is the i-th of them in the mapping from start to end, and has its thread
 * ended? Then what is from out[0] to out[1] is over.
 */
bool cp_leak_stacks_has_ended(size_t i, uintptr_t start, uintptr_t end,
                              uintptr_t out[2]);

#endif
