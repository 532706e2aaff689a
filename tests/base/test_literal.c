/* test_literal.c - tests src/base/literal.c. */
#include "base/literal.h"

#include <math.h>
#include <stdint.h>

#include "check.h"

static const struct {
    const char *text;
    enum cp_literal read, read_decimal;
    long value;
} ints[] = {
    { "0", CP_LITERAL_OK, CP_LITERAL_OK, 0 },
    { "12", CP_LITERAL_OK, CP_LITERAL_OK, 12 },
    { "+12", CP_LITERAL_OK, CP_LITERAL_OK, 12 },
    { "-12", CP_LITERAL_OK, CP_LITERAL_OK, -12 },
    { "1_000", CP_LITERAL_OK, CP_LITERAL_BAD, 1000 },
    { "0x1F", CP_LITERAL_OK, CP_LITERAL_BAD, 31 },
    { "-0x1f", CP_LITERAL_OK, CP_LITERAL_BAD, -31 },
    { "0x_f", CP_LITERAL_OK, CP_LITERAL_BAD, 15 },
    { "0xa_b", CP_LITERAL_OK, CP_LITERAL_BAD, 0xab },
    { "0o17", CP_LITERAL_OK, CP_LITERAL_BAD, 15 },
    { "0_7", CP_LITERAL_OK, CP_LITERAL_BAD, 7 },
    { "0B11", CP_LITERAL_OK, CP_LITERAL_BAD, 3 },
    { "", CP_LITERAL_BAD, CP_LITERAL_BAD, 0 },
    { "-", CP_LITERAL_BAD, CP_LITERAL_BAD, 0 },
    { " 1", CP_LITERAL_BAD, CP_LITERAL_BAD, 0 },
    { "1 ", CP_LITERAL_BAD, CP_LITERAL_BAD, 0 },
    { "1.5", CP_LITERAL_BAD, CP_LITERAL_BAD, 0 },
    { "+-1", CP_LITERAL_BAD, CP_LITERAL_BAD, 0 },
    { "_1", CP_LITERAL_BAD, CP_LITERAL_BAD, 0 },
    { "1_", CP_LITERAL_BAD, CP_LITERAL_BAD, 0 },
    { "1__0", CP_LITERAL_BAD, CP_LITERAL_BAD, 0 },
    { "0x", CP_LITERAL_BAD, CP_LITERAL_BAD, 0 },
    { "0x0x1", CP_LITERAL_BAD, CP_LITERAL_BAD, 0 },
    { "0b2", CP_LITERAL_BAD, CP_LITERAL_BAD, 0 },
    { "9223372036854775807", CP_LITERAL_OK, CP_LITERAL_OK, INT64_MAX },
    { "-9223372036854775808", CP_LITERAL_OK, CP_LITERAL_OK, INT64_MIN },
    { "9223372036854775808", CP_LITERAL_RANGE, CP_LITERAL_RANGE, 0 },
    { "99999999999999999999", CP_LITERAL_RANGE, CP_LITERAL_RANGE, 0 },
};

static void test_int(void)
{
    for (size_t i = 0; i < sizeof(ints) / sizeof(ints[0]); i++) {
        long number = 0;

        check_case(ints[i].text);
        CHECK_INT(cp_literal_int(ints[i].text, &number), ints[i].read);
        CHECK_INT(number, ints[i].value);
        number = 0;
        CHECK_INT(cp_literal_decimal(ints[i].text, &number),
                  ints[i].read_decimal);
        if (ints[i].read_decimal == CP_LITERAL_OK)
            CHECK_INT(number, ints[i].value);
    }
}

/* A leading 0 means octal to one function and nothing to the other. */
static void test_leading_zero(void)
{
    long number = 0;

    CHECK_INT(cp_literal_int("017", &number), CP_LITERAL_OK);
    CHECK_INT(number, 15);
    CHECK_INT(cp_literal_decimal("017", &number), CP_LITERAL_OK);
    CHECK_INT(number, 17);
    CHECK_INT(cp_literal_int("08", &number), CP_LITERAL_BAD);
    CHECK_INT(cp_literal_decimal("08", &number), CP_LITERAL_OK);
}

static const struct {
    const char *text;
    enum cp_literal read;
    double value;
} floats[] = {
    { "1", CP_LITERAL_OK, 1 },
    { ".5", CP_LITERAL_OK, 0.5 },
    { "2.", CP_LITERAL_OK, 2 },
    { "+1e3", CP_LITERAL_OK, 1000 },
    { "-1.5E-1", CP_LITERAL_OK, -0.15 },
    { "1_0", CP_LITERAL_OK, 10 },
    { "0x1p4", CP_LITERAL_OK, 16 },
    { "0x_1p4", CP_LITERAL_OK, 16 },
    { "1e-400", CP_LITERAL_OK, 0 },
    { "inf", CP_LITERAL_OK, INFINITY },
    { "-Inf", CP_LITERAL_OK, -INFINITY },
    { "infinity", CP_LITERAL_OK, INFINITY },
    { "1e400", CP_LITERAL_RANGE, 0 },
    { "0x10", CP_LITERAL_BAD, 0 },
    { " 2", CP_LITERAL_BAD, 0 },
    { "2 ", CP_LITERAL_BAD, 0 },
    { "", CP_LITERAL_BAD, 0 },
    { ".", CP_LITERAL_BAD, 0 },
    { "x", CP_LITERAL_BAD, 0 },
    { "nan(1)", CP_LITERAL_BAD, 0 },
    { "1._5", CP_LITERAL_BAD, 0 },
    { "1_e3", CP_LITERAL_BAD, 0 },
};

static void test_float(void)
{
    double number = 0;

    for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++) {
        check_case(floats[i].text);
        CHECK_INT(cp_literal_float(floats[i].text, &number), floats[i].read);
        if (floats[i].read == CP_LITERAL_OK)
            CHECK(number == floats[i].value);
    }
    CHECK_INT(cp_literal_float("NaN", &number), CP_LITERAL_OK);
    CHECK(isnan(number));
}

int main(void)
{
    RUN(test_int);
    RUN(test_leading_zero);
    RUN(test_float);
    return check_failures != 0;
}
