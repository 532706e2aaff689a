/* test_label_table.c - tests src/profile/model/label_table.c. */
#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/label_table.h"
#include "profile/model/profile.h"

#include "check.h"
#include "profile_fixture.h"

static const struct {
    const char *what, *labels, *want;
} orders[] = {
    { "none", "", "\n" },
    { "text before numbers", "a=7B z:t", " z:t a=7B\n" },
    { "by key", "b:1 a:2 ab:3", " a:2 ab:3 b:1\n" },
    { "numbers by key", "b=1 a=2 ab=3x", " a=2 ab=3x b=1\n" },
    { "equal keys stay in order", "k:2 k:1 j:0 k:3", " j:0 k:2 k:1 k:3\n" },
    { "equal numbers stay", "k=5 k=5", " k=5 k=5\n" },
    { "keys compare as bytes", "\xc3\xa9=1 z=2 Z=3", " Z=3 z=2 \xc3\xa9=1\n" },
    { "a key of both kinds", "k=1 k:x k=2", " k:x k=1 k=2\n" },
    { "many", "h:1 g:1 f:1 e:1 d:1 c:1 b:1 a:1 h:2 a:2 d:2",
      " a:1 a:2 b:1 c:1 d:1 d:2 e:1 f:1 g:1 h:1 h:2\n" },
};

static void test_order(void)
{
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        struct profile_row row = { "", { 0, 0 }, orders[i].labels };
        struct cp_profile *p = profile_of(&row, 1);

        check_case(orders[i].what);
        CHECK_STR(profile_text(p) + 3, orders[i].want);
        cp_profile_free(p);
    }
}

static enum cp_status add_many(struct cp_label_table *t, uint32_t n,
                               struct cp_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        struct cp_label labels[] = { { 0, CP_NONE, 0, i },
                                     { 0, CP_NONE, 0, i % 3 } };

        if (cp_label_table_add(t, labels, 1 + i % 2, err) == CP_NONE)
            return CP_ENOMEM;
    }
    return CP_OK;
}

/* The cached order of one set is not used for another. */
static void test_order_of_one_after_another(void)
{
    static const struct profile_row rows[] = {
        { "", { 1, 0 }, "b:1 a:2" },     { "", { 2, 0 }, "b:3 a:4" },
        { "", { 3, 0 }, "a:5 b:6" },     { "", { 4, 0 }, "b=7 a:8" },
        { "", { 5, 0 }, "b:9 a=1" },     { "", { 6, 0 }, "c:1 b:2 a:3" },
        { "", { 7, 0 }, "b:1" },         { "", { 8, 0 }, "c:4 a:5 b:6" },
        { "", { 9, 0 }, "c:7 b:8 a:9" },
    };
    struct cp_profile *p = profile_of(rows, sizeof(rows) / sizeof(rows[0]));

    CHECK_STR(profile_text(p), "1,0 a:2 b:1\n2,0 a:4 b:3\n3,0 a:5 b:6\n"
                               "4,0 a:8 b=7\n5,0 b:9 a=1\n6,0 a:3 b:2 c:1\n"
                               "7,0 b:1\n8,0 a:5 b:6 c:4\n9,0 a:9 b:8 c:7\n");
    cp_profile_free(p);
}

/* Reserving space changes nothing else. */
static void test_expect(void)
{
    struct cp_profile *p = cp_profile_new(NULL);
    struct cp_label_table t;

    CHECK_INT(cp_label_table_init(&t, p, NULL), CP_OK);
    CHECK_INT(cp_label_table_expect(&t, 100, 200, NULL), CP_OK);
    CHECK_INT(add_many(&t, 50, NULL), CP_OK);
    CHECK_INT(cp_label_table_expect(&t, 10, 10, NULL), CP_OK);
    CHECK_INT(add_many(&t, 5000, NULL), CP_OK);
    CHECK_INT(p->n_label_sets, 5001);
    cp_label_table_release(&t);
    cp_profile_free(p);
}

/* The number of a text label does not distinguish sets. */
static void test_text_has_no_number(void)
{
    struct cp_profile *p = cp_profile_new(NULL);
    struct cp_label_table t;
    struct cp_label a = { 0, 0, 0, 0 }, b = { 0, 0, 0, 7 };

    CHECK_INT(cp_label_table_init(&t, p, NULL), CP_OK);
    CHECK_INT(cp_label_table_add(&t, &b, 1, NULL), 1);
    CHECK_INT(cp_label_table_add(&t, &a, 1, NULL), 1);
    CHECK_INT(p->labels[0].num, 0);
    cp_label_table_release(&t);
    cp_profile_free(p);
}

/* Every field of a label distinguishes sets. */
static void test_what_makes_sets_differ(void)
{
    static const struct cp_label labels[] = {
        { 0, CP_NONE, 0, 1 }, { 0, CP_NONE, 0, 2 }, { 0, CP_NONE, 1, 1 },
        { 1, CP_NONE, 0, 1 }, { 0, 0, 0, 0 },       { 0, 1, 0, 0 },
        { 1, 0, 0, 0 },       { 0, CP_NONE, 0, 0 },
    };
    struct cp_profile *p = cp_profile_new(NULL);
    struct cp_label_table t;

    (void)cp_strtab_add(&p->strings, "x", 1, NULL);
    CHECK_INT(cp_label_table_init(&t, p, NULL), CP_OK);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < 8; i++)
            CHECK_INT(cp_label_table_add(&t, &labels[i], 1, NULL), i + 1);
    CHECK_INT(cp_label_table_add(&t, labels, 2, NULL), 9);
    CHECK_INT(cp_label_table_add(&t, labels, 3, NULL), 10);
    CHECK_INT(cp_label_table_add(&t, labels, 0, NULL), 0);
    CHECK_INT(p->n_label_sets, 11);
    cp_label_table_release(&t);
    cp_profile_free(p);
}

/* A second table on the same profile finds the sets of the first. */
static void test_sets_are_found_again(void)
{
    struct cp_profile *p = cp_profile_new(NULL);

    for (int pass = 0; pass < 2; pass++) {
        struct cp_label_table t;
        struct cp_label last = { 0, CP_NONE, 0, 4998 };

        CHECK_INT(cp_label_table_init(&t, p, NULL), CP_OK);
        CHECK_INT(add_many(&t, 5000, NULL), CP_OK);
        CHECK_INT(cp_label_table_add(&t, &last, 1, NULL), 4999);
        CHECK_INT(p->n_label_sets, 5001);
        cp_label_table_release(&t);
    }
    cp_profile_free(p);
}

static void test_memory_runs_out(void)
{
    enum cp_status status = CP_ENOMEM;
    long n = 1;

    for (; n < 1000 && status != CP_OK; n++) {
        struct cp_profile *p = cp_profile_new(NULL);
        struct cp_label_table t = { 0 };
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        status = cp_label_table_init(&t, p, &err);
        if (status == CP_OK)
            status = add_many(&t, 3000, &err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, status);
        cp_label_table_release(&t);
        cp_profile_free(p);
    }
    CHECK_INT(status, CP_OK);
    CHECK(n > 10);
}

int main(void)
{
    RUN(test_order);
    RUN(test_order_of_one_after_another);
    RUN(test_expect);
    RUN(test_text_has_no_number);
    RUN(test_what_makes_sets_differ);
    RUN(test_sets_are_found_again);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
