/* test_profile.c - tests src/profile/model/profile.c. */
#include "base/alloc.h"
#include "profile/model/profile.h"

#include "check.h"
#include "profile_fixture.h"

static const struct profile_row rows[] = {
    { "main@m.c!prog|a~b|?", { 1, -2 }, "k:v n=7bytes" },
    { "main@m.c!prog", { INT64_MAX, 0 }, "" },
    { "", { 0, 0 }, "k:v" },
};

static struct cp_profile *full(void)
{
    struct cp_profile *p = profile_of(rows, 3);

    p->default_type = p->drop_frames = p->types[1].type;
    p->keep_frames = p->doc_url = p->types[1].unit;
    p->comments = cp_arena_alloc(&p->arena, 2, sizeof(*p->comments), NULL);
    p->n_comments = 2;
    p->comments[1] = p->types[0].type;
    p->time_ns = 5;
    p->duration_ns = 6;
    return p;
}

static void test_new(void)
{
    struct cp_profile *p = cp_profile_new(NULL);

    CHECK_INT(p->n_label_sets, 1);
    CHECK_INT(p->label_sets[0].n_labels, 0);
    CHECK_INT(p->strings.n, 1);
    CHECK_STR(cp_profile_cstr(p, 0), "");
    CHECK_INT(p->n_samples + p->n_types + p->n_locations + p->n_mappings, 0);
    cp_profile_free(p);
    cp_profile_free(NULL);
}

/* A copy has no gaps between stacks. */
static void test_copy_has_no_gaps(void)
{
    struct cp_profile *p = full(), *copy;
    uint64_t n = p->n_locs + 7;
    uint32_t *locs = cp_arena_alloc(&p->arena, n, sizeof(*locs), NULL);
    char want[512];

    (void)snprintf(want, sizeof(want), "%s", profile_text(p));
    memcpy(locs + 7, p->locs, p->n_locs * sizeof(*locs));
    for (uint32_t i = 0; i < p->n_samples; i++)
        p->samples[i].locs += 7;
    p->locs = locs;
    p->n_locs = n;
    copy = cp_profile_copy(p, NULL);
    CHECK_STR(profile_text(p), want);
    CHECK_STR(profile_text(copy), want);
    CHECK(copy->n_locs <= n - 7);
    cp_profile_free(p);
    cp_profile_free(copy);
}

static void test_copy_is_equal(void)
{
    struct cp_profile *p = full(), *copy = cp_profile_copy(p, NULL);
    char *want = strdup(profile_text(p));

    CHECK_STR(profile_text(copy), want);
    CHECK_INT(copy->strings.n, p->strings.n);
    for (uint32_t i = 0; i < p->strings.n; i++)
        CHECK_STR(cp_profile_cstr(copy, i), cp_profile_cstr(p, i));
    CHECK_STR(cp_profile_cstr(copy, copy->default_type), "cpu");
    CHECK_STR(cp_profile_cstr(copy, copy->doc_url), "nanoseconds");
    CHECK_STR(cp_profile_cstr(copy, copy->comments[1]), "samples");
    CHECK_STR(cp_profile_cstr(copy, copy->period_type.type), "cpu");
    CHECK_INT(copy->time_ns, 5);
    CHECK_INT(copy->duration_ns, 6);
    CHECK_INT(copy->period, 1);
    CHECK_INT(copy->locations[0].address, p->locations[0].address);
    CHECK_INT(copy->mappings[0].limit, p->mappings[0].limit);
    free(want);
    cp_profile_free(copy);
    cp_profile_free(p);
}

/* The copy outlives the profile, and changes of one do not affect the other. */
static void test_copy_shares_nothing(void)
{
    struct cp_profile *p = full(), *copy = cp_profile_copy(p, NULL);
    char *want = strdup(profile_text(p));

    copy->values[0] = 99;
    copy->locs[0] = 0;
    for (uint32_t i = 0; i < copy->n_lines; i++)
        copy->lines[i].function = copy->n_functions - 1;
    copy->functions[0].name = 0;
    copy->mappings[0].file = 0;
    copy->labels[0].key = 0;
    copy->samples[1].n_locs = 0;
    copy->label_sets[1].n_labels = 0;
    copy->locations[0].n_lines = 0;
    (void)cp_strtab_add(&copy->strings, "new", 3, NULL);
    CHECK_STR(profile_text(p), want);
    CHECK_INT(cp_strtab_find(&p->strings, "new", 3), CP_NO_STR);
    cp_profile_free(copy);
    copy = cp_profile_copy(p, NULL);
    cp_profile_free(p);
    CHECK_STR(profile_text(copy), want);
    CHECK_INT(cp_strtab_find(&copy->strings, "main", 4) != CP_NO_STR, 1);
    free(want);
    cp_profile_free(copy);
}

static void test_copy_of_nothing(void)
{
    struct cp_profile *p = cp_profile_new(NULL);
    struct cp_profile *copy = cp_profile_copy(p, NULL);

    CHECK_INT(copy->n_label_sets, 1);
    CHECK_INT(copy->strings.n, 1);
    cp_profile_free(copy);
    cp_profile_free(p);
}

static void test_memory_runs_out(void)
{
    struct cp_profile *p = full(), *copy = NULL;

    for (long n = 1; n < 100 && !copy; n++) {
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        copy = cp_profile_copy(p, &err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, copy ? CP_OK : CP_ENOMEM);
    }
    CHECK(copy != NULL);
    cp_profile_free(copy);
    copy = NULL;
    for (long n = 1; n < 100 && !copy; n++) {
        cp_alloc_fail_at(n);
        copy = cp_profile_new(NULL);
        cp_alloc_fail_at(0);
    }
    CHECK(copy != NULL);
    cp_profile_free(copy);
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_new);
    RUN(test_copy_is_equal);
    RUN(test_copy_has_no_gaps);
    RUN(test_copy_shares_nothing);
    RUN(test_copy_of_nothing);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
