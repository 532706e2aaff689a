/* test_json.c - tests src/base/json/json.c, json_string.c and json_number.c. */
#include "base/arena.h"
#include "base/index.h"
#include "base/json/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

/* Writes a value in a compact form for comparison. */
static void show(struct cp_json *j, FILE *out)
{
    struct cp_text text;

    switch (cp_json_kind(j)) {
    case CP_JSON_OBJECT:
        (void)cp_json_enter(j, CP_JSON_OBJECT);
        fputc('{', out);
        while (cp_json_member(j, &text)) {
            fprintf(out, "%.*s=", CP_TEXT_ARG(text));
            show(j, out);
        }
        fputc('}', out);
        break;
    case CP_JSON_ARRAY:
        (void)cp_json_enter(j, CP_JSON_ARRAY);
        fputc('[', out);
        while (cp_json_item(j)) {
            show(j, out);
            fputc(' ', out);
        }
        fputc(']', out);
        break;
    case CP_JSON_STRING:
        text = cp_json_string(j);
        fprintf(out, "'%.*s'", CP_TEXT_ARG(text));
        break;
    case CP_JSON_NUMBER:
        fprintf(out, "%.17g", cp_json_number(j));
        break;
    default:
        cp_json_skip(j);
        fputc('?', out);
    }
}

static const struct {
    const char *text;
    const char *want; /* output of show, or the error message */
} cases[] = {
    { " { } ", "{}" },
    { "[]", "[]" },
    { "\xef\xbb\xbf[]", "[]" },
    { "[1,2 , 3]", "[1 2 3 ]" },
    { "{\"a\":{\"b\":[true,false,null]},\"c\":\"d\"}",
      "{a={b=[? ? ? ]}c='d'}" },
    { "\"plain and long enough for words\"",
      "'plain and long enough for words'" },
    { "\"\\\"\\\\\\/\\n\\t\\u0041\\u00e9\\u20ac\"", "'\"\\/\n\tA\xc3\xa9€'" },
    { "\"\\ud83d\\ude00\"", "'\xf0\x9f\x98\x80'" },
    { "\"\\ud83d!\"", "'\xef\xbf\xbd!'" },
    { "\"\\ude00\\u0041\"", "'\xef\xbf\xbd"
                            "A'" },
    { "\"\xff\"", "'\xff'" },
    { "-12", "-12" },
    { "0.1", "0.10000000000000001" },
    { "-123.456", "-123.456" },
    { "1e3", "1000" },
    { "1E-2", "0.01" },
    { "123456789012345678", "1.2345678901234568e+17" },
    { "0.000000000000000000001", "9.9999999999999991e-22" },
    /* Malformed documents. */
    { "", "the file ends early at byte 0" },
    { "[1", "the file ends early at byte 2" },
    { "[1,", "the file ends early at byte 3" },
    { "[1 2]", "expected a comma at byte 3" },
    { "[1,]", "expected a value at byte 3" },
    { "[}", "expected a value at byte 1" },
    { "{\"a\" 1}", "expected a colon at byte 5" },
    { "{1:2}", "expected a string at byte 1" },
    { "{\"a\":1,}", "expected a string at byte 7" },
    { "\"abc", "a string without an end at byte 0" },
    { "\"abc\\", "a string without an end at byte 0" },
    { "\"\\q\"", "bad escape at byte 1" },
    { "\"\\u12g4\"", "bad escape at byte 1" },
    { "\"\\u12\"", "bad escape at byte 1" },
    { "nul", "bad value at byte 0" },
    { "-", "bad number at byte 0" },
    { "1.", "bad number at byte 0" },
    { "1e999", "bad number at byte 0" },
    { "1-2", "bad number at byte 0" },
    { "1e", "bad number at byte 0" },
    { "1e+", "bad number at byte 0" },
    { "-.5", "bad number at byte 0" },
};

static void test_values(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_json_doc doc;
        struct cp_json j =
            cp_json_start(&doc, cases[i].text, strlen(cases[i].text));
        struct cp_error err = { 0 };
        char *shown = NULL;
        size_t len = 0;
        FILE *out = open_memstream(&shown, &len);

        check_case(cases[i].text);
        show(&j, out);
        fclose(out);
        if (cp_json_status(&doc, &err) == CP_OK)
            CHECK_STR(shown, cases[i].want);
        else
            CHECK_STR(err.msg, cases[i].want);
        free(shown);
        cp_json_release(&doc);
    }
}

/*
 * Skipping ends at the same byte as reading and finds the same errors, except
 * inside strings and for numbers that are too large.
 */
static void test_skip(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_json_doc doc;
        struct cp_json j =
            cp_json_start(&doc, cases[i].text, strlen(cases[i].text));
        bool is_inside = strstr(cases[i].want, "bad escape") != NULL ||
                         strcmp(cases[i].text, "1e999") == 0;

        check_case(cases[i].text);
        cp_json_skip(&j);
        if (doc.err.status != CP_OK)
            CHECK_STR(doc.err.msg, cases[i].want);
        else
            CHECK(is_inside || !strstr(cases[i].want, " at byte "));
        cp_json_release(&doc);
    }
}

