/* test_build.c - tests src/profile/model/build.c. */
#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/build.h"

#include <stdlib.h>

#include "check.h"

static struct cp_builder new_builder(void)
{
    struct cp_builder b;
    struct cp_error err = { 0 };

    CHECK(cp_builder_init(&b, &err) == CP_OK);
    return b;
}

static uint32_t str(struct cp_builder *b, const char *text)
{
    return cp_builder_str(b, text, strlen(text), NULL);
}

static void test_ids_count_from_one(void)
{
    struct cp_builder b = new_builder();
    struct cp_function f = { .id = 77, .name = str(&b, "f") };
    struct cp_mapping m = { .id = 77, .start = 1, .limit = 2 };

    CHECK_INT(cp_builder_function(&b, f, NULL), 0);
    CHECK_INT(cp_builder_function(&b, f, NULL), 1);
    CHECK_INT(cp_builder_mapping(&b, m, NULL), 0);
    CHECK_INT(b.profile->functions[0].id, 1);
    CHECK_INT(b.profile->functions[1].id, 2);
    CHECK_INT(b.profile->mappings[0].id, 1);
    cp_builder_release(&b);
}

static void test_locations_are_found_again(void)
{
    struct cp_builder b = new_builder();
    const uint32_t n = 5000; /* enough for the table to grow */

    for (uint32_t i = 0; i < n; i++)
        CHECK_INT(cp_builder_location(&b, i * 4096u, NULL), i);
    for (uint32_t i = 0; i < n; i++)
        CHECK_INT(cp_builder_location(&b, i * 4096u, NULL), i);
    CHECK_INT(cp_builder_find_location(&b, 4096), 1);
    CHECK_INT(b.profile->n_locations, n);
    CHECK_INT(b.profile->locations[n - 1].id, n);
    CHECK_INT(b.profile->locations[n - 1].mapping, CP_NONE);
    cp_builder_release(&b);
}

static void test_lines_stay_together(void)
{
    struct cp_builder b = new_builder();
    uint32_t x = cp_builder_location(&b, 1, NULL);
    uint32_t y = cp_builder_location(&b, 2, NULL);
    const struct cp_location *l;

    for (int64_t i = 0; i < 3; i++) {
        CHECK(cp_builder_line(&b, x, (struct cp_line){ 0, i, 0 }, NULL) ==
              CP_OK);
        CHECK(cp_builder_line(&b, y, (struct cp_line){ 0, 10 + i, 0 }, NULL) ==
              CP_OK);
    }
    l = b.profile->locations;
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_INT(b.profile->lines[l[x].lines + i].line, i);
        CHECK_INT(b.profile->lines[l[y].lines + i].line, 10 + i);
    }
    CHECK_INT(l[x].n_lines, 3);
    CHECK_INT(l[y].n_lines, 3);
    cp_builder_release(&b);
}

/* Formats a label set as "k=text k=7unit". */
static const char *set_text(const struct cp_profile *p, uint32_t set)
{
    static char text[512];
    struct cp_label_set s = p->label_sets[set];
    size_t len = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < s.n_labels; i++) {
        const struct cp_label *l = &p->labels[s.labels + i];
        char *at = text + len;
        size_t room = sizeof(text) - len;

        len +=
            (size_t)(l->str != CP_NONE ? snprintf(at, room, " %s=%s",
                                                  cp_profile_cstr(p, l->key),
                                                  cp_profile_cstr(p, l->str))
                                       : snprintf(at, room, " %s=%lld%s",
                                                  cp_profile_cstr(p, l->key),
                                                  (long long)l->num,
                                                  cp_profile_cstr(p, l->unit)));
    }
    return text;
}

/* A label: a key, and a text or a number. */
struct given {
    const char *key, *text;
    int64_t num;
    const char *unit;
};

