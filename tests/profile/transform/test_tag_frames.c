/* test_tag_frames.c - tests src/profile/transform/tag_frames.c. */
#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/build.h"
#include "profile/transform/tag_frames.h"

#include "check.h"
#include "profile_fixture.h"

static const struct {
    const char *what, *root, *leaf, *unit, *stack, *labels, *want;
    bool root_matched, leaf_matched;
} cases[] = {
    { "none", "", "", "auto", "m|a", "k:v", "m|a", false, false },
    { "only commas", ",,", ",", "auto", "m|a", "k:v", "m|a", false, false },
    { "root", "k", "", "auto", "m|a", "k:v", "v@k|m|a", true, false },
    { "leaf", "", "k", "auto", "m|a", "k:v", "m|a|v@k", false, true },
    { "both", "k", "k", "auto", "m|a", "k:v", "v@k|m|a|v@k", true, true },
    { "first root key outermost", "j,k", "", "auto", "m", "j:1 k:2",
      "1@j|2@k|m", true, false },
    { "last leaf key innermost", "", "j,k", "auto", "m", "j:1 k:2", "m|1@j|2@k",
      false, true },
    { "empty keys are left out", ",j,,k,", "", "auto", "m", "j:1 k:2",
      "1@j|2@k|m", true, false },
    { "a key that is missing", "x,k", "", "auto", "m", "k:2", "@x|2@k|m", true,
      false },
    { "nothing but missing keys", "x", "y", "auto", "m", "k:2", "@x|m|@y",
      false, false },
    { "no labels", "x", "", "auto", "m", "", "@x|m", false, false },
    { "no stack", "k", "", "auto", "", "k:v", "v@k", true, false },
    { "several values", "k", "", "auto", "m", "k:b k:a", "b,a@k|m", true,
      false },
    { "text before numbers", "k", "", "auto", "m", "k=7 k:b k=8", "b,7,8@k|m",
      true, false },
    { "a number without unit", "k", "", "ms", "m", "k=2048", "2048@k|m", true,
      false },
    { "a number with a unit", "k", "", "auto", "m", "k=2048bytes", "2kB@k|m",
      true, false },
    { "in the wanted unit", "k", "", "b", "m", "k=2kb", "2048B@k|m", true,
      false },
    { "one has a unit, one has none", "k", "", "auto", "m", "k=2kb k=3",
      "2kB,3@k|m", true, false },
    { "a negative number", "k", "", "auto", "m", "k=-5", "-5@k|m", true,
      false },
    { "the same value of two keys", "j,k", "", "auto", "m", "j:v k:v",
      "v@j|v@k|m", true, false },
    { "the same key twice", "k,k", "", "auto", "m", "k:v", "v@k|v@k|m", true,
      false },
};

static void test_frames(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct profile_row row = { cases[i].stack, { 1, 1 }, cases[i].labels };
        struct cp_profile *p = profile_of(&row, 1);
        bool root, leaf;
        char want[128];

        check_case(cases[i].what);
        CHECK_INT(cp_tag_frames_add(p, cases[i].root, cases[i].leaf,
                                    cases[i].unit, &root, &leaf, NULL),
                  CP_OK);
        (void)snprintf(want, sizeof(want), "1,1 %s", cases[i].want);
        CHECK(strncmp(profile_text(p), want, strlen(want)) == 0 &&
              strchr(" \n", profile_text(p)[strlen(want)]));
        if (check_state.n_failures)
            printf("    got  %s    want %s\n", profile_text(p), want);
        CHECK_INT(root, cases[i].root_matched);
        CHECK_INT(leaf, cases[i].leaf_matched);
        cp_profile_free(p);
    }
}

