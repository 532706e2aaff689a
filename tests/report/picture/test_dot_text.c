/* test_dot_text.c - tests src/report/picture/dot_text.c. */
#include "base/out.h"
#include "report/picture/dot_text.h"

#include "check.h"

#define STR(text)                                                              \
    {                                                                          \
        text, sizeof(text) - 1                                                 \
    }

/*
 * Length of the text as Graphviz reads a string: up to a quote without a
 * backslash.
 */
static bool is_one_string(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"' || text[i] == '\0')
            return false;
        if (text[i] == '\\' && ++i == len)
            return false;
    }
    return true;
}

static const struct {
    struct cp_str text;
    const char *raw, *drawn, *labels;
} rows[] = {
    { STR("a.c"), "a.c", "a.c", "a.c" },
    { STR("a\"b"), "a\\\"b", "a\\\"b", "a\\\"b" },
    { STR("a\\\"b"), "a\\\"b", "a\\\\\\\"b", "a\\\\\\\"b" },
    { STR("a\\\\\"b"), "a\\\\\\\\\\\"b", "a\\\\\\\\\\\"b", "a\\\\\\\\\\\"b" },
    { STR("C:\\src\\new.c"), "C:\\src\\new.c", "C:\\\\src\\\\new.c",
      "C:\\\\src\\new.c" },
    { STR("end\\"), "end\\\\", "end\\\\", "end\\\\" },
    { STR("end\\\\"), "end\\\\", "end\\\\\\\\", "end\\\\\\\\" },
    { STR("k:v\\nm:w"), "k:v\\nm:w", "k:v\\\\nm:w", "k:v\\nm:w" },
    { STR("a\0b"),
      "a\xef\xbf\xbd"
      "b",
      "a\xef\xbf\xbd"
      "b",
      "a\xef\xbf\xbd"
      "b" },
    { STR("a\nb"), "a\nb", "a\\lb", "a\nb" },
};

static void check_text(struct cp_out *out, const char *want)
{
    CHECK(is_one_string(out->buf, out->len));
    cp_out_char(out, '\0');
    CHECK_STR(out->buf, want);
    cp_out_release(out);
}

static void test_rows(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct cp_out raw = { .fd = -1 }, drawn = raw, labels = raw;

        check_case(rows[i].text.ptr);
        cp_dot_raw(&raw, rows[i].text, false);
        cp_dot_raw(&drawn, rows[i].text, true);
        cp_dot_labels(&labels, rows[i].text, true);
        check_text(&raw, rows[i].raw);
        check_text(&drawn, rows[i].drawn);
        check_text(&labels, rows[i].labels);
    }
}

/* Every text of up to five of these letters stays inside its string. */
static void test_all_short_texts(void)
{
    static const char letters[] = { 'n', '\\', '"', '\n', '\0' };
    uint32_t n_left = 0;

    for (uint32_t code = 0; code < 5 * 5 * 5 * 5 * 5; code++) {
        struct cp_out out[4] = {
            { .fd = -1 }, { .fd = -1 }, { .fd = -1 }, { .fd = -1 }
        };
        char text[5];
        struct cp_str str = { text, 5 };

        for (uint32_t i = 0, rest = code; i < 5; i++, rest /= 5)
            text[i] = letters[rest % 5];
        cp_dot_escape(&out[0], str);
        cp_dot_raw(&out[1], str, false);
        cp_dot_labels(&out[2], str, false);
        cp_dot_labels(&out[3], str, true);
        for (int i = 0; i < 4; i++) {
            n_left += !is_one_string(out[i].buf, out[i].len);
            cp_out_release(&out[i]);
        }
    }
    CHECK(n_left == 0);
}

int main(void)
{
    RUN(test_rows);
    RUN(test_all_short_texts);
    return check_failures != 0;
}
