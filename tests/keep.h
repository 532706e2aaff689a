/* keep - for functions that a test wants to find on a stack. */
#ifndef CP_KEEP_H
#define CP_KEEP_H

/* Neither inlined nor changed because of who calls it; clang has no noipa. */
#if defined(__clang__)
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noipa))
#endif

#endif
