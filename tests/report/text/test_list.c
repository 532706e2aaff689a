/* test_list.c - tests src/report/text/list.c on generated source files. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "profile/model/build.h"
#include "report/core/report.h"
#include "check.h"

static char root[] = "/tmp/test_list_XXXXXX";

/* One sample: a stack of a single location, inlined calls innermost first. */
struct row {
    struct {
        const char *name, *file;
        int64_t start_line, line;
    } calls[2]; /* the second has no name if there is only one */
    int64_t value;
};

static uint32_t add_text(struct cp_builder *b, const char *text)
{
    return cp_builder_str(b, text, strlen(text), NULL);
}

static void add_row(struct cp_builder *b, const struct row *row, uint64_t at)
{
    int64_t values[2] = { 2, row->value };
    uint32_t loc = cp_builder_location(b, at, NULL);

    for (int i = 0; i < 2 && row->calls[i].name; i++) {
        struct cp_function f = { .name = add_text(b, row->calls[i].name),
                                 .filename = add_text(b, row->calls[i].file),
                                 .start_line = row->calls[i].start_line };
        struct cp_line line = { .function = cp_builder_function(b, f, NULL),
                                .line = row->calls[i].line };

        CHECK_INT(cp_builder_line(b, loc, line, NULL), CP_OK);
    }
    CHECK_INT(cp_builder_sample(b, &loc, 1, values, 0, NULL), CP_OK);
}

static struct cp_profile *build(const struct row *rows, size_t n)
{
    struct cp_builder b = { 0 };

    CHECK_INT(cp_builder_init(&b, NULL), CP_OK);
    CHECK_INT(cp_builder_type(&b, "samples", "count", NULL), CP_OK);
    CHECK_INT(cp_builder_type(&b, "cpu", "milliseconds", NULL), CP_OK);
    for (size_t i = 0; i < n; i++)
        add_row(&b, &rows[i], 0x1000 + i);
    return cp_builder_take(&b);
}

/* Returns the report, or the error message in brackets; the caller frees it. */
static char *list(const struct row *rows, size_t n, struct cp_options o)
{
    struct cp_report r = { .profile = build(rows, n), .options = o };
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };
    char *text;

    r.options.format = CP_FORMAT_LIST;
    if (*r.options.source_path == '\0')
        r.options.source_path = root;
    if (cp_report_init(&r, &err) == CP_OK) {
        if (cp_report_write(&r, &out, &err) != CP_OK)
            cp_out_printf(&out, "[%s]", err.msg);
        cp_report_release(&r);
    } else {
        cp_out_printf(&out, "[%s]", err.msg);
    }
    cp_profile_free(r.profile);
    cp_out_char(&out, '\0');
    text = strdup(out.buf);
    cp_out_release(&out);
    return text;
}

static struct cp_options matching(const char *pattern)
{
    struct cp_options o = cp_options_default();

    o.argument = pattern;
    return o;
}

static void expect(const struct row *rows, size_t n, struct cp_options o,
                   const char *want)
{
    char *text = list(rows, n, o);

    CHECK_STR(text, want);
    free(text);
}

static void test_range(void)
{
    static const struct row rows[] = {
        { { { "f", "ten.c", 3, 4 } }, 10 },
        { { { "f", "ten.c", 3, 4 } }, 5 },
        { { { "f", "ten.c", 3, 6 } }, 1500 },
    };

    expect(rows, 2, matching("f"),
           "Total: 15ms\n"
           "ROUTINE ======================== f in ten.c\n"
           "      15ms       15ms (flat, cum)   100% of Total\n"
           "         .          .      3:line 3\n"
           "      15ms       15ms      4:line 4\n"
           "         .          .      5:line 5\n"
           "         .          .      6:line 6\n"
           "         .          .      7:line 7\n"
           "         .          .      8:line 8\n"
           "         .          .      9:line 9\n");
    expect(rows + 2, 1, matching("f"),
           "Total: 1.50s\n"
           "ROUTINE ======================== f in ten.c\n"
           "     1.50s      1.50s (flat, cum)   100% of Total\n"
           "         .          .      3:line 3\n"
           "         .          .      4:line 4\n"
           "         .          .      5:line 5\n"
           "     1.50s      1.50s      6:line 6\n"
           "         .          .      7:line 7\n"
           "         .          .      8:line 8\n"
           "         .          .      9:line 9\n"
           "         .          .     10:line 10\n");
}

