/* test_candidates.c - tests src/tool/cli/candidates.c. */
#include "base/out.h"
#include "tool/cli/candidates.h"
#include "tool/cli/prompt.h"

#include "check.h"

static struct cp_candidates make(const char *const *texts)
{
    struct cp_candidates c = { 0 };

    for (; *texts; texts++)
        cp_candidates_add(&c, *texts);
    cp_candidates_sort(&c);
    return c;
}

static const struct {
    const char *name;
    const char *texts[6];
    size_t n, common;
} lists[] = {
    { "none", { NULL }, 0, 0 },
    { "one", { "top", NULL }, 1, 3 },
    { "the same twice", { "top", "top", NULL }, 1, 3 },
    { "several", { "trim_path", "tree", "trim", "traces", NULL }, 4, 2 },
    { "nothing in common", { "a", "b", NULL }, 2, 0 },
    { "one begins the other", { "trim_path", "trim", NULL }, 2, 4 },
    { "parts of a letter", { "\xc3\xa4", "\xc3\xb6", NULL }, 2, 0 },
};

static void test_common(void)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        struct cp_candidates c = make(lists[i].texts);

        check_case(lists[i].name);
        CHECK_INT(c.n, lists[i].n);
        CHECK_INT(cp_candidates_common(&c), lists[i].common);
        cp_candidates_release(&c);
    }
}

static const struct {
    const char *name;
    size_t width;
    const char *text;
} screens[] = {
    { "a wide one", 80, "aa    b     cccc  d\n" },
    { "two columns", 12, "aa    cccc\nb     d\n" },
    { "narrower than a word", 3, "aa\nb\ncccc\nd\n" },
};

static void test_list(void)
{
    static const char *const texts[] = { "d", "b", "aa", "cccc", NULL };
    struct cp_candidates c = make(texts);

    for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
        struct cp_out out = { .fd = -1 };

        check_case(screens[i].name);
        cp_candidates_list(&c, screens[i].width, &out);
        cp_out_char(&out, '\0');
        CHECK_STR(out.buf, screens[i].text);
        cp_out_release(&out);
    }
    cp_candidates_release(&c);
}

static void test_very_many(void)
{
    struct cp_candidates c = { 0 };
    struct cp_out out = { .fd = -1 };
    char text[16];

    for (int i = 0; i < 1000; i++) {
        (void)snprintf(text, sizeof(text), "%03d", i);
        cp_candidates_add(&c, text);
    }
    cp_candidates_list(&c, 80, &out);
    cp_out_char(&out, '\0');
    CHECK(strstr(out.buf, "199") && !strstr(out.buf, "200"));
    CHECK(strstr(out.buf, "... and 800 more\n") != NULL);
    cp_out_release(&out);
    cp_candidates_release(&c);
}

int main(void)
{
    RUN(test_common);
    RUN(test_list);
    RUN(test_very_many);
    return check_failures != 0;
}
