/* test_line_adder.c - tests src/profile/model/line_adder.c. */
#include "base/alloc.h"
#include "profile/model/build.h"
#include "profile/model/line_adder.h"

#include <stdio.h>

#include "check.h"

/* Three locations; the first has a line. */
static struct cp_profile *make_profile(void)
{
    struct cp_builder b = { 0 };
    struct cp_function f = { 0 };
    uint32_t first;

    if (cp_builder_init(&b, NULL) != CP_OK)
        return NULL;
    f.name = cp_builder_str(&b, "old", 3, NULL);
    first = cp_builder_location(&b, 0x10, NULL);
    (void)cp_builder_location(&b, 0x20, NULL);
    (void)cp_builder_location(&b, 0x30, NULL);
    (void)cp_builder_line(
        &b, first,
        (struct cp_line){ .function = cp_builder_function(&b, f, NULL) }, NULL);
    return cp_builder_take(&b);
}

static void test_set(void)
{
    static const struct cp_line_frame frames[] = {
        { "inner", "/a.c", 3, 7, 1 }, { "outer", "/b.c", 9, 0, 5 },
        { "inner", "/a.c", 4, 0, 1 }, { "inner", "/other.c", 4, 0, 1 },
        { NULL, NULL, 0, 0, 0 },
    };
    struct cp_profile *p = make_profile();
    struct cp_line_adder a;

    if (!CHECK(p && cp_line_adder_init(&a, p, NULL) == CP_OK))
        return;
    CHECK_INT(cp_line_adder_set(&a, 1, frames, 2, NULL), CP_OK);
    CHECK_INT(cp_line_adder_set(&a, 2, frames + 2, 3, NULL), CP_OK);
    cp_line_adder_release(&a);
    CHECK_INT(p->n_functions, 5); /* one old and four new functions */
    CHECK_INT(p->locations[0].n_lines, 1);
    CHECK_INT(p->locations[1].n_lines, 2);
    const struct cp_line *lines = p->lines + p->locations[1].lines;
    CHECK_STR(cp_profile_cstr(p, p->functions[lines[0].function].name),
              "inner");
    CHECK_STR(cp_profile_cstr(p, p->functions[lines[1].function].filename),
              "/b.c");
    CHECK_INT(lines[0].line, 3);
    CHECK_INT(lines[0].column, 7);
    CHECK_INT(p->functions[lines[1].function].start_line, 5);
    const struct cp_line *more = p->lines + p->locations[2].lines;
    CHECK_INT(more[0].function, lines[0].function);
    CHECK(more[1].function != lines[0].function);
    CHECK_INT(p->functions[more[2].function].name, 0);
    for (uint32_t i = 0; i < p->n_functions; i++)
        CHECK_INT(p->functions[i].id, i + 1);
    cp_profile_free(p);
}

static void test_replace(void)
{
    static const struct cp_line_frame frame = { "new", NULL, 1, 0, 0 };
    struct cp_profile *p = make_profile();
    struct cp_line_adder a;

    if (!CHECK(p && cp_line_adder_init(&a, p, NULL) == CP_OK))
        return;
    CHECK_INT(cp_line_adder_set(&a, 0, &frame, 1, NULL), CP_OK);
    cp_line_adder_release(&a);
    CHECK_INT(p->locations[0].n_lines, 1);
    CHECK_STR(
        cp_profile_cstr(
            p, p->functions[p->lines[p->locations[0].lines].function].name),
        "new");
    cp_profile_free(p);
}

/* Enough functions for the table to grow. */
static void test_many(void)
{
    struct cp_profile *p = make_profile();
    struct cp_line_adder a;
    char name[16];
    struct cp_line_frame frame = { .function = name };

    if (!CHECK(p && cp_line_adder_init(&a, p, NULL) == CP_OK))
        return;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 5000; i++) {
            (void)snprintf(name, sizeof(name), "f%d", i);
            CHECK(cp_line_adder_set(&a, 1, &frame, 1, NULL) == CP_OK);
        }
    cp_line_adder_release(&a);
    CHECK_INT(p->n_functions, 5001);
    cp_profile_free(p);
}

/* After any allocation failure the profile is still valid. */
static void test_no_memory(void)
{
    static const struct cp_line_frame frame = { "f", "g", 1, 0, 0 };

    for (long n = 1; n < 8; n++) {
        struct cp_profile *p = make_profile();
        struct cp_line_adder a;
        struct cp_error err = { 0 };

        if (!CHECK(p != NULL))
            return;
        cp_alloc_fail_at(n);
        if (cp_line_adder_init(&a, p, &err) == CP_OK) {
            if (cp_line_adder_set(&a, 1, &frame, 1, &err) != CP_OK)
                CHECK_INT(p->locations[1].n_lines, 0);
            cp_line_adder_release(&a);
        }
        cp_alloc_fail_at(0);
        CHECK(err.status == CP_OK || err.status == CP_ENOMEM);
        cp_profile_free(p);
    }
}

int main(void)
{
    RUN(test_set);
    RUN(test_replace);
    RUN(test_many);
    RUN(test_no_memory);
    return check_failures != 0;
}