static void test_odd_lines(void)
{
    static const struct row past_end = { { { "f", "ten.c", 0, 15 } }, 1 };
    static const struct row far_past = { { { "f", "ten.c", 0, 1LL << 40 } },
                                         1 };
    static const struct row zero = { { { "f", "two.c", 0, 0 } }, 1 };
    static const char head[] =
        "Total: 1ms\nROUTINE ======================== f in ten.c\n"
        "       1ms        1ms (flat, cum)   100% of Total\n";
    char want[300];

    (void)snprintf(want, sizeof(want), "%s         .          .     10:%s",
                   head, "line 10\n");
    expect(&past_end, 1, matching("f"), want);
    expect(&far_past, 1, matching("f"), head);
    expect(&zero, 1, matching("f"),
           "Total: 1ms\nROUTINE ======================== f in two.c\n"
           "       1ms        1ms (flat, cum)   100% of Total\n"
           "         .          .      1:one\n"
           "         .          .      2:\ttwo\n");
}

static void test_several_files(void)
{
    static const struct row rows[] = {
        { { { "f", "two.c", 1, 2 } }, 30 },
        { { { "f", "gone.c", 1, 2 } }, 50 },
        { { { "f", "", 0, 0 } }, 10 },
        { { { "nofile", "", 0, 0 } }, 10 },
        { { { "f", "gone.c", 90, 2 } }, -50 },
    };
    char want[600];

    (void)snprintf(want, sizeof(want),
                   "Total: 100ms\n"
                   "ROUTINE ======================== f in gone.c\n"
                   "      50ms       50ms (flat, cum) 50.00%% of Total\n"
                   " Error: could not find file gone.c on path %s\n"
                   "ROUTINE ======================== f in two.c\n"
                   "      30ms       30ms (flat, cum) 30.00%% of Total\n"
                   "         .          .      1:one\n"
                   "      30ms       30ms      2:\ttwo\n"
                   "No source information for nofile\n",
                   root);
    expect(rows, 4, matching("f"), want);
    expect(rows + 4, 1, matching("f"),
           "Total: 50ms\n"
           "ROUTINE ======================== f in gone.c\n"
           "     -50ms      -50ms (flat, cum)   100% of Total\n");
}

static void test_inlines(void)
{
    static const struct row row = {
        { { "in", "two.c", 1, 2 }, { "out", "two.c", 1, 1 } }, 10
    };
    struct cp_options o = matching("in|out");

    expect(&row, 1, o,
           "Total: 10ms\n"
           "ROUTINE ======================== in in two.c\n"
           "      10ms       10ms (flat, cum)   100% of Total\n"
           "         .          .      1:one\n"
           "      10ms       10ms      2:\ttwo\n"
           "ROUTINE ======================== out in two.c\n"
           "         0       10ms (flat, cum)   100% of Total\n"
           "         .       10ms      1:one\n"
           "         .          .      2:\ttwo\n");
    o.noinlines = true;
    expect(&row, 1, o,
           "Total: 10ms\n"
           "ROUTINE ======================== out in two.c\n"
           "      10ms       10ms (flat, cum)   100% of Total\n"
           "      10ms       10ms      1:one\n"
           "         .          .      2:\ttwo\n");
}

/* A mean applies to the total only; lines show sums, as in google/pprof. */
static void test_mean(void)
{
    static const struct row rows[] = { { { { "f", "two.c", 2, 2 } }, 30 },
                                       { { { "f", "two.c", 2, 2 } }, 50 } };
    struct cp_options o = matching("f");

    o.mean = true;
    expect(rows, 2, o,
           "Total: 20ms\nROUTINE ======================== f in two.c\n"
           "      80ms       80ms (flat, cum) 400.00% of Total\n"
           "      80ms       80ms      2:\ttwo\n");
}

static void test_no_match(void)
{
    static const struct row rows[] = { { { { "f", "two.c", 2, 2 } }, 30 },
                                       { { { "g", "two.c", 2, 2 } }, 0 } };

    expect(rows, 1, matching("x"), "[no matches found for regexp: x]");
    expect(rows, 2, matching("g"), "[no matches found for regexp: g]");
    expect(rows, 1, matching("("),
           "[parsing argument regexp (: error parsing regexp: missing closing "
           "): `(`]");
}

static void put(const char *name, const char *text)
{
    char path[200];
    FILE *f;

    (void)snprintf(path, sizeof(path), "%s/%s", root, name);
    f = fopen(path, "w");
    if (CHECK(f != NULL)) {
        CHECK(fputs(text, f) >= 0);
        (void)fclose(f);
    }
}

int main(void)
{
    char command[100];

    if (!mkdtemp(root))
        return 1;
    put("two.c", "one\r\n\ttwo");
    put("ten.c", "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\n"
                 "line 8\nline 9\nline 10\n");
    RUN(test_range);
    RUN(test_odd_lines);
    RUN(test_several_files);
    RUN(test_inlines);
    RUN(test_mean);
    RUN(test_no_match);
    (void)snprintf(command, sizeof(command), "rm -rf %s", root);
    CHECK_INT(system(command), 0);
    return check_failures != 0;
}
