/*
 * check - the test framework: a failed check is printed and counted, and the
 * test continues.
 *
 * A test program runs its functions with RUN(test_x) and returns
 * check_failures != 0 from main. Each RUN and each check_case("row of a table")
 * opens a case. The last line of output, "P passed, F failed", counts the cases
 * with at least one check; scripts/run_tests adds these lines up.
 */
#ifndef CP_CHECK_H
#define CP_CHECK_H

#include <stdio.h>
#include <string.h>

static int check_failures; /* failed checks in all cases */

static struct {
    const char *name; /* name of the open case */
    int n_checks;     /* in the open case */
    int n_failures;   /* in the open case */
    int n_passed;     /* cases closed so far */
    int n_failed;
} check_state = { "main", 0, 0, 0, 0 };

/* Closes the open case and opens the next; name must stay valid. */
static inline void check_case(const char *name)
{
    if (check_state.n_failures > 0)
        check_state.n_failed++;
    else if (check_state.n_checks > 0)
        check_state.n_passed++;
    check_state.name = name;
    check_state.n_checks = 0;
    check_state.n_failures = 0;
}

/* Counts one check; returns ok, so that a test can stop. */
static inline int check_that(int ok, const char *file, int line,
                             const char *text)
{
    check_state.n_checks++;
    if (!ok) {
        check_failures++;
        check_state.n_failures++;
        printf("%s:%d: %s: failed: %s\n", file, line, check_state.name, text);
    }
    return ok;
}

static inline int check_str(const char *got, const char *want, const char *file,
                            int line, const char *text)
{
    int ok = got && want ? strcmp(got, want) == 0 : got == want;

    if (!check_that(ok, file, line, text))
        printf("    got  \"%s\"\n    want \"%s\"\n", got ? got : "(null)",
               want ? want : "(null)");
    return ok;
}

static inline int check_int(long long got, long long want, const char *file,
                            int line, const char *text)
{
    if (!check_that(got == want, file, line, text))
        printf("    got  %lld\n    want %lld\n", got, want);
    return got == want;
}

/* Runs after main; prints the counts. */
__attribute__((destructor)) static void check_summary(void)
{
    check_case("");
    printf("%d passed, %d failed\n", check_state.n_passed,
           check_state.n_failed);
}

#define CHECK(cond) check_that(!!(cond), __FILE__, __LINE__, #cond)

#define CHECK_STR(got, want) check_str(got, want, __FILE__, __LINE__, #got)

#define CHECK_INT(got, want)                                                   \
    check_int((long long)(got), (long long)(want), __FILE__, __LINE__, #got)

#define RUN(test)                                                              \
    do {                                                                       \
        check_case(#test);                                                     \
        test();                                                                \
    } while (0)

#endif
