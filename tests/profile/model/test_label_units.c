/* test_label_units.c - tests src/profile/model/label_units.c. */
#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/label_units.h"
#include "profile/model/profile.h"

#include "check.h"
#include "profile_fixture.h"

static const struct {
    const char *what, *labels[3];
    const char *key, *unit; /* unit NULL: the key has no numbers */
    const char *warnings;
} cases[] = {
    { "a unit", { "k=1bytes" }, "k", "bytes", "" },
    { "none: the key is the unit", { "foo=1" }, "foo", "foo", "" },
    { "key bytes", { "bytes=32" }, "bytes", "bytes", "" },
    { "alignment is bytes", { "alignment=8" }, "alignment", "bytes", "" },
    { "request is bytes", { "request=8" }, "request", "bytes", "" },
    { "request in another unit", { "request=8kb" }, "request", "kb", "" },
    { "the first that there is", { "k=1", "k=1ms" }, "k", "ms", "" },
    { "none beside one is no conflict", { "k=1ms", "k=1" }, "k", "ms", "" },
    { "the first wins",
      { "sz=1bytes", "sz=7kilobytes" },
      "sz",
      "bytes",
      "For tag sz used unit bytes, also encountered unit(s) kilobytes;" },
    { "others by name, each once",
      { "k=1d k=1c k=1b", "k=1c", "k=1a k=1d" },
      "k",
      "d",
      "For tag k used unit d, also encountered unit(s) a, b, c;" },
    { "a line for each key",
      { "z=1a b=1a", "b=1c z=1b" },
      "z",
      "a",
      "For tag b used unit a, also encountered unit(s) c;"
      "For tag z used unit a, also encountered unit(s) b;" },
    { "text is not asked", { "k:bytes" }, "k", NULL, "" },
    { "text beside a number", { "k:text k=1s" }, "k", "s", "" },
};

static const char *joined(const struct cp_label_units *u)
{
    static char text[512];
    struct profile_writer w = { text, 0, sizeof(text) };

    text[0] = '\0';
    for (uint32_t i = 0; i < u->n_warnings; i++)
        profile_put(&w, "%s;", u->warnings[i]);
    return text;
}

static struct cp_profile *profile_with(const char *const labels[3])
{
    struct profile_row rows[3];

    for (size_t i = 0; i < 3; i++)
        rows[i] =
            (struct profile_row){ labels[i] ? "m" : NULL, { 1, 1 }, labels[i] };
    return profile_of(rows, 3);
}

static void test_units(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_profile *p = profile_with(cases[i].labels);
        struct cp_label_units u;
        uint32_t key;

        check_case(cases[i].what);
        CHECK_INT(cp_label_units_init(&u, p, NULL), CP_OK);
        key = cp_strtab_find(&p->strings, cases[i].key, strlen(cases[i].key));
        if (CHECK_INT(u.unit[key] == CP_NONE, !cases[i].unit) && cases[i].unit)
            CHECK_STR(cp_profile_cstr(p, u.unit[key]), cases[i].unit);
        CHECK_STR(joined(&u), cases[i].warnings);
        cp_label_units_release(&u);
        CHECK(!u.unit && !u.warnings && !u.n_warnings);
        cp_profile_free(p);
    }
}

static void test_memory_runs_out(void)
{
    static const char *const labels[] = { "z=1a b=1a", "b=1c z=1b",
                                          "alignment=3" };
    enum cp_status status = CP_ENOMEM;

    for (long n = 1; n < 100 && status != CP_OK; n++) {
        struct cp_profile *p = profile_with(labels);
        struct cp_label_units u = { 0 };
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        status = cp_label_units_init(&u, p, &err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, status);
        CHECK(status != CP_OK || u.n_warnings == 2);
        cp_label_units_release(&u);
        cp_profile_free(p);
    }
    CHECK_INT(status, CP_OK);
}

int main(void)
{
    RUN(test_units);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
