/* test_scale.c - tests src/profile/transform/scale.c. */
#include "base/alloc.h"
#include "profile/model/build.h"
#include "profile/transform/scale.h"

#include <math.h>

#include "check.h"
#include "profile_fixture.h"

static const struct {
    const char *what;
    int64_t values[2];
    double ratios[2];
    const char *want;
} scales[] = {
    { "nothing to do", { 3, 5 }, { 1, 1 }, "3,5 m\n" },
    { "zeros stay if nothing is done", { 0, 0 }, { 1, 1 }, "0,0 m\n" },
    { "twice", { 3, 5 }, { 2, 2 }, "6,10 m\n" },
    { "one column", { 3, 5 }, { 1, 10 }, "3,50 m\n" },
    { "half rounds away from zero", { 5, -5 }, { 0.5, 0.5 }, "3,-3 m\n" },
    { "less than half rounds down", { 14, -14 }, { 0.1, 0.1 }, "1,-1 m\n" },
    { "dropped when all become zero", { 1, 2 }, { 0, 0.1 }, "" },
    { "kept when one is left", { 1, 200 }, { 0, 0.1 }, "0,20 m\n" },
    { "a column that stays does not keep", { 7, 1 }, { 1, 0.1 }, "" },
    { "negated", { INT64_MAX, -3 }, { -1, -1 }, "-9223372036854775807,3 m\n" },
    { "negated exactly",
      { INT64_C(9007199254740993), 1 },
      { -1, -1 },
      "-9007199254740993,-1 m\n" },
    { "large but not too large",
      { INT64_C(1) << 62, 1 },
      { 1.999, 1 },
      "9218760350836348928,1 m\n" },
    { "too large", { INT64_MAX, 1 }, { 2, 2 }, "-9223372036854775808,2 m\n" },
    { "not a number", { 1, 1 }, { NAN, 2 }, "-9223372036854775808,2 m\n" },
};

static void test_columns(void)
{
    for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
        struct profile_row row = { "m",
                                   { scales[i].values[0], scales[i].values[1] },
                                   "" };
        struct cp_profile *p = profile_of(&row, 1);

        check_case(scales[i].what);
        cp_scale_columns(p, scales[i].ratios);
        CHECK_STR(profile_text(p), scales[i].want);
        cp_profile_free(p);
    }
}

static const struct profile_row three[] = { { "a", { 1, 10 }, "k:1" },
                                            { "b", { 0, 1 }, "k:2" },
                                            { "c", { 3, 30 }, "k:3" } };

static void test_samples_stay_whole(void)
{
    struct cp_profile *p = profile_of(three, 3);

    CHECK_INT(cp_scale_all(p, 0.3, NULL), CP_OK);
    CHECK_STR(profile_text(p), "0,3 a k:1\n1,9 c k:3\n");
    CHECK_INT(cp_scale_all(p, -1, NULL), CP_OK);
    CHECK_STR(profile_text(p), "0,-3 a k:1\n-1,-9 c k:3\n");
    CHECK_INT(cp_scale_all(p, 0, NULL), CP_OK);
    CHECK_STR(profile_text(p), "");
    cp_profile_free(p);
}

static const struct {
    const char *what;
    struct profile_row rows[3], base[3];
    const char *want;
} norms[] = {
    { "each column to the sum of the base",
      { { "a", { 1, 10 }, "" }, { "b", { 1, 30 }, "" } },
      { { "x", { 10, 20 }, "" } },
      "5,5 a\n5,15 b\n" },
    { "equal sums",
      { { "a", { 1, 2 }, "" } },
      { { "x", { 1, 2 }, "" } },
      "1,2 a\n" },
    { "no sum of the source",
      { { "a", { 1, 10 }, "" }, { "b", { -1, 10 }, "" } },
      { { "x", { 10, 40 }, "" } },
      "0,20 a\n0,20 b\n" },
    { "no base", { { "a", { 1, 10 }, "" } }, { { NULL, { 0 }, "" } }, "" },
};

static void test_normalize(void)
{
    for (size_t i = 0; i < sizeof(norms) / sizeof(norms[0]); i++) {
        struct cp_profile *p = profile_of(norms[i].rows, 3);
        struct cp_profile *base = profile_of(norms[i].base, 3);

        check_case(norms[i].what);
        CHECK_INT(cp_scale_normalize(p, base, NULL), CP_OK);
        CHECK_STR(profile_text(p), norms[i].want);
        cp_profile_free(base);
        cp_profile_free(p);
    }
}

