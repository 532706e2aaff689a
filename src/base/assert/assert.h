/*
 * assert - CP_ASSERT states an invariant of the code.
 *
 * Assertions are enabled in every build with a sanitizer; `make test` runs the
 * unit, CLI and fuzz-replay tests of one. Other builds do not evaluate the
 * condition, so it must have no side effect. An assertion checks the code,
 * never input.
 *
 * Context: any, signal handlers included; it uses only write() and a trap.
 * Locking: none. Failure: prints the file, line and condition to standard
 * error, then raises SIGILL.
 */
#ifndef CP_ASSERT_H
#define CP_ASSERT_H

#ifdef CP_ASSERTS

#include <string.h>
#include <unistd.h>

static inline _Noreturn void cp_assert_fail(const char *text)
{
    ssize_t n = write(STDERR_FILENO, text, strlen(text));

    (void)n;
    __builtin_trap();
}

#define CP_ASSERT_TEXT_(x) #x
#define CP_ASSERT_TEXT(x) CP_ASSERT_TEXT_(x)
#define CP_ASSERT(condition)                                                   \
    ((condition)                                                               \
         ? (void)0                                                             \
         : cp_assert_fail("assertion failed: " __FILE__                        \
                          ":" CP_ASSERT_TEXT(__LINE__) ": " #condition "\n"))

#else

/*
 * sizeof avoids warnings about unused names without evaluating the condition.
 */
#define CP_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))

#endif

#endif
