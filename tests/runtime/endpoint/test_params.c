/* test_params.c - numbers as Go reads them. */
#include "runtime/endpoint/params.h"

#include "check.h"

static void test_int(void)
{
    static const struct {
        const char *text;
        bool is_good;
        int64_t want;
    } rows[] = {
        { "0", true, 0 },
        { "+7", true, 7 },
        { "-12", true, -12 },
        { "007", true, 7 },
        { "9223372036854775807", true, INT64_MAX },
        { "-9223372036854775808", true, INT64_MIN },
        { "9223372036854775808", false, 0 },
        { "99999999999999999999999", false, 0 },
        { "", false, 0 },
        { "-", false, 0 },
        { " 1", false, 0 },
        { "1 ", false, 0 },
        { "1.5", false, 0 },
        { "0x10", false, 0 },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t got = 0;

        check_case(rows[i].text);
        CHECK_INT(cp_params_int(rows[i].text, &got), rows[i].is_good);
        CHECK(got == rows[i].want);
    }
}

static void test_float(void)
{
    static const struct {
        const char *text;
        bool is_good;
        double want;
    } rows[] = {
        { "0.2", true, 0.2 },   { ".5", true, 0.5 },   { "5.", true, 5 },
        { "1e2", true, 100 },   { "1E-1", true, 0.1 }, { "-2.5", true, -2.5 },
        { "+3", true, 3 },      { ".", false, 0 },     { "", false, 0 },
        { "e5", false, 0 },     { "1e", false, 0 },    { "1e999", false, 0 },
        { "1,5", false, 0 },    { "nan", false, 0 },   { "1x", false, 0 },
        { "1e-400", false, 0 },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double got = 0;

        check_case(rows[i].text);
        CHECK_INT(cp_params_float(rows[i].text, &got), rows[i].is_good);
        CHECK(got > rows[i].want - 1e-9 && got < rows[i].want + 1e-9);
    }
}

static void test_address(void)
{
    static const struct {
        const char *text;
        bool is_good;
        uint64_t want;
    } rows[] = {
        { "0x43af32", true, 0x43af32 },
        { "0XfF", true, 255 },
        { "17", true, 17 },
        { "017", true, 15 },
        { "0o17", true, 15 },
        { "0b101", true, 5 },
        { "0", true, 0 },
        { "0xffffffffffffffff", true, UINT64_MAX },
        { "0x10000000000000000", false, 0 },
        { "0x", false, 0 },
        { "zzz", false, 0 },
        { "", false, 0 },
        { "08", false, 0 },
        { "0b2", false, 0 },
        { "-1", false, 0 },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t got = 0;

        check_case(rows[i].text);
        CHECK_INT(cp_params_address(rows[i].text, strlen(rows[i].text), &got),
                  rows[i].is_good);
        CHECK(got == rows[i].want);
    }
}

int main(void)
{
    test_int();
    test_float();
    test_address();
    return check_failures != 0;
}
