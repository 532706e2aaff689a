/* test_number.c - tests src/base/number.h. */
#include "base/number.h"

#include <math.h>

#include "check.h"

static void test_abs(void)
{
    CHECK_INT(cp_abs(0), 0);
    CHECK_INT(cp_abs(-5), 5);
    CHECK_INT(cp_abs(INT64_MAX), INT64_MAX);
    CHECK_INT(cp_abs(-INT64_MAX), INT64_MAX);
    CHECK_INT(cp_abs(INT64_MIN), INT64_MIN);
}

static void test_add(void)
{
    CHECK_INT(cp_add(2, -3), -1);
    CHECK_INT(cp_add(INT64_MAX, 1), INT64_MIN);
    CHECK_INT(cp_add(INT64_MIN, -1), INT64_MAX);
}

static const struct {
    const char *what;
    double value;
    int64_t want;
} cuts[] = {
    { "towards zero", 2.9, 2 },
    { "towards zero from below", -2.9, -2 },
    { "the largest", 9223372036854774784.0, INT64_C(9223372036854774784) },
    { "too large", 0x1p63, INT64_MIN },
    { "the smallest", -0x1p63, INT64_MIN },
    { "too small", -0x1p64, INT64_MIN },
    { "infinite", INFINITY, INT64_MIN },
    { "not a number", NAN, INT64_MIN },
};

static void test_to_int64(void)
{
    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        check_case(cuts[i].what);
        CHECK_INT(cp_to_int64(cuts[i].value), cuts[i].want);
    }
}

static void test_round_int64(void)
{
    static const double values[] = {
        0,    0.49999999999999994, 0.5,  1.5,   2.5,    -0.5,
        -2.5, -2.4999999999999996, 1e15, 1e300, -1e300, 4503599627370495.5,
        -0.0, 0x1p62 + 1024,       NAN,  7.499, -7.501, INFINITY,
    };

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        CHECK_INT(cp_round_int64(values[i]), cp_to_int64(round(values[i])));
}

int main(void)
{
    RUN(test_abs);
    RUN(test_add);
    RUN(test_to_int64);
    RUN(test_round_int64);
    return check_failures != 0;
}
