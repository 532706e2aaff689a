/* test_source.c - tests src/report/source/source.c. */
#include "base/alloc.h"
#include "report/source/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char root[] = "/tmp/test_source_XXXXXX";

static void put(const char *name, const char *bytes, size_t len)
{
    char path[200];
    FILE *f;

    (void)snprintf(path, sizeof(path), "%s/%s", root, name);
    f = fopen(path, "wb");
    if (!CHECK(f != NULL))
        return;
    CHECK_INT(fwrite(bytes, 1, len, f), len);
    (void)fclose(f);
}

static struct cp_str str(const char *text)
{
    return (struct cp_str){ text, (uint32_t)strlen(text) };
}

static const struct cp_source_file *open_in(struct cp_source *s,
                                            const char *name)
{
    static struct cp_source_file none;
    const struct cp_source_file *f = cp_source_open(s, str(name), NULL);

    CHECK(f != NULL);
    return f ? f : &none;
}

static void check_line(const struct cp_source_file *f, uint32_t line,
                       const char *want)
{
    struct cp_str got = { "", 0 };

    if (CHECK(line <= f->n_lines))
        got = cp_source_line(f, line);
    CHECK_INT(got.len, strlen(want));
    CHECK(memcmp(got.ptr, want, strlen(want)) == 0);
}

static void test_lines(void)
{
    static const struct {
        const char *name, *text;
        uint32_t n_lines;
        const char *first, *last;
    } rows[] = {
        { "plain", "one\ntwo\n", 2, "one", "two" },
        { "no end", "one\ntwo", 2, "one", "two" },
        { "dos", "one\r\ntwo\r", 2, "one", "two" },
        { "blank", "\n\n", 2, "", "" },
        { "one", "x", 1, "x", "x" },
        { "empty", "", 0, "", "" },
    };
    struct cp_source s = { 0 };

    cp_source_init(&s, root, "");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct cp_source_file *f;

        check_case(rows[i].name);
        put("lines.c", rows[i].text, strlen(rows[i].text));
        f = open_in(&s, "lines.c");
        CHECK_INT(f->n_lines, rows[i].n_lines);
        if (rows[i].n_lines > 0) {
            check_line(f, 1, rows[i].first);
            check_line(f, rows[i].n_lines, rows[i].last);
        }
        cp_source_release(&s);
        cp_source_init(&s, root, "");
    }
    cp_source_release(&s);
}

static void test_long_line_ends_file(void)
{
    size_t len = 2 + CP_SOURCE_LINE_BYTES + 1 + 2;
    char *text = malloc(len + 1);
    struct cp_source s = { 0 };

    if (!CHECK(text != NULL))
        return;
    memset(text, 'x', len);
    memcpy(text, "1\n", 2);
    text[len - 3] = text[len - 1] = '\n';
    put("fits.c", text, len);
    text[len - 3] = 'x';
    put("long.c", text, len);
    cp_source_init(&s, root, "");
    CHECK_INT(open_in(&s, "fits.c")->n_lines, 3);
    CHECK_INT(open_in(&s, "long.c")->n_lines, 1);
    cp_source_release(&s);
    free(text);
}

static void test_search(void)
{
    static const struct {
        const char *search, *trim, *name;
        bool is_found;
    } rows[] = {
        { "%/sub/deep", "", "a.c", true },
        { "%", "", "a.c", true },
        { "%", "", "./x/../a.c", true },
        { "%/sub", "", "b.c", true },
        { "%", "", "b.c", false },
        { "/nowhere:%/sub", "", "b.c", true },
        { "%/sub", "", "/build/sub/b.c", true },
        { "%/sub", "/build/sub", "/build/sub/b.c", true },
        { "%/sub", "/build", "/build/b.c", true },
        { "%/sub", "", "/build/b.c", false },
        { "%/sub/../sub/", "", "deep/c.c", true },
        { "%/sub/..", "", "b.c", true },
        { "/", "", "a.c", false },
    };

    put("a.c", "a", 1);
    put("sub/b.c", "b", 1);
    put("sub/deep/c.c", "c", 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct cp_source s = { 0 };
        char search[300] = "";
        const char *percent = strchr(rows[i].search, '%');

        check_case(rows[i].name);
        if (percent)
            (void)snprintf(search, sizeof(search), "%.*s%s%s",
                           (int)(percent - rows[i].search), rows[i].search,
                           root, percent + 1);
        else
            (void)snprintf(search, sizeof(search), "%s", rows[i].search);
        cp_source_init(&s, search, rows[i].trim);
        CHECK_INT(open_in(&s, rows[i].name)->n_lines, rows[i].is_found);
        cp_source_release(&s);
    }
}

static void test_problems(void)
{
    static const char with_nul[] = "/a\0b";
    struct cp_source s = { 0 };
    const struct cp_source_file *f;
    char want[100];

    cp_source_init(&s, root, "");
    (void)snprintf(want, sizeof(want), "could not find file no.c on path %s",
                   root);
    f = open_in(&s, "no.c");
    CHECK_INT(f->problem.len, strlen(want));
    CHECK(strncmp(f->problem.ptr, want, strlen(want)) == 0);
    f = open_in(&s, "/nowhere/no.c");
    CHECK(strncmp(f->problem.ptr,
                  "open /nowhere/no.c: no such file or directory",
                  f->problem.len) == 0);
    f = cp_source_open(&s, (struct cp_str){ with_nul, 4 }, NULL);
    CHECK(f && f->problem.len == strlen("open /a.b: invalid argument"));
    f = open_in(&s, "sub"); /* a directory is an empty file */
    CHECK_INT(f->problem.len, 0);
    CHECK_INT(f->n_lines, 0);
    CHECK(cp_source_was_tried(&s, str("no.c")));
    CHECK(!cp_source_was_tried(&s, str("other.c")));
    cp_source_release(&s);
}

static void test_pipe_does_not_block(void)
{
    struct cp_source s = { 0 };
    char path[200];

    (void)snprintf(path, sizeof(path), "%s/pipe", root);
    CHECK_INT(mkfifo(path, 0600), 0);
    cp_source_init(&s, root, "");
    CHECK_INT(open_in(&s, "pipe")->n_lines, 0);
    cp_source_release(&s);
}

static void test_no_memory(void)
{
    enum cp_status status = CP_ENOMEM;

    put("a.c", "one\ntwo\n", 8);
    for (long n = 1; status == CP_ENOMEM && n < 100; n++) {
        struct cp_source s = { 0 };
        struct cp_error err = { 0 };

        cp_source_init(&s, root, "");
        cp_alloc_fail_at(n);
        if (cp_source_open(&s, str("a.c"), &err) &&
            cp_source_open(&s, str("/nowhere/no.c"), &err))
            status = CP_OK;
        else
            CHECK_INT(err.status, CP_ENOMEM);
        cp_alloc_fail_at(0);
        cp_source_release(&s);
    }
    CHECK_INT(status, CP_OK);
}

int main(void)
{
    char command[100];

    if (!mkdtemp(root))
        return 1;
    (void)snprintf(command, sizeof(command), "mkdir -p %s/sub/deep", root);
    CHECK_INT(system(command), 0);
    RUN(test_lines);
    RUN(test_long_line_ends_file);
    RUN(test_search);
    RUN(test_problems);
    RUN(test_pipe_does_not_block);
    RUN(test_no_memory);
    (void)snprintf(command, sizeof(command), "rm -rf %s", root);
    CHECK_INT(system(command), 0);
    return check_failures != 0;
}
