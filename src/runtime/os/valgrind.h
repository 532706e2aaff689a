/*
 * valgrind - detects Valgrind, which emulates the processor and replaces
 * functions of libc.
 */
#ifndef CP_VALGRIND_H
#define CP_VALGRIND_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Valgrind preloads its core library into every program. */
static inline bool cp_valgrind_is_here(void)
{
    const char *preload = getenv("LD_PRELOAD");

    return preload && strstr(preload, "/vgpreload_core");
}

#endif