static const struct {
    const char *what;
    struct given labels[4];
    const char *want;
} sets[] = {
    { "none", { { 0 } }, "" },
    { "text before numbers",
      { { "a", NULL, 7, "B" }, { "z", "t", 0, "" } },
      " z=t a=7B" },
    { "by key",
      { { "b", "1", 0, "" }, { "a", "2", 0, "" }, { "ab", "3", 0, "" } },
      " a=2 ab=3 b=1" },
    { "equal keys stay in order",
      { { "k", "2", 0, "" },
        { "k", "1", 0, "" },
        { "j", "0", 0, "" },
        { "k", "3", 0, "" } },
      " j=0 k=2 k=1 k=3" },
    { "keys compare as bytes",
      { { "\xc3\xa9", NULL, 1, "" }, { "z", NULL, 2, "" } },
      " z=2 \xc3\xa9=1" },
    { "a number of text does not count", { { "k", "v", 5, "unit" } }, " k=v" },
};

static uint32_t add_set(struct cp_builder *b, const struct given *given)
{
    struct cp_label labels[4] = { { 0 } };
    uint32_t n = 0;

    for (; n < 4 && given[n].key; n++) {
        labels[n].key = str(b, given[n].key);
        labels[n].str = given[n].text ? str(b, given[n].text) : CP_NONE;
        labels[n].unit = str(b, given[n].unit);
        labels[n].num = given[n].num;
    }
    return cp_builder_label_set(b, labels, n, NULL);
}

static void test_label_order(void)
{
    struct cp_builder b = new_builder();

    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        uint32_t set;

        check_case(sets[i].what);
        set = add_set(&b, sets[i].labels);
        CHECK_STR(set_text(b.profile, set), sets[i].want);
        CHECK_INT(add_set(&b, sets[i].labels), set);
    }
    cp_builder_release(&b);
}

static void test_equal_sets_are_one(void)
{
    struct cp_builder b = new_builder();
    uint32_t k = str(&b, "k"), n = str(&b, "n");
    struct cp_label xy[] = { { k, k, 0, 0 }, { n, CP_NONE, 0, 5 } };
    struct cp_label yx[] = { { n, CP_NONE, 0, 5 }, { k, k, 9, 9 } };

    CHECK_INT(cp_builder_label_set(&b, xy, 2, NULL), 1);
    CHECK_INT(cp_builder_label_set(&b, yx, 2, NULL), 1);
    CHECK_INT(cp_builder_label_set(&b, yx, 1, NULL), 2);
    for (int64_t i = 0; i < 3000; i++) {
        struct cp_label one = { n, CP_NONE, 0, 100 + i };

        CHECK_INT(cp_builder_label_set(&b, &one, 1, NULL), 3 + i);
    }
    CHECK_INT(cp_builder_label_set(&b, xy, 2, NULL), 1);
    CHECK_INT(b.profile->n_label_sets, 3003);
    CHECK_INT(b.profile->n_labels, 2 + 1 + 3000);
    cp_builder_release(&b);
}

static void test_large_set_is_sorted(void)
{
    struct cp_builder b = new_builder();
    struct cp_label labels[200];
    const struct cp_profile *p = b.profile;

    for (uint32_t i = 0; i < 200; i++) {
        char key[16];

        (void)snprintf(key, sizeof(key), "%03u", i * 7919u % 100);
        labels[i] = (struct cp_label){ str(&b, key), CP_NONE, 0, i };
    }
    CHECK_INT(cp_builder_label_set(&b, labels, 200, NULL), 1);
    for (uint32_t i = 1; i < 200; i++) {
        int order = cp_str_cmp(cp_profile_str(p, p->labels[i - 1].key),
                               cp_profile_str(p, p->labels[i].key));

        CHECK(order < 0 ||
              (order == 0 && p->labels[i - 1].num < p->labels[i].num));
    }
    cp_builder_release(&b);
}

