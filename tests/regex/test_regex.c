/*
 * test_regex.c - tests src/regex/regex.c and, through it, re2*.c and pcre.c.
 *
 * Expected results and messages are those of Go's regexp package.
 */
#include "base/alloc.h"
#include "regex/re2.h"
#include "regex/regex.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct {
    const char *pattern,
        *error; /* error: text after "error parsing regexp: " */
} refused[] = {
    { "(", "missing closing ): `(`" },
    { "a(b|c", "missing closing ): `a(b|c`" },
    { ")", "unexpected ): `)`" },
    { "a)b", "unexpected ): `a)b`" },
    { "[a", "missing closing ]: `[a`" },
    { "x[]a", "missing closing ]: `[]a`" },
    { "[[:alpha:]", "missing closing ]: `[[:alpha:]`" },
    { "*", "missing argument to repetition operator: `*`" },
    { "a|*?", "missing argument to repetition operator: `*?`" },
    { "(+)", "missing argument to repetition operator: `+`" },
    { "a**", "invalid nested repetition operator: `**`" },
    { "a*?*", "invalid nested repetition operator: `*?*`" },
    { "a++", "invalid nested repetition operator: `++`" },
    { "a{2}{3}", "invalid nested repetition operator: `{2}{3}`" },
    { "a{1001}", "invalid repeat count: `{1001}`" },
    { "a{2,1}", "invalid repeat count: `{2,1}`" },
    { "a{99999999999}", "invalid repeat count: `{99999999999}`" },
    { "(a{100}){11}", "invalid repeat count: `{11}`" },
    { "((a{10}){10}){11}", "invalid repeat count: `{11}`" },
    { "\\8", "invalid escape sequence: `\\8`" },
    { "(a)\\1", "invalid escape sequence: `\\1`" },
    { "\\C", "invalid escape sequence: `\\C`" },
    { "\\Z", "invalid escape sequence: `\\Z`" },
    { "[\\b]", "invalid escape sequence: `\\b`" },
    { "[a-\\d]", "invalid escape sequence: `\\d`" },
    { "\\x{110000}", "invalid escape sequence: `\\x{110000`" },
    { "\\x{}", "invalid escape sequence: `\\x{}`" },
    { "a\\", "trailing backslash at end of expression: ``" },
    { "(?=a)", "invalid or unsupported Perl syntax: `(?=`" },
    { "(?!a)", "invalid or unsupported Perl syntax: `(?!`" },
    { "(?>a)", "invalid or unsupported Perl syntax: `(?>`" },
    { "(?i-)a", "invalid or unsupported Perl syntax: `(?i-)`" },
    { "(?P=n)", "invalid or unsupported Perl syntax: `(?P`" },
    { "[z-a]", "invalid character class range: `z-a`" },
    { "[[:foo:]]", "invalid character class range: `[:foo:]`" },
    { "\\p{Grek}", "invalid character class range: `\\p{Grek}`" },
    { "\\p{Greek", "invalid character class range: `\\p{Greek`" },
    { "\\pX", "invalid character class range: `\\pX`" },
    { "(?P<n", "invalid named capture: `(?P<n`" },
    { "(?P<>a)", "invalid named capture: `(?P<>`" },
    { "(?<=a)b>", "invalid named capture: `(?<=a)b>`" },
    { "a\xff", "invalid UTF-8: `\xff`" },
    { "[\xed\xa0\x80]", "invalid UTF-8: `\xed\xa0\x80]`" },
};

static void test_refused(void)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        const char *pattern = refused[i].pattern;
        struct cp_error err = { 0 };
        char want[256];

        check_case(pattern);
        (void)snprintf(want, sizeof(want), "error parsing regexp: %s",
                       refused[i].error);
        CHECK(!cp_regex_new(pattern, strlen(pattern), &err));
        CHECK_INT(err.status, CP_EUSAGE);
        CHECK_STR(err.msg, want);
    }
}

