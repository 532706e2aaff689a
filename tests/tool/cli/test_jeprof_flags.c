/* test_jeprof_flags.c - tests src/tool/cli/jeprof_flags.c. */
#include "tool/cli/flags.h"
#include "tool/cli/jeprof_flags.h"

#include "check.h"

static const struct {
    const char *name;
    const char *want; /* the flag, or NULL for none */
    bool is_own;
} names[] = {
    { "show_bytes", "show_bytes", true },
    { "raw", "raw", true },
    { "text", "text", false },
    { "show", "show", false },
    { "show_b", "show_bytes", true },
    { "coll", "collapsed", true },
    { "nodec", "nodecount", false },
    { "maxd", "maxdegree", false },
    { "node", NULL, false },
    { "ra", "raw", true },
    { "inuse", NULL, false },
    { "weblis", "weblist", false },
    { "htt", "http", false },
    { "nosuch", NULL, false },
    { "", NULL, false },
    { "no-auto-signal-frm", "no-auto-signal-frm", true },
};

static bool is_own(const struct cp_flag *f)
{
    for (size_t i = 0; cp_jeprof_flag_at(i); i++)
        if (cp_jeprof_flag_at(i) == f)
            return true;
    return false;
}

static void test_find(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct cp_flag *f =
            cp_jeprof_flag_find(names[i].name, strlen(names[i].name));

        check_case(names[i].name);
        CHECK_STR(f ? f->name : NULL, names[i].want);
        CHECK_INT(f && is_own(f), names[i].is_own);
    }
}

static void test_apart_from_pprof(void)
{
    CHECK(!cp_flag_find("show_bytes", 10));
    CHECK(!cp_flag_find("collapsed", 9));
}

static void test_command(void)
{
    const char *argv[] = { "jeprof",   "--text", "--show_bytes", "--thread=3",
                           "--retain", "x",      "bin",          "dump" };
    struct cp_command c;

    if (!CHECK_INT(cp_command_init_jeprof(&c, 8, argv, NULL), CP_OK))
        return;
    CHECK_INT(c.options.style, CP_STYLE_JEPROF);
    CHECK_INT(c.options.max_degree, CP_JEPROF_DEGREE);
    CHECK(c.options.show_bytes);
    CHECK_STR(c.options.thread, "3");
    CHECK_STR(c.options.show, "x");
    CHECK_INT((long long)c.sources.n, 2);
    cp_command_release(&c);
}

int main(void)
{
    RUN(test_find);
    RUN(test_apart_from_pprof);
    RUN(test_command);
    return check_failures != 0;
}
