/* keep - marks functions that a test expects on a stack. */
#ifndef CP_KEEP_H
#define CP_KEEP_H

/* Prevents inlining and interprocedural changes; clang has no noipa. */
#if defined(__clang__)
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noipa))
#endif

#endif
