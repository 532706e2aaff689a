/* test_svg.c - tests src/report/svg.c. */
#include "report/svg.h"

#include <stdlib.h>

#include "check.h"

#define HEAD                                                                   \
    "<?xml?>\n<svg width=\"9pt\" height=\"5pt\"\n viewBox=\"0 0 9 5\">\n"
#define GRAPH "<g id=\"graph0\"><text>"

/* What becomes of the text; the caller frees it. */
static char *convert(const char *svg)
{
    struct cp_out out = { .fd = -1 };
    char *text;

    cp_svg_write(svg, strlen(svg), &out);
    cp_out_char(&out, '\0');
    text = strdup(out.buf);
    cp_out_release(&out);
    return text;
}

static void test_page(void)
{
    char *text = convert(HEAD GRAPH "x</text></g>\n</svg>\n");
    const char *script = text ? strstr(text, "<script><![CDATA[") : NULL;

    CHECK(text && strncmp(text,
                          "<?xml?>\n<svg width=\"100%\" height=\"100%\" "
                          "viewBox=\"0 0 9 5\">\n<g id=\"viewport\">\n"
                          "<g id=\"graph0\">",
                          92) == 0);
    CHECK(script && strstr(script, cp_asset_svg_pan_js));
    CHECK(script && strstr(script, "]]></script>\n</svg>\n"));
    free(text);
}

static void test_names(void)
{
    static const struct {
        const char *name, *want;
    } rows[] = {
        { "&lt;/script&gt;&lt;script&gt;", "&lt;/script&gt;&lt;script&gt;" },
        { "a&;b", "a&amp;;b" },
        { "&nbsp;&#160;&#xa0;&#;&#x;&", "&amp;nbsp;&#160;&#xa0;&amp;#;&amp;#x;"
                                        "&amp;" },
        { "&amp;&quot;&apos;", "&amp;&quot;&apos;" },
        { "\x01\x1b[0m\t", "\xef\xbf\xbd\xef\xbf\xbd[0m\t" },
        { "caf\xc3\xa9 \xff", "caf\xc3\xa9 \xef\xbf\xbd" },
        { "\xef\xbf\xbf", "\xef\xbf\xbd" },
        { "&lt;/svg&gt;", "&lt;/svg&gt;" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char svg[300], want[300];
        char *text;

        check_case(rows[i].name);
        (void)snprintf(svg, sizeof(svg), HEAD GRAPH "%s</text></g></svg>",
                       rows[i].name);
        (void)snprintf(want, sizeof(want), "<text>%s</text>", rows[i].want);
        text = convert(svg);
        CHECK(text && strstr(text, want));
        free(text);
    }
}

/* What is not dot's SVG comes out without a script. */
static void test_other(void)
{
    static const char *const rows[] = {
        "",
        "x",
        "<svg",
        "<svg ></svg>",
        HEAD "</svg>",
        HEAD GRAPH "x",
        "<svg width=\"1\"><g id=\"graph0\"></g></svg>",
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char *text = convert(rows[i]);

        check_case(rows[i]);
        CHECK_STR(text, rows[i]);
        free(text);
    }
}

int main(void)
{
    RUN(test_page);
    RUN(test_names);
    RUN(test_other);
    return check_failures != 0;
}
