/* test_heap_values.c - tests src/profile/legacy/heap_values.c. */
#include "profile/legacy/heap_values.h"
#include "profile/legacy/legacy.h"

#include "check.h"

static const struct {
    const char *what;
    struct cp_legacy_heap_pair seen;
    int64_t rate;
    int parts;
    bool is_linear;
    struct cp_legacy_heap_pair want;
} pairs[] = {
    /* 2 / (1 - e^(-100000/524288)) = 11.5175..., computed by hand */
    { "cut", { 2, 200000 }, 524288, 1, false, { 11, 1151752 } },
    { "in parts", { 2, 200000 }, 524288, 4096, false, { 47176, 4717580241 } },
    { "linear", { 2, 200000 }, 262144, 1, true, { 5, 524288 } },
    { "linear, large", { 2, 800000 }, 262144, 1, true, { 2, 800000 } },
    { "not sampled", { 3, 50 }, 1, 4096, false, { 12288, 204800 } },
    { "none", { 0, 0 }, 524288, 4096, false, { 0, 0 } },
    { "bytes alone", { 0, 7 }, 524288, 4096, false, { 0, 28672 } },
    { "too much", { 1, INT64_MAX }, 524288, 4096, false, { 4096, INT64_MIN } },
};

static void test_unbias_parts(void)
{
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct cp_legacy_heap_pair got = cp_legacy_heap_unbias_parts(
            pairs[i].seen, pairs[i].rate, pairs[i].parts, pairs[i].is_linear);

        check_case(pairs[i].what);
        CHECK_INT(got.objects, pairs[i].want.objects);
        CHECK_INT(got.bytes, pairs[i].want.bytes);
    }
}

#define DUMP                                                                   \
    "heap_v2/1\n  t*: 3: 30 [0: 0]\n  t0: 1: 10 [0: 0]\n"                      \
    "  t2: 2: 20 [0: 0]\n@ 0x10 0x20\n  t*: 3: 31 [0: 0]\n"                    \
    "  t0: 1: 10 [0: 0]\n  t2: 2: 20 [0: 0]\n"                                 \
    "@ 0x11 0x20\n  t*: 4: 5 [0: 0]\n  t0: 4: 5 [0: 0]\n"

static const struct {
    const char *what;
    struct cp_legacy_heap_options how;
    const char *want; /* one line per sample: values and labels */
} readings[] = {
    { "whole", { 1, NULL }, "3 31 0\n4 5 0\n" },
    { "in parts", { 2, NULL }, "384 3968 0\n512 640 0\n" },
    { "a thread", { 1, "2" }, "2 20 0\n" },
    { "another", { 1, "0" }, "1 10 0\n4 5 0\n" },
    { "no such thread", { 1, "7" }, "" },
};

static void test_jemalloc(void)
{
    for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
        struct cp_profile *p =
            cp_legacy_read_as(DUMP, sizeof(DUMP) - 1, &readings[i].how, NULL);
        char got[256] = "";
        size_t n = 0;

        check_case(readings[i].what);
        if (!CHECK(p))
            continue;
        for (uint32_t k = 0; k < p->n_samples; k++)
            n += (size_t)snprintf(got + n, sizeof(got) - n, "%lld %lld %u\n",
                                  (long long)p->values[2 * k],
                                  (long long)p->values[2 * k + 1],
                                  p->samples[k].label_set);
        CHECK_STR(got, readings[i].want);
        cp_profile_free(p);
    }
}

/* jeprof does not treat the leaf as a return address. */
static void test_addresses(void)
{
    struct cp_legacy_heap_options how = { .parts = 1 };
    struct cp_profile *p =
        cp_legacy_read_as(DUMP, sizeof(DUMP) - 1, &how, NULL);

    if (!CHECK(p))
        return;
    CHECK_INT((long long)p->locations[cp_profile_stack(p, 0)[0]].address, 0x10);
    CHECK_INT((long long)p->locations[cp_profile_stack(p, 0)[1]].address, 0x1f);
    CHECK_STR(cp_profile_cstr(p, p->types[1].unit), "bytes");
    cp_profile_free(p);
}

static const struct {
    const char *unit;
    int parts;
    bool is_bytes;
} units[] = {
    { "bytes", 1, false },          { "count", 1, false },
    { "1/4096 bytes", 4096, true }, { "1/262144 objects", 262144, false },
    { "1/0 bytes", 1, true },       { "1/9999999999 bytes", 1, true },
    { "1/2 loaves", 1, false },     { "", 1, false },
};

static void test_units(void)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        bool is_bytes;

        check_case(units[i].unit);
        CHECK_INT(cp_legacy_heap_unit_parts(units[i].unit, &is_bytes),
                  units[i].parts);
        CHECK_INT(is_bytes, units[i].is_bytes);
    }
}

static void test_make_whole(void)
{
    struct cp_legacy_heap_options how = { .parts = CP_LEGACY_HEAP_PARTS };
    struct cp_profile *p =
        cp_legacy_read_as(DUMP, sizeof(DUMP) - 1, &how, NULL);

    if (!CHECK(p))
        return;
    CHECK_STR(cp_profile_cstr(p, p->types[1].unit), "1/262144 bytes");
    CHECK(cp_legacy_heap_is_in_parts(p));
    CHECK_INT(cp_legacy_heap_make_whole(p, NULL), CP_OK);
    CHECK_STR(cp_profile_cstr(p, p->types[0].unit), "count");
    CHECK_STR(cp_profile_cstr(p, p->types[1].unit), "bytes");
    CHECK_INT(p->values[0], 3);
    CHECK_INT(p->values[1], 31);
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_unbias_parts);
    RUN(test_jemalloc);
    RUN(test_addresses);
    RUN(test_units);
    RUN(test_make_whole);
    return check_failures != 0;
}