static const struct {
    const char *pattern, *text;
    bool is_match;
} matches[] = {
    { "", "", true },
    { "foo", "a foo b", true },
    { "foo", "fo", false },
    { "a{,2}", "a{,2}", true },
    { "a{,2}", "aa", false },
    { "a{2", "a{2", true },
    { "^a{2,3}$", "aaa", true },
    { "^a{2,3}$", "aaaa", false },
    { "^a{2,}$", "a", false },
    { "a$", "a\n", false },
    { "(?m)a$", "a\n", true },
    { "(?m)\n^$", "a\n", true },
    { "a\\z", "ba", true },
    { "a.b", "a\nb", false },
    { "(?s)a.b", "a\nb", true },
    { "^\\s$", "\v", false },
    { "^\\v$", "\v", true },
    { "^[[:space:]]$", "\v", true },
    { "\\bfoo\\b", "a.foo(b)", true },
    { "\\bfoo\\b",
      "\xc3\xa9"
      "foo",
      true },
    { "^\\012$", "\n", true },
    { "^\\x41\\x{e9}$", "A\xc3\xa9", true },
    { "^\\Q.*\\E$", ".*", true },
    { "^\\Qa\\E*$", "aaa", true },
    { "a(?i)*$", "baaa", true },
    { "^(a(?i)b|c)d$", "Cd", true },
    { "^(a(?i)b|c)d$", "CD", false },
    { "^(?i:a)b$", "Ab", true },
    { "^(?i:a)b$", "AB", false },
    { "(?i)a|(?-i)b", "B", false },
    { "^(?P<x>a)(?<y>b)$", "ab", true },
    { "^(?U)a+?$", "aaa", true },
    { "^\\pL+$", "h\xc3\xa9", true },
    { "^\\p{Greek}$", "\xcf\x89", true },
    { "^\\P{^Greek}$", "\xcf\x89", true },
    { "^[^\\p{Greek}]$", "\xcf\x89", false },
    { "^\\p{Any}\\PN$", "1a", true },
    { "(?i)^\\w$", "\xe2\x84\xaa", true },
    { "(?i)^[\\W]$", "\xe2\x84\xaa", false },
    { "^\\w$", "\xe2\x84\xaa", false },
    { "(?i)k", "\xe2\x84\xaa", true },
    { "(?i)[^k]", "K", false },
    { "^[]a-]+$", "]a-", true },
    { "[\\d-z]", "-", true },
    { "\\x{D800}|[\\x{D800}]", "\xed\xa0\x80", false },
    { "^[^\\x{D800}]$", "a", true },
    { "[^\\x00-\\x{10FFFF}]", "a", false },
    { "^(|a)*b$", "aab", true },
    { "^(?:)*\\b+a$", "a", true },
    { "^a.b$",
      "a\xff"
      "b",
      true },
    { "^\\x{fffd}{2}$", "\xe2\x84", true },
    { "\\x{fffd}", "\xff", true },
    { "main\\.", "\xff main.f", true },
    { "x{0}", "", true },
    { "^(x{1000}){0}$", "", true },
};

static void test_match(void)
{
    for (size_t i = 0; i < COUNT(matches); i++) {
        const char *pattern = matches[i].pattern, *text = matches[i].text;
        struct cp_error err = { 0 };
        struct cp_regex *re = cp_regex_new(pattern, strlen(pattern), &err);

        check_case(pattern);
        CHECK_STR(err.msg, "");
        if (!CHECK(re != NULL))
            continue;
        CHECK_INT(cp_regex_match(re, text, strlen(text)), matches[i].is_match);
        CHECK_INT(cp_regex_check(re, &err), CP_OK);
        cp_regex_free(re);
    }
}

static const struct {
    const char *pattern, *literal; /* NULL: not a plain string */
} literals[] = {
    { "", "" },
    { "()()", "" },
    { "foo", "foo" },
    { "a\\.b\\x2e", "a.b." },
    { "\\Qa*b\\E", "a*b" },
    { "(?:ab)", "ab" },
    { "(h\xc3\xa9)", "h\xc3\xa9" },
    { "(?i)1-2", "1-2" },
    { "(?i)a", NULL },
    { "a.b", NULL },
    { "ab*", NULL },
    { "a|b", NULL },
    { "^a", NULL },
    { "\xef\xbf\xbd", NULL },
};

static void test_literal(void)
{
    for (size_t i = 0; i < COUNT(literals); i++) {
        const char *pattern = literals[i].pattern, *want = literals[i].literal;
        struct cp_re2 re2 = { 0 };

        check_case(pattern);
        CHECK_INT(cp_re2_init(&re2, pattern, strlen(pattern), NULL), CP_OK);
        CHECK_INT(re2.is_literal, want != NULL);
        if (want && CHECK_INT(re2.len, strlen(want)) && re2.len > 0)
            CHECK(memcmp(re2.text, want, re2.len) == 0);
        cp_re2_release(&re2);
    }
}

/* Returns n times a, then b, then n times c; the caller frees it. */
static char *nest(size_t n, const char *a, const char *b, const char *c)
{
    size_t len_a = strlen(a), len_b = strlen(b), len_c = strlen(c);
    char *text = malloc(n * (len_a + len_c) + len_b + 1), *end = text;

    if (!text)
        abort();
    for (size_t i = 0; i < n; i++)
        end = mempcpy(end, a, len_a);
    end = mempcpy(end, b, len_b);
    for (size_t i = 0; i < n; i++)
        end = mempcpy(end, c, len_c);
    *end = '\0';
    return text;
}

static const struct {
    const char *what;
    size_t n;
    const char *before, *middle, *after, *error;
} limits[] = {
    { "999 groups", 999, "(", "abc", ")", "" },
    { "1000 groups", 1000, "(", "abc", ")", "expression nests too deeply" },
    { "500 stars", 499, "(", "a", ")*", "" },
    { "plain groups", 100000, "(?:", "a", ")", "" },
    { "question marks", 900, "(?:", "a", ")?", "" },
    { "many alternatives", 9000, "", "name", "|std::string", "" },
    { "left open", 5000, "a(", "", "", "missing closing )" },
};