/*
 * Creates a profile of one sample with the values 1, 2, 3... of types "t/u
 * t/u".
 */
static struct cp_profile *typed(const char *types, const char *period,
                                const char *default_type)
{
    struct cp_builder b = { 0 };
    int64_t values[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    char type[32], unit[32];
    int used = 0;

    (void)cp_builder_init(&b, NULL);
    for (; sscanf(types, " %31[^/]/%31s%n", type, unit, &used) == 2;
         types += used)
        (void)cp_builder_type(&b, type, unit, NULL);
    if (sscanf(period, "%31[^/]/%31s", type, unit) == 2)
        (void)cp_builder_period(&b, type, unit, 3, NULL);
    b.profile->default_type =
        cp_builder_str(&b, default_type, strlen(default_type), NULL);
    (void)cp_builder_sample(&b, NULL, 0, values, 0, NULL);
    return cp_builder_take(&b);
}

/* "t/u t/u default period/unit period: values" */
static const char *typed_text(const struct cp_profile *p)
{
    static char text[512];
    struct profile_writer w = { text, 0, sizeof(text) };

    for (uint32_t i = 0; i < p->n_types; i++)
        profile_put(&w, "%s/%s ", cp_profile_cstr(p, p->types[i].type),
                    cp_profile_cstr(p, p->types[i].unit));
    profile_put(&w, "[%s] %s/%s %lld:", cp_profile_cstr(p, p->default_type),
                cp_profile_cstr(p, p->period_type.type),
                cp_profile_cstr(p, p->period_type.unit), (long long)p->period);
    for (uint32_t i = 0; p->n_samples > 0 && i < p->n_types; i++)
        profile_put(&w, " %lld", (long long)p->values[i]);
    return text;
}

static const struct {
    const char *what;
    const char *types[2], *periods[2], *defaults[2], *want[2];
} compats[] = {
    { "the same",
      { "a/x b/y", "a/x b/y" },
      { "p/q", "p/q" },
      { "a", "" },
      { "a/x b/y [a] p/q 3: 1 2", "a/x b/y [] p/q 3: 1 2" } },
    { "another order",
      { "a/x b/y", "b/y a/x" },
      { "p/q", "p/q" },
      { "", "b" },
      { "a/x b/y [] p/q 3: 1 2", "a/x b/y [b] p/q 3: 2 1" } },
    { "what one lacks goes",
      { "a/x b/y c/z", "c/z a/x" },
      { "p/q", "p/q" },
      { "c", "" },
      { "a/x c/z [c] p/q 3: 1 3", "a/x c/z [a] p/q 3: 2 1" } },
    { "a default that goes",
      { "a/x b/y c/z", "c/z b/y" },
      { "p/q", "p/q" },
      { "a", "c" },
      { "b/y c/z [b] p/q 3: 2 3", "b/y c/z [c] p/q 3: 2 1" } },
    { "the finest unit",
      { "t/ms n/count", "t/ns n/count" },
      { "p/q", "p/q" },
      { "", "" },
      { "t/ns n/count [] p/q 3: 1000000 2", "t/ns n/count [] p/q 3: 1 2" } },
    { "the finest of the second",
      { "m/bytes", "m/kilobytes" },
      { "p/q", "p/q" },
      { "", "" },
      { "m/bytes [] p/q 3: 1", "m/bytes [] p/q 3: 1024" } },
    { "the period too",
      { "a/x", "a/x" },
      { "cpu/ms", "cpu/us" },
      { "", "" },
      { "a/x [] cpu/us 3000: 1", "a/x [] cpu/us 3: 1" } },
    { "no period",
      { "a/x", "a/x" },
      { "", "" },
      { "", "" },
      { "a/x [] / 0: 1", "a/x [] / 0: 1" } },
};

static void test_compatible(void)
{
    for (size_t i = 0; i < sizeof(compats) / sizeof(compats[0]); i++) {
        struct cp_profile *both[2];
        struct cp_error err = { 0 };

        check_case(compats[i].what);
        for (size_t k = 0; k < 2; k++)
            both[k] = typed(compats[i].types[k], compats[i].periods[k],
                            compats[i].defaults[k]);
        CHECK_INT(cp_make_compatible(both, 2, &err), CP_OK);
        CHECK_STR(err.msg, "");
        for (size_t k = 0; k < 2; k++) {
            CHECK_STR(typed_text(both[k]), compats[i].want[k]);
            cp_profile_free(both[k]);
        }
    }
}

static const struct {
    const char *what;
    const char *types[2], *periods[2], *want;
} refusals[] = {
    { "no type in common",
      { "a/x", "b/x" },
      { "p/q", "p/q" },
      "profiles have empty common sample type list" },
    { "only a type that one has twice",
      { "a/x", "a/x b/y a/x" },
      { "p/q", "p/q" },
      "profiles have empty common sample type list" },
    { "no types at all",
      { "", "a/x" },
      { "p/q", "p/q" },
      "profiles have empty common sample type list" },
    { "units of two families",
      { "heap/bytes", "heap/seconds" },
      { "p/q", "p/q" },
      "sample types: incompatible types: {heap bytes 0 0} {heap seconds 0 0}" },
    { "units that are not known",
      { "a/x", "a/y" },
      { "p/q", "p/q" },
      "sample types: incompatible types: {a x 0 0} {a y 0 0}" },
    { "a period that is missing",
      { "a/x", "a/x" },
      { "space/bytes", "" },
      "period type: incompatible types: {space bytes 0 0} {  0 0}" },
    { "another period",
      { "a/x", "a/x" },
      { "cpu/ns", "wall/ns" },
      "period type: incompatible types: {cpu ns 0 0} {wall ns 0 0}" },
    { "a plural of the period",
      { "a/x", "a/x" },
      { "sample/q", "samples/q" },
      "period type: incompatible types: {sample q 0 0} {samples q 0 0}" },
};

static void test_incompatible(void)
{
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        struct cp_profile *both[2];
        struct cp_error err = { 0 };

        check_case(refusals[i].what);
        for (size_t k = 0; k < 2; k++)
            both[k] = typed(refusals[i].types[k], refusals[i].periods[k], "");
        CHECK(cp_make_compatible(both, 2, &err) != CP_OK);
        CHECK_STR(err.msg, refusals[i].want);
        CHECK(cp_scale_normalize(both[0], both[1], &err) != CP_OK);
        CHECK(strstr(err.msg,
                     strcmp(refusals[i].periods[0], refusals[i].periods[1]) != 0
                         ? "incompatible period types"
                         : "incompatible sample types"));
        for (size_t k = 0; k < 2; k++)
            cp_profile_free(both[k]);
    }
}

