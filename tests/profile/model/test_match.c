/* test_match.c - tests src/profile/model/match.c. */
#include "base/alloc.h"
#include "profile/model/match.h"
#include "profile/model/profile.h"
#include "regex/regex.h"

#include "check.h"
#include "profile_fixture.h"

static const struct profile_row rows[] = {
    { "main@a.c!prog|f(int)@b.c|!lib.so|?", { 1, 1 }, "" },
};

static const struct {
    const char *what, *pattern;
    bool is_simplified;
    const char *lines; /* y or n for main, f; then mappings prog, none */
    const char *mappings;
} cases[] = {
    { "by name", "main", false, "yn", "nnn" },
    { "by file", "b\\.c$", false, "ny", "nnn" },
    { "by mapping", "prog|lib", false, "nn", "yny" },
    { "anything", "", false, "yy", "yny" },
    { "arguments", "int", false, "ny", "nnn" },
    { "no arguments", "int", true, "nn", "nnn" },
    { "end of a simplified name", "^f$", true, "ny", "nnn" },
};

static void test_answers(void)
{
    struct cp_profile *p = profile_of(rows, 1);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_regex *re =
            cp_regex_new(cases[i].pattern, strlen(cases[i].pattern), NULL);
        struct cp_match m;

        check_case(cases[i].what);
        CHECK_INT(cp_match_init(&m, re, p, NULL), CP_OK);
        m.is_simplified = cases[i].is_simplified;
        for (int pass = 0; pass < 2; pass++) { /* matched, then cached */
            /* leaf first: ?, !lib.so, f, main */
            const struct cp_location *l = p->locations;

            CHECK_INT(cp_match_line(&m, p, &p->lines[l[3].lines]),
                      cases[i].lines[0] == 'y');
            CHECK_INT(cp_match_line(&m, p, &p->lines[l[2].lines]),
                      cases[i].lines[1] == 'y');
            CHECK_INT(cp_match_mapping(&m, p, &l[3]),
                      cases[i].mappings[0] == 'y');
            CHECK_INT(cp_match_mapping(&m, p, &l[2]),
                      cases[i].mappings[1] == 'y');
            CHECK_INT(cp_match_mapping(&m, p, &l[1]),
                      cases[i].mappings[2] == 'y');
        }
        cp_match_release(&m);
        CHECK(!m.results && !m.re);
        cp_regex_free(re);
    }
    cp_profile_free(p);
}

static void test_string_is_asked_once(void)
{
    struct cp_profile *p = profile_of(rows, 1);
    struct cp_regex *re = cp_regex_new("main", 4, NULL);
    uint32_t id = cp_strtab_find(&p->strings, "main", 4);
    struct cp_match m;

    CHECK_INT(cp_match_init(&m, re, p, NULL), CP_OK);
    CHECK_INT(m.results[id], 0);
    CHECK(cp_match_string(&m, p, id));
    CHECK_INT(m.results[id], 2);
    CHECK(!cp_match_string(&m, p, 0));
    CHECK_INT(m.results[0], 1);
    m.results[id] = 1;
    CHECK(!cp_match_string(&m, p, id));
    cp_match_release(&m);
    cp_regex_free(re);
    cp_profile_free(p);
}

static void test_no_expression(void)
{
    struct cp_profile *p = profile_of(rows, 1);
    struct cp_match m;

    CHECK_INT(cp_match_init(&m, NULL, p, NULL), CP_OK);
    CHECK(!m.re && !m.results);
    cp_match_release(&m);
    cp_profile_free(p);
}

static void test_memory_runs_out(void)
{
    struct cp_profile *p = profile_of(rows, 1);
    struct cp_regex *re = cp_regex_new("x", 1, NULL);
    struct cp_error err = { 0 };
    struct cp_match m;

    cp_alloc_fail_at(1);
    CHECK_INT(cp_match_init(&m, re, p, &err), CP_ENOMEM);
    CHECK_INT(err.status, CP_ENOMEM);
    cp_match_release(&m);
    cp_regex_free(re);
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_answers);
    RUN(test_string_is_asked_once);
    RUN(test_no_expression);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
