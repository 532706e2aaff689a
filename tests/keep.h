/* keep - marks a function that is to be found in stacks as itself. */
#ifndef CP_TESTS_KEEP_H
#define CP_TESTS_KEEP_H

#if defined(__clang__)
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noipa)) /* not cloned either */
#endif

#endif
