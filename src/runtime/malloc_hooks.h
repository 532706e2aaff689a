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

/* Finds the next functions; the first call does it if nobody did. */
void cp_malloc_hooks_init(void);

#endif
