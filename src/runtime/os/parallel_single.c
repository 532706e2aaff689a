/*
 * parallel_single.c - implements base/parallel.h on the calling thread alone.
 *
 * The library links it in place of base/parallel.c: the library must not use
 * more of the program's processors or start threads for its own work.
 */

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
