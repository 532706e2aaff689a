/* test_filter_names.c - tests src/profile/transform/filter_names.c. */
#include "base/alloc.h"
#include "profile/model/profile.h"
#include "profile/transform/filter_names.h"
#include "regex/regex.h"

#include "check.h"
#include "profile_fixture.h"

static const struct profile_row rows[] = {
    { "main@m.c|a@a.c|b@b.c", { 1, 1 }, "" },
    { "main@m.c|a@a.c~c@c.c|d", { 2, 2 }, "" },
    { "main@m.c|x!lib|y!lib", { 3, 3 }, "" },
    { "main@m.c|!lib", { 4, 4 }, "" },
    { "main@m.c|?", { 5, 5 }, "" },
    { "", { 6, 6 }, "" },
};
#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

#define ROW1 "1,1 main@m.c|a@a.c|b@b.c\n"
#define ROW2 "2,2 main@m.c|a@a.c~c@c.c|d\n"
#define ROW3 "3,3 main@m.c|x!lib|y!lib\n"
#define ROW4 "4,4 main@m.c|!lib\n"
#define ROW5 "5,5 main@m.c|?\n"

/* `matched` has the flags of focus, ignore, hide and show, in that order. */
static const struct {
    const char *what, *focus, *ignore, *hide, *show;
    const char *matched, *want;
} cases[] = {
    { "nothing", NULL, NULL, NULL, NULL, "ynnn",
      ROW1 ROW2 ROW3 ROW4 ROW5 "6,6\n" },
    { "focus on a name", "^b$", NULL, NULL, NULL, "ynnn", ROW1 },
    { "focus on a file", "c\\.c", NULL, NULL, NULL, "ynnn", ROW2 },
    { "focus on an inlined name", "^c$", NULL, NULL, NULL, "ynnn", ROW2 },
    { "focus on a mapping", "^lib$", NULL, NULL, NULL, "ynnn", ROW3 ROW4 },
    { "focus on nothing there", "zzz", NULL, NULL, NULL, "nnnn", "" },
    { "focus on all drops empty stacks", "", NULL, NULL, NULL, "ynnn",
      ROW1 ROW2 ROW3 ROW4 ROW5 },
    { "focus is not anchored", "ai", NULL, NULL, NULL, "ynnn",
      ROW1 ROW2 ROW3 ROW4 ROW5 },
    { "ignore a name", NULL, "^a$", NULL, NULL, "yynn", ROW3 ROW4 ROW5 },
    { "ignore a mapping", NULL, "lib", NULL, NULL, "yynn", ROW1 ROW2 ROW5 },
    { "ignore nothing there", NULL, "zzz", NULL, NULL, "ynnn",
      ROW1 ROW2 ROW3 ROW4 ROW5 },
    { "ignore all", NULL, "main", NULL, NULL, "yynn", "" },
    { "ignore wins over focus", "^a$", "^b$", NULL, NULL, "yynn", ROW2 },
    { "ignored locations are not in focus", "^a$", "a\\.c", NULL, NULL, "nynn",
      "" },
    { "hide a name", NULL, NULL, "^a$", NULL, "ynyn",
      "1,1 main@m.c|b@b.c\n2,2 main@m.c|c@c.c|d\n" ROW3 ROW4 ROW5 },
    { "hide a file", NULL, NULL, "c\\.c", NULL, "ynyn",
      ROW1 "2,2 main@m.c|a@a.c|d\n" ROW3 ROW4 ROW5 },
    { "hide a mapping", NULL, NULL, "lib", NULL, "ynyn",
      ROW1 ROW2 "3,3 main@m.c\n4,4 main@m.c\n" ROW5 },
    { "what becomes empty goes", NULL, NULL, "main|lib", NULL, "ynyn",
      "1,1 a@a.c|b@b.c\n2,2 a@a.c~c@c.c|d\n5,5 ?\n" },
    { "hide nothing there", NULL, NULL, "zzz", NULL, "ynnn",
      ROW1 ROW2 ROW3 ROW4 ROW5 },
    { "show a name", NULL, NULL, NULL, "^(main|d)$", "ynny",
      "1,1 main@m.c\n2,2 main@m.c|d\n3,3 main@m.c\n4,4 main@m.c\n"
      "5,5 main@m.c\n" },
    { "show an inlined name", NULL, NULL, NULL, "^c$", "ynny", "2,2 c@c.c\n" },
    { "show a mapping, not what has no lines", NULL, NULL, NULL, "lib", "ynny",
      "3,3 x!lib|y!lib\n" },
    { "show nothing there", NULL, NULL, NULL, "zzz", "ynnn", "" },
    { "show what is not hidden", NULL, NULL, "^b$", "^(a|b)$", "ynyy",
      "1,1 a@a.c\n2,2 a@a.c\n" },
    { "focus sees what is hidden", "^b$", NULL, "^b$", NULL, "ynyn",
      "1,1 main@m.c|a@a.c\n" },
    { "all together", "^(b|d|x)$", "^y$", "^c$", "\\.c$|^d$", "yyyy",
      "1,1 main@m.c|a@a.c|b@b.c\n2,2 main@m.c|a@a.c|d\n" },
};

