/* test_picture.c - tests src/report/picture/picture.c; needs graphviz. */
#include "base/out.h"
#include "report/picture/picture.h"

#include <stdlib.h>

#include "check.h"

static const char evil[] =
    "digraph \"x--y\" {\n"
    "N1 [label=\"</script><script>alert(1)</script>\" tooltip=\"&; ]]>\"]\n"
    "N1 -> N2 [label=\"\x01\"]\n}\n";

static void test_kinds(void)
{
    static const struct {
        enum cp_picture kind;
        const char *magic;
    } rows[] = {
        { CP_PICTURE_SVG, "<?xml " }, { CP_PICTURE_PNG, "\x89PNG" },
        { CP_PICTURE_PDF, "%PDF-" },  { CP_PICTURE_PS, "%!PS" },
        { CP_PICTURE_GIF, "GIF89a" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct cp_out out = { .fd = -1 };
        struct cp_error err = { 0 };
        size_t n = strlen(rows[i].magic);

        check_case(rows[i].magic);
        CHECK_INT(
            cp_picture_render(rows[i].kind, evil, sizeof(evil) - 1, &out, &err),
            CP_OK);
        CHECK_STR(err.msg, "");
        CHECK(out.len > n && memcmp(out.buf, rows[i].magic, n) == 0);
        cp_out_release(&out);
    }
}

static void test_names_stay_names(void)
{
    struct cp_out out = { .fd = -1 };
    const char *script;

    CHECK_INT(
        cp_picture_render(CP_PICTURE_SVG, evil, sizeof(evil) - 1, &out, NULL),
        CP_OK);
    cp_out_char(&out, '\0');
    CHECK(out.buf && strstr(out.buf, "&lt;/script&gt;&lt;script&gt;alert(1)"));
    CHECK(out.buf && !strchr(out.buf, '\x01'));
    script = out.buf ? strstr(out.buf, "<script>") : NULL;
    CHECK(script && !strstr(script + 1, "<script>"));
    cp_out_release(&out);
}

static void test_failures(void)
{
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };

    CHECK_INT(cp_picture_render(CP_PICTURE_SVG, "digraph {", 9, &out, &err),
              CP_EIO);
    CHECK(strncmp(err.msg, "dot: ", 5) == 0 && strstr(err.msg, "syntax error"));
    CHECK_INT(out.len, 0);
    CHECK_INT(setenv("PATH", "/nonexistent", 1), 0);
    CHECK_INT(cp_picture_render(CP_PICTURE_PNG, "digraph {}", 10, &out, &err),
              CP_EIO);
    CHECK_STR(err.msg,
              "dot not found: install graphviz (apt-get install graphviz)");
    CHECK_INT(out.len, 0);
    cp_out_release(&out);
}

int main(void)
{
    RUN(test_kinds);
    RUN(test_names_stay_names);
    RUN(test_failures); /* last: it changes PATH */
    return check_failures != 0;
}