/* Equal frames share a location; ids continue after the highest. */
static void test_locations(void)
{
    static const struct profile_row rows[] = { { "m", { 1, 1 }, "k:v j:1" },
                                               { "m|a", { 2, 2 }, "k:w" },
                                               { "a", { 3, 3 }, "k:v" },
                                               { "v@k", { 4, 4 }, "" } };
    struct cp_profile *p = profile_of(rows, 4);
    bool root, leaf;

    p->locations[0].id = 100;
    p->functions[1].id = 200;
    CHECK_INT(cp_tag_frames_add(p, "k", "", "auto", &root, &leaf, NULL), CP_OK);
    CHECK_STR(profile_text(p), "1,1 v@k|m j:1 k:v\n2,2 w@k|m|a k:w\n"
                               "3,3 v@k|a k:v\n4,4 @k|v@k\n");
    CHECK_INT(p->n_locations, 6);
    CHECK_INT(p->n_functions, 6);
    CHECK_INT(cp_profile_stack(p, 0)[1], 3);
    CHECK_INT(cp_profile_stack(p, 1)[2], 4);
    CHECK_INT(cp_profile_stack(p, 2)[1], 3);
    CHECK_INT(cp_profile_stack(p, 3)[0], 2); /* an ordinary frame stays */
    CHECK_INT(p->locations[3].id, 101);
    CHECK_INT(p->locations[5].id, 103);
    CHECK_INT(p->functions[3].id, 201);
    CHECK_INT(p->locations[3].mapping, CP_NONE);
    cp_profile_free(p);
}

/* Frames with equal names differ by their keys. */
static void test_many_keys(void)
{
    struct profile_row row = { "m", { 1, 1 }, "" };
    struct cp_profile *p = profile_of(&row, 1);
    char keys[512] = "";
    bool root, leaf;

    for (int i = 0; i < 100; i++)
        (void)sprintf(keys + strlen(keys), "k%d,", i);
    CHECK_INT(cp_tag_frames_add(p, keys, "", "auto", &root, &leaf, NULL),
              CP_OK);
    CHECK_INT(p->n_locations, 101);
    CHECK_INT(p->samples[0].n_locs, 101);
    cp_profile_free(p);
}

/* More distinct values than the initial table holds. */
static struct cp_profile *many(uint32_t n)
{
    struct cp_builder b = { 0 };
    int64_t value = 1;

    (void)cp_builder_init(&b, NULL);
    (void)cp_builder_type(&b, "n", "count", NULL); /* "n" is string 1 */
    (void)cp_builder_location(&b, 1, NULL);
    for (uint32_t i = 0; i < n; i++) {
        struct cp_label label = { 1, CP_NONE, 0, i + 1 };
        uint32_t loc = 0;

        (void)cp_builder_sample(&b, &loc, 1, &value,
                                cp_builder_label_set(&b, &label, 1, NULL),
                                NULL);
    }
    return cp_builder_take(&b);
}

static void test_many(void)
{
    struct cp_profile *p = many(5000);
    uint32_t n_right = 0;
    bool root, leaf;

    CHECK_INT(cp_tag_frames_add(p, "n", "n,x", "auto", &root, &leaf, NULL),
              CP_OK);
    CHECK_INT(p->n_locations, 5002);
    for (uint32_t i = 0; i < 5000; i++) {
        const uint32_t *stack = cp_profile_stack(p, i);
        const struct cp_location *l = &p->locations[stack[1]];
        uint32_t name = p->functions[p->lines[l->lines].function].name;
        char want[16];

        (void)snprintf(want, sizeof(want), "%u", i + 1);
        n_right += p->samples[i].n_locs == 4 && stack[2] == 0 &&
                   stack[1] == stack[3] &&
                   strcmp(cp_profile_cstr(p, name), want) == 0;
    }
    CHECK_INT(n_right, 5000);
    cp_profile_free(p);
}

static void test_memory_runs_out(void)
{
    struct cp_profile *from = many(1000);
    enum cp_status status = CP_ENOMEM;
    long n = 1;

    for (; n < 1000 && status != CP_OK; n++) {
        struct cp_profile *p = cp_profile_copy(from, NULL);
        struct cp_error err = { 0 };
        bool root, leaf;

        cp_alloc_fail_at(n);
        status = cp_tag_frames_add(p, "n", "x", "auto", &root, &leaf, &err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, status);
        cp_profile_free(p);
    }
    CHECK_INT(status, CP_OK);
    CHECK(n > 5);
    cp_profile_free(from);
}

int main(void)
{
    RUN(test_frames);
    RUN(test_locations);
    RUN(test_many_keys);
    RUN(test_many);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
