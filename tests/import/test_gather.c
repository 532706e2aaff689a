/* test_gather.c - tests src/import/gather.c. */
#include "base/alloc.h"
#include "base/index.h"
#include "import/gather.h"

#include "check.h"

static struct cp_text text(const char *cstr)
{
    return cp_text_of(cstr, strlen(cstr));
}

/* Returns the stack of functions with these one-letter names. */
static uint32_t stack(struct cp_gather *g, const char *letters)
{
    uint32_t node = CP_GATHER_ROOT;

    for (; *letters && node != CP_NONE; letters++) {
        uint32_t location = cp_gather_named(g, cp_text_of(letters, 1), NULL);

        node = location == CP_NONE ? CP_NONE
                                   : cp_gather_call(g, node, location, NULL);
    }
    return node;
}

static void test_sums(void)
{
    struct cp_gather g;
    struct cp_profile *p;
    uint32_t a, b, row;

    CHECK(cp_gather_init(&g, 100, NULL) == CP_OK);
    a = cp_gather_column(&g, text("samples"), "count", NULL);
    b = cp_gather_column(&g, text("time"), "nanoseconds", NULL);
    CHECK(a == 0 && b == 1);
    CHECK_INT(cp_gather_column(&g, text("time"), "nanoseconds", NULL), 1);
    row = cp_gather_row(&g, stack(&g, "xyz"), 0, NULL);
    CHECK(cp_gather_add(&g, row, a, 2, NULL) == CP_OK);
    CHECK(cp_gather_add_real(&g, row, b, 0.4, NULL) == CP_OK);
    CHECK(cp_gather_row(&g, stack(&g, "xy"), 0, NULL) != row);
    CHECK_INT(cp_gather_row(&g, stack(&g, "xyz"), 0, NULL), row);
    CHECK(cp_gather_add(&g, row, a, 3, NULL) == CP_OK);
    CHECK(cp_gather_add_real(&g, row, b, 10.3, NULL) == CP_OK);
    p = cp_gather_take(&g, NULL);
    if (!CHECK(p))
        return;
    CHECK_INT(p->n_samples, 2);
    CHECK_INT(p->n_functions, 3);
    CHECK_INT(p->samples[0].n_locs, 3);
    CHECK_INT(p->values[0], 5);
    CHECK_INT(p->values[1], 11);
    CHECK_INT(p->values[2], 0);
    CHECK_STR(
        cp_profile_cstr(
            p, p->functions[p->lines[p->locations[p->locs[0]].lines].function]
                   .name),
        "z");
    cp_profile_free(p);
}

static void test_locations(void)
{
    struct cp_gather g;
    struct cp_gather_frame f = { .mapping = CP_NONE, .line = 3 };
    uint32_t first;

    CHECK(cp_gather_init(&g, 100, NULL) == CP_OK);
    f.function = cp_gather_function(&g, text("f"), text("f.c"), 1, NULL);
    CHECK_INT(cp_gather_function(&g, text("f"), text("f.c"), 1, NULL),
              f.function);
    CHECK(cp_gather_function(&g, text("f"), text("g.c"), 1, NULL) !=
          f.function);
    first = cp_gather_frame(&g, &f, NULL);
    CHECK_INT(cp_gather_frame(&g, &f, NULL), first);
    f.line = 4;
    CHECK(cp_gather_frame(&g, &f, NULL) != first);
    f = (struct cp_gather_frame){ CP_NONE, CP_NONE, 16, 0, 0 };
    first = cp_gather_frame(&g, &f, NULL);
    CHECK_INT(cp_gather_frame(&g, &f, NULL), first);
    f.mapping = cp_gather_mapping(&g, text("/bin/x"), text("ab"), NULL);
    CHECK_INT(cp_gather_mapping(&g, text("/bin/x"), text("ab"), NULL),
              f.mapping);
    CHECK(cp_gather_frame(&g, &f, NULL) != first);
    cp_gather_release(&g);
}

static void test_text(void)
{
    struct cp_gather g;
    uint32_t id;

    CHECK(cp_gather_init(&g, 100, NULL) == CP_OK);
    id = cp_gather_str(&g,
                       text("a\xff"
                            "b\xc3\xa9\xe2"),
                       NULL);
    CHECK_STR(cp_profile_cstr(g.b.profile, id), "a\xef\xbf\xbd"
                                                "b\xc3\xa9\xef\xbf\xbd");
    CHECK_INT(cp_gather_str(&g, text(""), NULL), 0);
    cp_gather_release(&g);
}

static void test_limits(void)
{
    struct cp_gather g;
    struct cp_error err = { 0 };
    uint32_t node = CP_GATHER_ROOT, location, row = 0, n;
    char name[16];

    CHECK(cp_gather_init(&g, 100, NULL) == CP_OK);
    for (n = 0; n < CP_GATHER_COLUMNS; n++) {
        snprintf(name, sizeof(name), "c%u", n);
        CHECK_INT(cp_gather_column(&g, text(name), "count", NULL), n);
    }
    CHECK(cp_gather_column(&g, text("one more"), "count", &err) == CP_NONE);
    CHECK_STR(err.msg, "more than 64 sample types");
    CHECK(cp_gather_add_real(&g, cp_gather_row(&g, 0, 0, NULL), 0, 1e300,
                             &err) == CP_EFORMAT);
    cp_gather_release(&g);

    CHECK(cp_gather_init(&g, 100, NULL) == CP_OK);
    location = cp_gather_named(&g, text("f"), NULL);
    for (n = 0; n < 6000 && row != CP_NONE; n++) {
        node = cp_gather_call(&g, node, location, NULL);
        row = cp_gather_row(&g, node, 0, NULL);
    }
    CHECK(!cp_gather_take(&g, &err));
    CHECK_STR(err.msg, "the samples expand to 18003000 frames or values, too "
                       "many for a file of this size");
}

static struct cp_profile *small(struct cp_error *err)
{
    struct cp_gather g;
    struct cp_profile *p = NULL;
    uint32_t column, location, node, row;

    if (cp_gather_init(&g, 100, err) != CP_OK)
        return NULL;
    column = cp_gather_column(&g, text("n"), "count", err);
    location = cp_gather_named(&g, text("f\xff"), err);
    if (column != CP_NONE && location != CP_NONE) {
        node = cp_gather_call(&g, CP_GATHER_ROOT, location, err);
        row = node == CP_NONE ? CP_NONE : cp_gather_row(&g, node, 0, err);
        if (row != CP_NONE && cp_gather_add(&g, row, column, 1, err) == CP_OK)
            p = cp_gather_take(&g, err);
    }
    cp_gather_release(&g);
    return p;
}

static void test_memory_runs_out(void)
{
    struct cp_profile *p = NULL;

    for (long n = 1; n < 100 && !p; n++) {
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        p = small(&err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, p ? CP_OK : CP_ENOMEM);
    }
    CHECK(p != NULL);
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_sums);
    RUN(test_locations);
    RUN(test_text);
    RUN(test_limits);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
