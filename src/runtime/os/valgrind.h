/*
 * valgrind - whether the program runs in Valgrind, a machine of its own that
 * puts functions of its own in the place of libc's.
 */
#ifndef CP_VALGRIND_H
#define CP_VALGRIND_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* It preloads a library into everything. */
static inline bool cp_valgrind_is_here(void)
{
    const char *preload = getenv("LD_PRELOAD");

    return preload && strstr(preload, "/vgpreload_core");
}

#endif
