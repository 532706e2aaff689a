/*
 * alone.c - base/parallel.h inside a stranger's process: the caller's thread
 * does all the work. The program's processors are not ours to take.
 */
#include <stddef.h>

#include "base/parallel.h"

size_t cp_parallel_width(void)
{
    return 1;
}

void cp_parallel_run(size_t n, void (*run)(void *context, size_t piece),
                     void *context)
{
    for (size_t i = 0; i < n; i++)
        run(context, i);
}