static struct cp_regex *regex(const char *pattern)
{
    return pattern ? cp_regex_new(pattern, strlen(pattern), NULL) : NULL;
}

static void free_all(struct cp_name_filter *f)
{
    cp_regex_free(f->focus);
    cp_regex_free(f->ignore);
    cp_regex_free(f->hide);
    cp_regex_free(f->show);
}

static void test_filters(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_profile *p = profile_of(rows, N_ROWS);
        struct cp_name_filter f = { .focus = regex(cases[i].focus),
                                    .ignore = regex(cases[i].ignore),
                                    .hide = regex(cases[i].hide),
                                    .show = regex(cases[i].show) };

        check_case(cases[i].what);
        CHECK_INT(cp_filter_names(p, &f, NULL), CP_OK);
        CHECK_STR(profile_text(p), cases[i].want);
        CHECK_INT(f.focus_matched, cases[i].matched[0] == 'y');
        CHECK_INT(f.ignore_matched, cases[i].matched[1] == 'y');
        CHECK_INT(f.hide_matched, cases[i].matched[2] == 'y');
        CHECK_INT(f.show_matched, cases[i].matched[3] == 'y');
        free_all(&f);
        cp_profile_free(p);
    }
}

static const struct {
    const char *what, *pattern;
    bool matched;
    const char *want;
} from[] = {
    { "the root", "main", true, ROW1 ROW2 ROW3 ROW4 ROW5 },
    { "a name", "^a$", true, "1,1 a@a.c|b@b.c\n2,2 a@a.c~c@c.c|d\n" },
    { "an inlined name", "^c$", true, "2,2 c@c.c|d\n" },
    { "the outermost match", "^(a|b|c)$", true,
      "1,1 a@a.c|b@b.c\n2,2 a@a.c~c@c.c|d\n" },
    { "a mapping", "lib", true, "3,3 x!lib|y!lib\n4,4 !lib\n" },
    { "the leaf", "^d$", true, "2,2 d\n" },
    { "nothing there", "zzz", false, "" },
};

static void test_show_from(void)
{
    for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
        struct cp_profile *p = profile_of(rows, N_ROWS);
        struct cp_regex *re = regex(from[i].pattern);
        bool matched = !from[i].matched;

        check_case(from[i].what);
        CHECK_INT(cp_filter_show_from(p, re, &matched, NULL), CP_OK);
        CHECK_STR(profile_text(p), from[i].want);
        CHECK_INT(matched, from[i].matched);
        cp_regex_free(re);
        cp_profile_free(p);
    }
}

static void test_keep(void)
{
    static const bool keep[] = { false, true, false, true, false, true };
    struct cp_profile *p = profile_of(rows, N_ROWS);

    cp_filter_keep(p, keep);
    CHECK_STR(profile_text(p), ROW2 ROW4 "6,6\n");
    cp_profile_free(p);
}

static void test_memory_runs_out(void)
{
    enum cp_status status = CP_ENOMEM;

    for (long n = 1; n < 100 && status != CP_OK; n++) {
        struct cp_profile *p = profile_of(rows, N_ROWS);
        struct cp_name_filter f = { .focus = regex("main"),
                                    .ignore = regex("zzz"),
                                    .hide = regex("^a$"),
                                    .show = regex("") };
        struct cp_error err = { 0 };
        bool matched;

        cp_alloc_fail_at(n);
        status = cp_filter_names(p, &f, &err);
        if (status == CP_OK)
            status = cp_filter_show_from(p, f.focus, &matched, &err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, status);
        free_all(&f);
        cp_profile_free(p);
    }
    CHECK_INT(status, CP_OK);
}

int main(void)
{
    RUN(test_filters);
    RUN(test_show_from);
    RUN(test_keep);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
