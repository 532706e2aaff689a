/* test_shell_complete.c - tests src/tool/pprof/shell_complete.c. */
#include "base/out.h"
#include "profile/model/profile.h"
#include "tool/cli/candidates.h"
#include "tool/pprof/shell_complete.h"

#include "check.h"
#include "profile_fixture.h"

static const struct profile_row rows[] = {
    { "main.main|main.(*T).Run", { 1, 10 }, NULL },
    { "main.main|main.work", { 1, 10 }, NULL },
    { "main.main|operator new(unsigned long)", { 1, 10 }, NULL },
    { NULL, { 0, 0 }, NULL },
};

static const struct {
    const char *name, *before, *begin;
    bool goes_on;
    const char *text; /* expected candidates, separated by commas */
} cases[] = {
    { "a report", "", "flam", true, "flamegraph" },
    { "blanks before it", "  ", "flam", true, "flamegraph" },
    { "an option", "", "granu", true, "granularity" },
    { "our own", "", "rel", true, "relative_percentages,reload" },
    { "nothing", "", "nosuch", true, "" },
    { "a choice", "", "sort=", true, "sort=cum,sort=flat" },
    { "a part of one", "", "granularity=fil", true,
      "granularity=filefunctions,granularity=files" },
    { "a sample type", "", "sample_index=c", true, "sample_index=cpu" },
    { "a function as a value", "", "focus=main.w", true, "focus=main.work" },
    { "another value", "", "unit=m", true, "" },
    { "help", "help ", "flam", true, "flamegraph" },
    { "a function", "top ", "main.w", true, "main.work" },
    { "several", "top ", "main.", true,
      "main.\\(\\*T\\).Run,main.main,main.work" },
    { "letters that mean something", "top ", "main.(*", true,
      "main.\\(\\*T\\).Run" },
    { "as they are completed", "top ", "main.\\(\\*T", true,
      "main.\\(\\*T\\).Run" },
    { "blanks in a name", "top ", "operator", true,
      "operator\\snew\\(unsigned\\slong\\)" },
    { "and on", "top ", "operator\\snew", true,
      "operator\\snew\\(unsigned\\slong\\)" },
    { "an ignored one", "top ", "-main.w", true, "-main.work" },
    { "a part of a name", "top ", "Run", false, "main.\\(\\*T\\).Run" },
    { "no letter yet", "top ", "", true, "" },
};

static void test_complete(void)
{
    struct cp_profile *p = profile_of(rows, 3);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_candidates c = { 0 };
        struct cp_out out = { .fd = -1 };

        check_case(cases[i].name);
        CHECK(cp_shell_complete(p, cases[i].before, cases[i].begin, &c) ==
              cases[i].goes_on);
        cp_candidates_sort(&c);
        for (size_t k = 0; k < c.n; k++) {
            cp_out_cstr(&out, k ? "," : "");
            cp_out_cstr(&out, c.items[k]);
        }
        cp_out_char(&out, '\0');
        CHECK_STR(out.buf, cases[i].text);
        cp_out_release(&out);
        cp_candidates_release(&c);
    }
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_complete);
    return check_failures != 0;
}
