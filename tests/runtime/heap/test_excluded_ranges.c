/*
 * test_excluded_ranges - a walk over a range visits exactly the addresses that
 * no excluded range contains, whatever their order and overlap.
 */
#include "runtime/heap/excluded_ranges.h"

#include <string.h>

#include "check.h"

#define BASE ((uintptr_t)4096)
#define N_BYTES 64

static struct cp_excluded_ranges ranges;

static void add(uintptr_t from, uintptr_t to)
{
    cp_excluded_ranges_add(&ranges, (const void *)(BASE + from), to - from);
}

/* The parts that a walk visits, one character a byte: 'x' is excluded. */
static const char *walk(void)
{
    static char text[N_BYTES + 1];
    uintptr_t at = BASE, end = BASE + N_BYTES;

    memset(text, 'x', N_BYTES);
    while (at < end) {
        uintptr_t stop = cp_excluded_ranges_next(&ranges, &at, end);

        if (at >= end)
            break;
        CHECK(stop > at && stop <= end);
        memset(text + (at - BASE), '.', stop - at);
        at = stop;
    }
    return text;
}

/* The same, computed byte by byte. */
static const char *expected(void)
{
    static char text[N_BYTES + 1];

    memset(text, '.', N_BYTES);
    for (size_t i = 0; i < ranges.n; i++)
        for (uintptr_t at = BASE; at < BASE + N_BYTES; at++)
            if (at >= ranges.list[i].start && at < ranges.list[i].end)
                text[at - BASE] = 'x';
    return text;
}

static void test_boundaries(void)
{
    static const struct {
        const char *name;
        uintptr_t ranges[3][2];
        size_t n;
    } cases[] = {
        { "none", { { 0 } }, 0 },
        { "inside", { { 8, 16 } }, 1 },
        { "at the start", { { 0, 8 } }, 1 },
        { "at the end", { { 56, 64 } }, 1 },
        { "all", { { 0, 64 } }, 1 },
        { "one byte", { { 63, 64 } }, 1 },
        { "adjacent, descending", { { 16, 24 }, { 8, 16 } }, 2 },
        { "overlap", { { 8, 20 }, { 16, 24 } }, 2 },
        { "nested", { { 8, 32 }, { 12, 16 } }, 2 },
        { "chain in reverse order", { { 24, 40 }, { 16, 24 }, { 0, 16 } }, 3 },
        { "beyond the end", { { 60, 90 }, { 64, 70 } }, 2 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        check_case(cases[i].name);
        ranges.n = 0;
        for (size_t k = 0; k < cases[i].n; k++)
            add(cases[i].ranges[k][0], cases[i].ranges[k][1]);
        CHECK_INT(ranges.n, cases[i].n);
        CHECK_STR(walk(), expected());
    }
}

static void test_random(void)
{
    uint32_t state = 1;

    for (int round = 0; round < 2000; round++) {
        ranges.n = 0;
        for (int i = 0; i < 6; i++) {
            uintptr_t from, len;

            state = state * 1664525u + 1013904223u;
            from = state >> 8 & 63;
            len = state >> 16 & 15;
            add(from, from + len);
        }
        CHECK_STR(walk(), expected());
    }
}

/* Ranges that are empty, or have no memory, are not entered. */
static void test_ignored(void)
{
    ranges.n = 0;
    cp_excluded_ranges_add(&ranges, NULL, 8);
    add(8, 8);
    CHECK_INT(ranges.n, 0);
}

/* A full list drops what is added, and keeps what it has. */
static void test_full(void)
{
    ranges.n = 0;
    for (size_t i = 0; i < CP_EXCLUDED_RANGES_MAX; i++)
        add(8, 16);
    CHECK_INT(ranges.n, CP_EXCLUDED_RANGES_MAX);
    add(32, 40);
    CHECK_INT(ranges.n, CP_EXCLUDED_RANGES_MAX);
    CHECK_STR(walk(), expected());
    CHECK(walk()[8] == 'x' && walk()[32] == '.');
}

int main(void)
{
    RUN(test_boundaries);
    RUN(test_random);
    RUN(test_ignored);
    RUN(test_full);
    return check_failures != 0;
}
