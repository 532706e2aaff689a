/* test_svg.c - tests src/report/picture/svg.c. */
#include "base/out.h"
#include "report/picture/svg.h"

#include <stdlib.h>

#include "check.h"

#define HEAD                                                                   \
    "<?xml?>\n<svg width=\"9pt\" height=\"5pt\"\n viewBox=\"0 0 9 5\">\n"
#define GRAPH "<g id=\"graph0\"><text>"

/* Returns the cleaned text; the caller frees it. */
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

/* Active attributes and elements are removed; shapes stay. */
static void test_active(void)
{
    static const struct {
        const char *from, *want;
    } rows[] = {
        { "<a xlink:href=\"javascript:f()\" xlink:title=\"t\">x</a>",
          "<a xlink:title=\"t\">x</a>" },
        { "<a\nhref = \"javascript:f()\">", "&lt;a\nhref" },
        { "<a href='javascript:f()' id='b'/>", "<a id='b'/>" },
        { "<a xlink:title=\"t\" xlink:href=\"http://x\"\n target=\"_top\">",
          "<a xlink:title=\"t\">" },
        { "<path onclick=\"f()\" d=\"M0,0\"/>", "<path d=\"M0,0\"/>" },
        { "<g style=\"background:url(http://x)\" class=\"c\">",
          "<g class=\"c\">" },
        { "<script>f()</script>", "&lt;script>f()&lt;/script>" },
        { "<image xlink:href=\"x.png\"/>", "&lt;image " },
        { "<foreignObject><body/></foreignObject>",
          "&lt;foreignObject>&lt;body/>&lt;/foreignObject>" },
        { "<set attributeName=\"href\" to=\"javascript:f()\"/>", "&lt;set " },
        { "<![CDATA[<script>]]>", "&lt;![CDATA[&lt;script>]]>" },
        { "<!-- <script> -->", "<!-- &lt;script> -->" },
        { "<a xlink:title=\"<b>\">", "<a xlink:title=\"&lt;b>\">" },
        { "<polygon points=\"1,2 3,4\" fill=\"#f8f8f8\" stroke=\"black\"/>",
          "<polygon points=\"1,2 3,4\" fill=\"#f8f8f8\" stroke=\"black\"/>" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char svg[300];
        char *text;

        check_case(rows[i].from);
        (void)snprintf(svg, sizeof(svg), HEAD GRAPH "</text>%s</g></svg>",
                       rows[i].from);
        text = convert(svg);
        CHECK(text && strstr(text, rows[i].want));
        free(text);
    }
}

/* A document of another shape gets no script. */
static void test_other(void)
{
    static const char *const rows[] = {
        "",
        "x",
        "&lt;svg",
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
    RUN(test_active);
    RUN(test_other);
    return check_failures != 0;
}
