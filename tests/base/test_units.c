/* test_units.c - tests src/base/units.c. */
#include "base/units.h"

#include <math.h>

#include "check.h"

static const struct {
    const char *what;
    int64_t value;
    const char *from, *to, *want;
} labels[] = {
    { "bytes to the best unit", 1536, "bytes", "auto", "1.50kB" },
    { "just below a megabyte", 1048575, "B", "auto", "1024kB" },
    { "a megabyte", 1048576, "bytes", "minimum", "1MB" },
    { "a gigabyte", 1073741824, "b", "auto", "1GB" },
    { "a terabyte", 1099511627776, "byte", "auto", "1TB" },
    { "a petabyte", INT64_C(1) << 50, "BYTES", "auto", "1PB" },
    { "kilobytes", 3, "kilobytes", "b", "3072B" },
    { "kbyte", 1, "kbyte", "auto", "1kB" },
    { "megabytes", 1, "MegaBytes", "kb", "1024kB" },
    { "gbyte", 2, "gbyte", "mb", "2048MB" },
    { "terabyte", 1, "terabyte", "gb", "1024GB" },
    { "pb", 1, "pb", "tb", "1024TB" },
    { "nanoseconds", 1500, "nanoseconds", "auto", "1.50us" },
    { "microseconds", 1000, "microseconds", "auto", "1ms" },
    { "milliseconds", 1000, "ms", "auto", "1s" },
    { "no minutes", 3599, "s", "auto", "3599s" },
    { "an hour", 3600, "seconds", "auto", "1hrs" },
    { "hours", 2, "hrs", "s", "7200s" },
    { "hr", 1, "hr", "auto", "1hrs" },
    { "sec", 90, "sec", "ms", "90000ms" },
    { "the letter mu", 5, "\xce\xbcs", "auto", "5us" },
    { "a capital mu", 5, "\xce\x9cS", "ns", "5000ns" },
    { "us", 5, "us", "ns", "5000ns" },
    { "gcu", 2500, "gcu", "auto", "2.50k*GCU" },
    { "nanogcu", 1, "nanogcu", "auto", "1n*GCU" },
    { "milligcus", 1500, "milligcus", "gcu", "1.50GCU" },
    { "petagcu", 1, "petagcu", "teragcu", "1000T*GCU" },
    { "another family gives the default", 1000, "ms", "kb", "1s" },
    { "memory asked for in seconds", 5, "kb", "s", "5120B" },
    { "unknown target gives the default", 2048, "bytes", "foo", "2048B" },
    { "zero has no unit", 0, "bytes", "auto", "0" },
    { "zero of what is not known", 0, "foo", "bar", "0" },
    { "too little to show", 1, "ns", "s", "0" },
    { "too little, negative", -1, "ns", "s", "0" },
    { "half a hundredth", 5, "ms", "s", "0.01s" },
    { "two decimals", 1234567, "ns", "ms", "1.23ms" },
    { "decimals that end in 0", 1500000, "ns", "ms", "1.50ms" },
    { "negative", -1536, "bytes", "auto", "-1.50kB" },
    { "negative and whole", -2000, "ms", "auto", "-2s" },
    { "plain count", 50, "count", "minimum", "50" },
    { "count as count", 50, "count", "count", "50" },
    { "as sample", 50, "count", "sample", "50" },
    { "as unit", 50, "x", "unit", "50" },
    { "as auto", 50, "", "auto", "50" },
    { "a wish for what is not known", 50, "count", "seconds", "50seconds" },
    { "no units at all", -7, "", "", "-7" },
    { "large count", 1000000000000, "count", "count", "1000000000000" },
    { "the most", INT64_MAX, "count", "count", "9223372036854775808" },
    { "the least", INT64_MIN, "count", "auto", "-9223372036854775808" },
    { "a name too long to be a unit", 1, "nanosecondsssssssss", "s", "1s" },
    { "one plural s only", 1, "byteser", "auto", "1" },
};

static void test_labels(void)
{
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        char text[CP_LABEL_BYTES];

        check_case(labels[i].what);
        cp_unit_label(labels[i].value, labels[i].from, labels[i].to, text);
        CHECK_STR(text, labels[i].want);
    }
}

/* A prepared conversion gives the same results as single calls. */
static void test_prepared(void)
{
    struct cp_scale s;
    const char *unit = NULL;
    char text[CP_LABEL_BYTES];

    cp_scale_init(&s, "bytes", "auto");
    cp_scale_label(&s, 1, text);
    CHECK_STR(text, "1B");
    cp_scale_label(&s, 1 << 20, text);
    CHECK_STR(text, "1MB");
    CHECK(cp_scale_value(&s, -2048, &unit) == -2);
    CHECK_STR(unit, "kB");
    CHECK(cp_scale_value(&s, 0, &unit) == 0);
    CHECK_STR(unit, "B");
    CHECK(cp_unit_scale(1500, "ms", "s", &unit) == 1.5);
    CHECK_STR(unit, "s");
    CHECK(cp_unit_scale(0, "ms", "auto", &unit) == 0);
    CHECK_STR(unit, "s");
    CHECK(cp_unit_scale(INT64_MIN, "ns", "ns", &unit) == -0x1p63);
}

static const struct {
    const char *a, *b;
    bool want;
} pairs[] = {
    { "bytes", "kb", true },       { "ns", "hours", true },
    { "bytes", "ns", false },      { "gcu", "petagcu", true },
    { "foo", "foo", true },        { "foo", "bar", false },
    { "foo", "bytes", false },     { "", "", true },
    { "gcu", "bytes", false },     { "count", "counts", false },
    { "seconds", "SECOND", true },
};

static void test_families(void)
{
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        check_case(pairs[i].a);
        CHECK_INT(cp_unit_same_family(pairs[i].a, pairs[i].b), pairs[i].want);
        CHECK_INT(cp_unit_same_family(pairs[i].b, pairs[i].a), pairs[i].want);
    }
}

static const struct {
    const char *what;
    int64_t value, total;
    const char *want;
} percentages[] = {
    { "a part", 5, 100, " 5.00%" },
    { "two digits", 1234, 10000, "12.34%" },
    { "all", 7, 7, "  100%" },
    { "nearly all", 9996, 10000, "  100%" },
    { "not quite all", 9994, 10000, "99.94%" },
    { "a little more than all", 10005, 10000, "  100%" },
    { "more than all", 10006, 10000, "100.06%" },
    { "many times all", 123456, 100, "123456.00%" },
    { "one", 1, 100, " 1.00%" },
    { "below one", 5, 1000, "  0.5%" },
    { "two digits below one", 123, 100000, " 0.12%" },
    { "tiny", 91, INT64_C(100000000000000), "9.1e-11%" },
    { "nothing", 0, 10, "    0%" },
    { "of nothing", 10, 0, "    0%" },
    { "no sign", -5, 100, " 5.00%" },
    { "no sign of the total", 5, -100, " 5.00%" },
    { "rounds up to one", 999, 100000, "    1%" },
};

static void test_percentages(void)
{
    for (size_t i = 0; i < sizeof(percentages) / sizeof(percentages[0]); i++) {
        char text[CP_LABEL_BYTES];

        check_case(percentages[i].what);
        cp_percentage(percentages[i].value, percentages[i].total, text);
        CHECK_STR(text, percentages[i].want);
    }
}

int main(void)
{
    RUN(test_labels);
    RUN(test_prepared);
    RUN(test_families);
    RUN(test_percentages);
    return check_failures != 0;
}
