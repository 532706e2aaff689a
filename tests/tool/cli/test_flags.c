/* test_flags.c - tests src/tool/cli/flags.c. */
#include "base/out.h"
#include "tool/cli/flags.h"

#include "check.h"

static const struct {
    const char *name;
    bool needs_value;
} known[] = {
    { "top", false },
    { "text", false },
    { "peek", true },
    { "list", true },
    { "proto", false },
    { "json", false },
    { "sample_index", true },
    { "mean_delay", false },
    { "divide_by", true },
    { "focus", true },
    { "tagroot", true },
    { "functions", false },
    { "cum", false },
    { "nodecount", true },
    { "nodefraction", true },
    { "trim", false },
    { "output", true },
    { "base", true },
    { "diff_base", true },
    { "normalize", false },
    { "seconds", true },
    { "http", true },
    { "no_browser", false },
    { "disasm", true },
    { "h", false },
    { "help", false },
    { "intel_syntax", false },
    { "symbolize", true },
};

static void test_find(void)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const char *name = known[i].name;
        const struct cp_flag *f = cp_flag_find(name, strlen(name));

        check_case(name);
        if (!CHECK(f))
            continue;
        CHECK_STR(f->name, name);
        CHECK_INT(cp_flag_needs_value(f), known[i].needs_value);
    }
    check_case("unknown names");
    CHECK(!cp_flag_find("", 0));
    CHECK(!cp_flag_find("to", 2));
    CHECK(!cp_flag_find("tops", 4));
    CHECK(!cp_flag_find("TOP", 3));
    CHECK(cp_flag_find("topmost", 3));
    CHECK(!cp_flag_find("-top", 4));
}

static void test_place(void)
{
    struct cp_command c = { .comment = "said" };
    const struct cp_flag *comment = cp_flag_find("add_comment", 11);
    const struct cp_flag *count = cp_flag_find("nodecount", 9);

    if (!CHECK(comment) || !CHECK(count))
        return;
    CHECK_STR(*(const char **)cp_flag_target(comment, &c), "said");
    *(int *)cp_flag_target(count, &c) = 12;
    CHECK_INT(c.options.node_count, 12);
}

/* Every help line is short, and every flag in it exists. */
static void test_help(void)
{
    struct cp_out out = { .fd = -1 };
    char *save = NULL;
    int n_flags = 0;

    cp_flag_help(&out);
    cp_out_char(&out, '\0');
    for (char *line = strtok_r(out.buf, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        CHECK(strlen(line) <= 80);
        if (strncmp(line, "  -", 3) != 0)
            continue;
        n_flags++;
        CHECK(cp_flag_find(line + 3, strcspn(line + 3, "= ")));
    }
    CHECK(n_flags > 70);
    cp_out_release(&out);
}

int main(void)
{
    RUN(test_find);
    RUN(test_place);
    RUN(test_help);
    return check_failures != 0;
}