/* Within RE2's limits, but over the 64 KiB of a PCRE2 program. */
static void test_too_large(void)
{
    char *inside = nest(100, "a.", "", "");
    char *pattern = nest(1, "(", inside, "){1000}");
    struct cp_error err = { 0 };

    CHECK(!cp_regex_new(pattern, strlen(pattern), &err));
    CHECK_INT(err.status, CP_EUSAGE);
    CHECK(strstr(err.msg, "error parsing regexp: expression too large: `(a."));
    free(pattern);
    free(inside);
}

static void test_limits(void)
{
    for (size_t i = 0; i < COUNT(limits); i++) {
        char *pattern = nest(limits[i].n, limits[i].before, limits[i].middle,
                             limits[i].after);
        struct cp_error err = { 0 };
        struct cp_regex *re = cp_regex_new(pattern, strlen(pattern), &err);

        check_case(limits[i].what);
        CHECK((re != NULL) == (limits[i].error[0] == '\0'));
        CHECK(strstr(err.msg, limits[i].error) != NULL);
        cp_regex_free(re);
        free(pattern);
    }
}

/* More alternatives than one PCRE2 program holds; the last must be tried. */
static void test_many_alternatives(void)
{
    char *pattern = nest(9000, "some_function|", "(?i)last", "");
    struct cp_regex *re = cp_regex_new(pattern, strlen(pattern), NULL);

    if (CHECK(re != NULL)) {
        CHECK(cp_regex_match(re, "xLASTx", 6));
        CHECK(!cp_regex_match(re, "SOME_FUNCTION", 13));
    }
    cp_regex_free(re);
    free(pattern);
}

/* Backtracking alone would take longer than the age of the universe. */
static void test_explosive(void)
{
    static const char *const patterns[] = { "^(a|aa)+$", "(a|a)*[bc]$",
                                            "(a+a+)+[b-d]$",
                                            "^(.*)(.*)(.*)(.*)(.*)(.*)[x-z]$" };
    char *text = nest(2000, "a", "!", "");

    for (size_t i = 0; i < COUNT(patterns); i++) {
        struct cp_error err = { 0 };
        struct cp_regex *re =
            cp_regex_new(patterns[i], strlen(patterns[i]), NULL);

        check_case(patterns[i]);
        CHECK(!cp_regex_match(re, text, strlen(text)));
        text[2000] = 'x';
        CHECK_INT(cp_regex_match(re, text, strlen(text)), i == 3);
        text[2000] = '!';
        CHECK_INT(cp_regex_check(re, &err), CP_OK);
        cp_regex_free(re);
    }
    free(text);
}

static void test_gives_up(void)
{
    static const char pattern[] = "(.{0,50}){10}(.{0,50}){10}[yz]$";
    char *text = nest(3000, "a", "", "");
    struct cp_regex *re = cp_regex_new(pattern, strlen(pattern), NULL);
    struct cp_error err = { 0 };

    CHECK_INT(cp_regex_check(re, &err), CP_OK);
    CHECK(!cp_regex_match(re, text, strlen(text)));
    CHECK_INT(cp_regex_check(re, &err), CP_EUSAGE);
    CHECK_STR(err.msg, "regexp `(.{0,50}){10}(.{0,50}){10}[yz]$` needs too "
                       "many steps; simplify it");
    cp_regex_free(re);
    free(text);
}

/* Each failure reaches the caller, and nothing leaks. */
static void test_no_memory(void)
{
    static const char pattern[] = "(?i)a(b|[c-f]*)+|x\\pL{2}";
    struct cp_regex *re = NULL;
    bool is_match = false;

    for (long n = 1; n < 1000 && !is_match; n++) {
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        re = cp_regex_new(pattern, strlen(pattern), &err);
        is_match = re && cp_regex_match(re, "xyz\xff", 4);
        cp_alloc_fail_at(0);
        CHECK_INT(re ? CP_OK : CP_ENOMEM, err.status);
        if (re)
            CHECK_INT(cp_regex_check(re, &err), is_match ? CP_OK : CP_ENOMEM);
        cp_regex_free(re);
    }
    CHECK(is_match);
}

static void *match_often(void *re)
{
    bool ok = true;

    for (int i = 0; i < 2000; i++) {
        ok = ok && cp_regex_match(re, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 33);
        ok = ok && !cp_regex_match(re, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", 33);
    }
    return ok ? re : NULL;
}

static void test_threads(void)
{
    struct cp_regex *re = cp_regex_new("^(a|aa)+[b-d]$", 14, NULL);
    pthread_t threads[4];
    void *result;

    for (size_t i = 0; i < COUNT(threads); i++)
        CHECK(pthread_create(&threads[i], NULL, match_often, re) == 0);
    for (size_t i = 0; i < COUNT(threads); i++) {
        CHECK(pthread_join(threads[i], &result) == 0);
        CHECK(result == re);
    }
    cp_regex_free(re);
}

int main(void)
{
    RUN(test_refused);
    RUN(test_match);
    RUN(test_literal);
    RUN(test_limits);
    RUN(test_too_large);
    RUN(test_many_alternatives);
    RUN(test_explosive);
    RUN(test_gives_up);
    RUN(test_no_memory);
    RUN(test_threads);
    return check_failures != 0;
}
