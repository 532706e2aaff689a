/* timefmt.c - formats times and durations like Go. */
#include "base/timefmt.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

/*
 * Whether TZ names a zone that is not installed, as in small containers. libc
 * then uses UTC but calls it by the beginning of that name.
 */
static bool is_zone_missing(void)
{
    const char *zone = getenv("TZ"), *folder = getenv("TZDIR");
    char path[512];
    int n;

    if (!zone)
        return false;
    zone += *zone == ':';
    if (*zone == '\0' || strpbrk(zone, "0123456789"))
        return false; /* UTC, or a POSIX rule such as EST5EDT */
    if (*zone == '/')
        return access(zone, R_OK) != 0;
    n = snprintf(path, sizeof(path), "%s/%s",
                 folder ? folder : "/usr/share/zoneinfo", zone);
    return n < (int)sizeof(path) && access(path, R_OK) != 0;
}

static struct tm to_local_time(int64_t unix_ns, int64_t *ns)
{
    int64_t s = unix_ns / SECOND;
    struct tm tm = { 0 };
    time_t t;

    *ns = unix_ns % SECOND;
    if (*ns < 0) {
        *ns += SECOND;
        s--;
    }
    t = (time_t)s;
    (void)localtime_r(&t, &tm);
    if (is_zone_missing()) {
        (void)gmtime_r(&t, &tm);
        tm.tm_zone = "UTC";
    }
    return tm;
}

void cp_time_text(int64_t unix_ns, char out[CP_TIME_BYTES])
{
    int64_t ns;
    struct tm tm = to_local_time(unix_ns, &ns);

    out[0] = '\0';
    (void)strftime(out, CP_TIME_BYTES, "%Y-%m-%d %H:%M:%S %Z", &tm);
}

/* Formats value / 10^width as a fraction, ".5"; nothing for zero. */
static void fraction(uint64_t value, int width, char *out)
{
    int n;

    out[0] = '\0';
    if (value == 0)
        return;
    n = snprintf(out, 16, ".%0*llu", width, (unsigned long long)value);
    while (n > 0 && out[n - 1] == '0')
        out[--n] = '\0';
}

void cp_time_precise(int64_t unix_ns, char out[CP_TIME_BYTES])
{
    int64_t ns;
    struct tm tm = to_local_time(unix_ns, &ns);
    char day[24] = "", zone[20] = "", part[16];

    (void)strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &tm);
    (void)strftime(zone, sizeof(zone), " %z %Z", &tm);
    fraction((uint64_t)ns, 9, part);
    (void)snprintf(out, CP_TIME_BYTES, "%s%s%s", day, part, zone);
}

static void format_below_second(uint64_t ns, char *out)
{
    char part[16];

    if (ns == 0) {
        (void)strcpy(out, "0s");
    } else if (ns < 1000) {
        (void)sprintf(out, "%lluns", (unsigned long long)ns);
    } else if (ns < 1000000) {
        fraction(ns % 1000, 3, part);
        (void)sprintf(out, "%llu%s\xc2\xb5s", (unsigned long long)(ns / 1000),
                      part);
    } else {
        fraction(ns % 1000000, 6, part);
        (void)sprintf(out, "%llu%sms", (unsigned long long)(ns / 1000000),
                      part);
    }
}

void cp_duration_text(int64_t ns, char out[CP_TIME_BYTES])
{
    uint64_t u = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    uint64_t s = u / (uint64_t)SECOND;
    char part[16];
    int n = 0;

    if (ns < 0)
        out[n++] = '-';
    if (s == 0) {
        format_below_second(u, out + n);
        return;
    }
    if (s >= 3600)
        n += sprintf(out + n, "%lluh", (unsigned long long)(s / 3600));
    if (s >= 60)
        n += sprintf(out + n, "%llum", (unsigned long long)(s / 60 % 60));
    fraction(u % (uint64_t)SECOND, 9, part);
    (void)sprintf(out + n, "%llu%ss", (unsigned long long)(s % 60), part);
}
