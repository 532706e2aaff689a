/*
 * parallel - runs independent pieces of one job on all cores.
 *
 * Pieces are numbered; which thread runs which is not defined, so a piece
 * writes only to places that its number gives it. If threads cannot be had,
 * the caller's thread does the work alone.
 */
#ifndef CP_PARALLEL_H
#define CP_PARALLEL_H

#include <stddef.h>

/* No more threads than this work on a job. */
#define CP_PARALLEL_MAX 16

/* How many cores this process may use: 1 to CP_PARALLEL_MAX. */
size_t cp_parallel_width(void);

/* Calls run(context, 0) ... run(context, n - 1) and waits for all. */
void cp_parallel_run(size_t n, void (*run)(void *context, size_t piece),
                     void *context);

#endif