/* The smaller unit is used even if the sample's other values stay. */
static void test_rescaling_drops(void)
{
    struct cp_profile *both[] = { typed("n/count t/ms", "", ""),
                                  typed("n/count t/ns", "", "") };

    both[0]->values[1] = 0;
    CHECK_INT(cp_make_compatible(both, 2, NULL), CP_OK);
    CHECK_INT(both[0]->n_samples, 0);
    CHECK_INT(both[1]->n_samples, 1);
    cp_profile_free(both[0]);
    cp_profile_free(both[1]);
}

static void test_one_profile_stays(void)
{
    struct cp_profile *p = typed("b/y a/x", "p/q", "c");

    CHECK_INT(cp_make_compatible(&p, 1, NULL), CP_OK);
    CHECK_STR(typed_text(p), "b/y a/x [c] p/q 3: 1 2");
    cp_profile_free(p);
    p = cp_profile_new(NULL);
    CHECK(cp_make_compatible(&p, 1, NULL) != CP_OK);
    cp_profile_free(p);
}

static void test_memory_runs_out(void)
{
    enum cp_status status = CP_ENOMEM;

    for (long n = 1; n < 100 && status != CP_OK; n++) {
        struct cp_profile *both[] = { typed("c/z a/ms b/y", "p/ms", ""),
                                      typed("a/ns d/w b/y", "p/ns", "") };
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        status = cp_make_compatible(both, 2, &err);
        if (status == CP_OK)
            status = cp_scale_normalize(both[0], both[1], &err);
        if (status == CP_OK)
            status = cp_scale_all(both[0], 2, &err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, status);
        cp_profile_free(both[0]);
        cp_profile_free(both[1]);
    }
    CHECK_INT(status, CP_OK);
}

int main(void)
{
    RUN(test_columns);
    RUN(test_samples_stay_whole);
    RUN(test_normalize);
    RUN(test_compatible);
    RUN(test_incompatible);
    RUN(test_rescaling_drops);
    RUN(test_one_profile_stays);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