/* The fast skip of a validated document ends at the same byte. */
static void test_quick_skip(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_json_doc doc;
        struct cp_json j =
            cp_json_start(&doc, cases[i].text, strlen(cases[i].text));
        struct cp_json slow = j;

        check_case(cases[i].text);
        cp_json_skip(&slow);
        if (doc.err.status != CP_OK)
            continue;
        doc.is_checked = true;
        cp_json_skip(&j);
        CHECK(j.pos == slow.pos && doc.err.status == CP_OK);
    }
}

static void test_depth(void)
{
    static char deep[2 * CP_JSON_DEPTH + 2];
    struct cp_json_doc doc;
    struct cp_json j;

    memset(deep, '[', CP_JSON_DEPTH);
    memset(deep + CP_JSON_DEPTH, ']', CP_JSON_DEPTH);
    j = cp_json_start(&doc, deep, 2 * CP_JSON_DEPTH);
    cp_json_skip(&j);
    CHECK_INT(doc.err.status, CP_OK);
    CHECK(j.pos == doc.end);
    memset(deep, '[', CP_JSON_DEPTH + 1);
    j = cp_json_start(&doc, deep, 2 * CP_JSON_DEPTH);
    cp_json_skip(&j);
    CHECK_STR(doc.err.msg, "nested too deeply at byte 16384");
}

static void test_pick(void)
{
    static const char text[] = "{\"a\":1,\"b\":[2,{\"a\":3}],\"a\":\"x\"}";
    static const char *const names[] = { "a", "b", "c" };
    struct cp_json_doc doc;
    struct cp_json j = cp_json_start(&doc, text, sizeof(text) - 1), at[3];

    cp_json_pick(&j, names, 3, at);
    CHECK(j.pos == doc.end);
    CHECK(cp_json_is(&at[0], CP_JSON_STRING));
    CHECK(cp_json_is(&at[1], CP_JSON_ARRAY));
    CHECK(!at[2].doc && !cp_json_is(&at[2], CP_JSON_ARRAY));
    CHECK(!cp_json_enter(&at[2], CP_JSON_ARRAY));
    CHECK_INT(doc.err.status, CP_OK);
    cp_json_release(&doc);
}

static const struct {
    const char *text;
    long long number; /* result of cp_json_int */
    uint32_t index;   /* result of cp_json_index */
    bool is_bad;      /* whether cp_json_int fails */
} numbers[] = {
    { "0", 0, 0, false },
    { "-1", -1, CP_NONE, false },
    { "4294967293", 4294967293, 4294967293, false },
    { "4294967295", 4294967295, CP_NONE - 1, false },
    { "99999999999999999999", 0, CP_NONE - 1, true },
    { "9223372036854775807", INT64_MAX, CP_NONE - 1, false },
    { "1.75", 1, CP_NONE - 1, false },
    { "null", 0, CP_NONE, true },
    { "\"7\"", 0, CP_NONE, true },
};

static void test_numbers(void)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct cp_json_doc doc;
        struct cp_json j =
            cp_json_start(&doc, numbers[i].text, strlen(numbers[i].text));
        struct cp_json k = j;

        check_case(numbers[i].text);
        CHECK_INT(cp_json_index(&k), numbers[i].index);
        CHECK_INT(doc.err.status, CP_OK);
        CHECK(k.pos == doc.end);
        CHECK_INT(cp_json_int(&j), numbers[i].number);
        CHECK_INT(doc.err.status != CP_OK, numbers[i].is_bad);
    }
}

static void test_lists(void)
{
    static const char text[] = "[[1,null,3],[\"a\",\"b\\u0063\"]]";
    struct cp_json_doc doc;
    struct cp_json j = cp_json_start(&doc, text, sizeof(text) - 1);
    struct cp_arena arena = { 0 };
    struct cp_text *strings;
    uint32_t *list, n;

    CHECK(cp_json_enter(&j, CP_JSON_ARRAY) && cp_json_item(&j));
    list = cp_json_indexes(&j, &arena, &n);
    if (CHECK(list) && CHECK_INT(n, 3))
        CHECK(list[0] == 1 && list[1] == CP_NONE && list[2] == 3);
    CHECK(cp_json_item(&j));
    strings = cp_json_strings(&j, &arena, &n);
    if (CHECK(strings) && CHECK_INT(n, 2))
        CHECK(cp_text_equals(strings[0], "a") &&
              cp_text_equals(strings[1], "bc"));
    CHECK(!cp_json_item(&j) && doc.err.status == CP_OK);
    cp_json_release(&doc);
    cp_arena_release(&arena);
}

int main(void)
{
    RUN(test_values);
    RUN(test_skip);
    RUN(test_quick_skip);
    RUN(test_depth);
    RUN(test_pick);
    RUN(test_numbers);
    RUN(test_lists);
    return check_failures != 0;
}
