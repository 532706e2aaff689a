/* test_timefmt.c - tests src/base/timefmt.c. */
#include "base/timefmt.h"

#include <stdlib.h>
#include <time.h>

#include "check.h"

#define SECOND INT64_C(1000000000)

static const struct {
    const char *what, *zone;
    int64_t ns;
    const char *text, *precise;
} times[] = {
    { "whole seconds", "UTC0", 1700000000 * SECOND, "2023-11-14 22:13:20 UTC",
      "2023-11-14 22:13:20 +0000 UTC" },
    { "half a second", "UTC0", 1700000000 * SECOND + 500000000,
      "2023-11-14 22:13:20 UTC", "2023-11-14 22:13:20.5 +0000 UTC" },
    { "one nanosecond", "UTC0", 1, "1970-01-01 00:00:00 UTC",
      "1970-01-01 00:00:00.000000001 +0000 UTC" },
    { "decimals that end in 0", "UTC0", 120034000, "1970-01-01 00:00:00 UTC",
      "1970-01-01 00:00:00.120034 +0000 UTC" },
    { "the beginning", "UTC0", 0, "1970-01-01 00:00:00 UTC",
      "1970-01-01 00:00:00 +0000 UTC" },
    { "before it", "UTC0", -1, "1969-12-31 23:59:59 UTC",
      "1969-12-31 23:59:59.999999999 +0000 UTC" },
    { "whole seconds before it", "UTC0", -2 * SECOND, "1969-12-31 23:59:58 UTC",
      "1969-12-31 23:59:58 +0000 UTC" },
    { "winter", "CET-1CEST,M3.5.0,M10.5.0/3", 1700000000 * SECOND,
      "2023-11-14 23:13:20 CET", "2023-11-14 23:13:20 +0100 CET" },
    { "summer", "CET-1CEST,M3.5.0,M10.5.0/3", 1690000000 * SECOND,
      "2023-07-22 06:26:40 CEST", "2023-07-22 06:26:40 +0200 CEST" },
    { "a zone without letters", "<-03>3", 1700000000 * SECOND,
      "2023-11-14 19:13:20 -03", "2023-11-14 19:13:20 -0300 -03" },
    { "a zone that is not installed", "Nowhere/Town", 1700000000 * SECOND,
      "2023-11-14 22:13:20 UTC", "2023-11-14 22:13:20 +0000 UTC" },
    { "nor at a path", ":/nowhere/town", 1700000000 * SECOND,
      "2023-11-14 22:13:20 UTC", "2023-11-14 22:13:20 +0000 UTC" },
    { "the last moment", "UTC0", INT64_MAX, "2262-04-11 23:47:16 UTC",
      "2262-04-11 23:47:16.854775807 +0000 UTC" },
    { "the first moment", "UTC0", INT64_MIN, "1677-09-21 00:12:43 UTC",
      "1677-09-21 00:12:43.145224192 +0000 UTC" },
};

static void test_times(void)
{
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        char text[CP_TIME_BYTES];

        check_case(times[i].what);
        (void)setenv("TZ", times[i].zone, 1);
        tzset();
        cp_time_text(times[i].ns, text);
        CHECK_STR(text, times[i].text);
        cp_time_precise(times[i].ns, text);
        CHECK_STR(text, times[i].precise);
    }
}

static const struct {
    int64_t ns;
    const char *want;
} durations[] = {
    { 0, "0s" },
    { 1, "1ns" },
    { 999, "999ns" },
    { 1000, "1\xc2\xb5s" },
    { 1100, "1.1\xc2\xb5s" },
    { 999999, "999.999\xc2\xb5s" },
    { 1000000, "1ms" },
    { 1500000, "1.5ms" },
    { 2200001, "2.200001ms" },
    { 999999999, "999.999999ms" },
    { SECOND, "1s" },
    { 3300 * SECOND / 1000, "3.3s" },
    { SECOND + 1, "1.000000001s" },
    { 59 * SECOND, "59s" },
    { 60 * SECOND, "1m0s" },
    { 245 * SECOND, "4m5s" },
    { 3600 * SECOND, "1h0m0s" },
    { 3600 * SECOND + SECOND / 2, "1h0m0.5s" },
    { 18366 * SECOND + 7 * SECOND / 10, "5h6m6.7s" },
    { 360000 * SECOND, "100h0m0s" },
    { -1, "-1ns" },
    { -1500000, "-1.5ms" },
    { -90 * SECOND, "-1m30s" },
    { INT64_MAX, "2562047h47m16.854775807s" },
    { INT64_MIN, "-2562047h47m16.854775808s" },
};

static void test_durations(void)
{
    for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++) {
        char text[CP_TIME_BYTES];

        check_case(durations[i].want);
        cp_duration_text(durations[i].ns, text);
        CHECK_STR(text, durations[i].want);
    }
}

int main(void)
{
    RUN(test_times);
    RUN(test_durations);
    return check_failures != 0;
}
