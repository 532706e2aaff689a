/*
 * test_launch_args.c - tests src/tool/attach/launch_args.c: durations, ports,
 * ages.
 */
#include "tool/attach/launch_args.h"

#include <string.h>
#include <time.h>

#include "check.h"

static void test_seconds(void)
{
    static const struct {
        const char *text;
        double seconds; /* below 0: rejected */
    } cases[] = {
        { "10", 10 },     { "10s", 10 }, { "2m", 120 },    { "1m30s", 90 },
        { "1h", 3600 },   { "0", 0 },    { "500ms", 0.5 }, { "1.5s", 1.5 },
        { "24h", 86400 }, { "25h", -1 }, { "", -1 },       { "s", -1 },
        { "-1", -1 },     { "10x", -1 }, { "1m30", -1 },   { "inf", -1 },
        { "nan", -1 },    { "1 s", -1 }, { "0x10", -1 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_error err = { 0 };
        double got = -7;
        enum cp_status status =
            cp_launch_seconds("--cpu", cases[i].text, &got, &err);

        check_case(cases[i].text);
        if (cases[i].seconds < 0) {
            CHECK(status == CP_EUSAGE && got == -7);
            CHECK(strncmp(err.msg, "--cpu ", 6) == 0);
            CHECK(strstr(err.msg, ": not a duration; use 10s"));
        } else {
            CHECK(status == CP_OK);
            CHECK(got > cases[i].seconds - 1e-9 &&
                  got < cases[i].seconds + 1e-9);
        }
    }
}

static void test_port(void)
{
    char port[CP_LAUNCH_PORT_BYTES] = "as it was";

    CHECK(cp_launch_port("65536", port, NULL) == CP_EUSAGE);
    CHECK(cp_launch_port("", port, NULL) == CP_EUSAGE);
    CHECK(cp_launch_port("-1", port, NULL) == CP_EUSAGE);
    CHECK(cp_launch_port("80x", port, NULL) == CP_EUSAGE);
    CHECK_STR(port, "as it was");
    CHECK(cp_launch_port("65535", port, NULL) == CP_OK);
    CHECK_STR(port, "localhost:65535");
    CHECK(cp_launch_port("0", port, NULL) == CP_OK);
    CHECK_STR(port, "localhost:0");
}

static void test_age(void)
{
    static const struct {
        int64_t seconds;
        const char *text;
    } cases[] = {
        { 0, "0s" },        { 59, "59s" },     { 60, "1m" },
        { 3599, "59m" },    { 3600, "1h00m" }, { 86399, "23h59m" },
        { 86400, "1d00h" }, { -50, "0s" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[CP_LAUNCH_AGE_BYTES];
        time_t before;

        check_case(cases[i].text);
        do { /* the clock may tick between two calls */
            before = time(NULL);
            cp_launch_age((int64_t)before - cases[i].seconds, text);
        } while (time(NULL) != before);
        CHECK(strcmp(text, cases[i].text) == 0);
    }
}

int main(void)
{
    RUN(test_seconds);
    RUN(test_port);
    RUN(test_age);
    return check_failures != 0;
}
