/*
 * parallel - runs independent pieces of a job on all cores.
 *
 * Context: any thread except a signal handler; the caller's thread works too.
 * Locking: none. Pieces run in any order on any thread, so a piece writes only
 * to memory selected by its number. Failure: none; if no thread can be created,
 * the caller's thread runs all pieces.
 */
#ifndef CP_PARALLEL_H
#define CP_PARALLEL_H

#include <stddef.h>

/* Maximum number of threads per job. */
#define CP_PARALLEL_MAX 16

/* Returns the number of cores this process may use, 1 to CP_PARALLEL_MAX. */
size_t cp_parallel_width(void);

/* Calls run(context, 0) ... run(context, n - 1) and waits for all. */
void cp_parallel_run(size_t n, void (*run)(void *context, size_t piece),
                     void *context);

#endif
