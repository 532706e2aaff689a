/*
 * malloc_hooks - malloc and its family, ours first and then whose they were.
 *
 * The library exports these names, so a program that is preloaded with it or
 * linked to it calls here. Each call goes on to the next object that has the
 * name: glibc, jemalloc, tcmalloc, whatever the program uses. Nothing about
 * the blocks is changed.
 *
 * The cost of a call that is not sampled is a subtraction and a test for the
 * allocating functions, and one load and a test for the freeing ones.
 */
#ifndef CP_MALLOC_HOOKS_H
#define CP_MALLOC_HOOKS_H

#include <stdbool.h>

/* Finds the next functions; the first call does it if nobody did. */
void cp_malloc_hooks_init(void);

/*
 * Does the program call us? Not if it brings a malloc of its own that is not
 * in a shared object.
 */
bool cp_malloc_hooks_are_called(void);

/* Has the thread that calls this never be sampled: it is the library's. */
void cp_malloc_hooks_hide(void);

#endif