static void test_samples(void)
{
    struct cp_builder b = new_builder();
    uint32_t locs[] = { 1, 0 };
    int64_t values[] = { 3, 4, 5, 6 };
    struct cp_profile *p;

    CHECK(cp_builder_type(&b, "samples", "count", NULL) == CP_OK);
    CHECK(cp_builder_type(&b, "cpu", "nanoseconds", NULL) == CP_OK);
    CHECK(cp_builder_period(&b, "cpu", "nanoseconds", 10, NULL) == CP_OK);
    CHECK(cp_builder_comment(&b, "hello", 5, NULL) == CP_OK);
    (void)cp_builder_location(&b, 0x10, NULL);
    (void)cp_builder_location(&b, 0x20, NULL);
    CHECK(cp_builder_sample(&b, NULL, 0, values, 0, NULL) == CP_OK);
    CHECK(cp_builder_sample(&b, locs, 2, values + 2, 0, NULL) == CP_OK);
    p = cp_builder_take(&b);
    CHECK(!b.profile && !b.by_address && !b.labels.slots);
    CHECK_INT(p->n_samples, 2);
    CHECK_INT(p->samples[0].n_locs, 0);
    CHECK_INT(p->locations[cp_profile_stack(p, 1)[0]].address, 0x20);
    CHECK_INT(p->values[3], 6);
    CHECK_INT(p->period, 10);
    CHECK_STR(cp_profile_cstr(p, p->comments[0]), "hello");
    cp_profile_free(p);
}

static void test_deep_stack_is_refused(void)
{
    struct cp_builder b = new_builder();
    uint32_t *locs = calloc((size_t)CP_MAX_DEPTH + 1, sizeof(*locs));
    struct cp_error err = { 0 };

    (void)cp_builder_location(&b, 1, NULL);
    CHECK(cp_builder_sample(&b, locs, CP_MAX_DEPTH, NULL, 0, &err) == CP_OK);
    CHECK(cp_builder_sample(&b, locs, CP_MAX_DEPTH + 1, NULL, 0, &err) ==
          CP_EFORMAT);
    CHECK_INT(b.profile->n_samples, 1);
    free(locs);
    cp_builder_release(&b);
}

/* Adds an item of each kind; CP_ENOMEM if an allocation fails. */
static enum cp_status build_all(struct cp_builder *b, struct cp_error *err)
{
    int64_t value = 1;

    if (cp_builder_init(b, err) != CP_OK ||
        cp_builder_type(b, "t", "u", err) != CP_OK)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < 200; i++) {
        struct cp_label label = { i % 8, CP_NONE, 0, i };
        uint32_t set = cp_builder_label_set(b, &label, i % 8 < 1, err);
        uint32_t loc = cp_builder_location(b, i, err);

        if (set == CP_NONE || loc == CP_NONE ||
            cp_builder_line(b, loc, (struct cp_line){ 0 }, err) != CP_OK ||
            cp_builder_function(b, (struct cp_function){ 0 }, err) == CP_NONE ||
            cp_builder_mapping(b, (struct cp_mapping){ 0 }, err) == CP_NONE ||
            cp_builder_comment(b, "c", 1, err) != CP_OK ||
            cp_builder_sample(b, &loc, 1, &value, set, err) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

static void test_every_allocation_may_fail(void)
{
    enum cp_status status = CP_ENOMEM;

    for (long n = 1; n < 1000 && status != CP_OK; n++) {
        struct cp_builder b = { 0 };
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        status = build_all(&b, &err);
        cp_alloc_fail_at(0);
        CHECK(status == CP_OK || err.status == CP_ENOMEM);
        cp_builder_release(&b);
    }
    CHECK_INT(status, CP_OK);
}

int main(void)
{
    RUN(test_ids_count_from_one);
    RUN(test_locations_are_found_again);
    RUN(test_lines_stay_together);
    RUN(test_label_order);
    RUN(test_equal_sets_are_one);
    RUN(test_large_set_is_sorted);
    RUN(test_samples);
    RUN(test_deep_stack_is_refused);
    RUN(test_every_allocation_may_fail);
    return check_failures != 0;
}
