/* test_symbolized.c - tests src/profile/legacy/symbolized.c. */
#include "profile/legacy/legacy.h"

#include "check.h"

#define HEAP                                                                   \
    "heap profile: 1: 8 [ 1: 8] @ heapprofile\n"                               \
    " 1: 8 [ 1: 8] @ 0x1001 0x2001 0x3001\n"                                   \
    "MAPPED_LIBRARIES:\n"                                                      \
    "1000-9000 r-xp 00000000 00:00 0 /bin/x\n"

static const struct {
    const char *what, *text;
    const char
        *names; /* names of the stack, leaf first; or the error message */
} cases[] = {
    { "no names", HEAP, ". . ." },
    { "names",
      "--- symbol\nbinary=x\n0x1000 a\n0x2000 b\n0x3000 c\n---\n--- "
      "heap\n" HEAP,
      "a b c" },
    { "in any order",
      "--- symbol\n0x3000 c\n0x2000 b\n0x1000 a\n---\n--- heap\n" HEAP,
      "a b c" },
    { "not all", "--- symbol\n0x2000 b\n---\n--- heap\n" HEAP, ". b ." },
    { "as the leaf is written", "--- symbol\n0x1001 a\n---\n--- heap\n" HEAP,
      "a . ." },
    { "addresses of symbols",
      "--- symbol\n0x1000 a<0000000000001000>\n0x2000 b<00ff>\n---\n"
      "--- heap\n" HEAP,
      "a b ." },
    { "inlined",
      "--- symbol\n0x1000 in<0000000000001000>--out<0000000000000900>\n---\n"
      "--- heap\n" HEAP,
      "in,out . ." },
    { "operator--",
      "--- symbol\n0x1000 A::operator--(int)--b\n---\n--- heap\n" HEAP,
      "A::operator--,b . ." },
    { "without arguments",
      "--- symbol\n0x1000 f(int)\n0x2000 f<int>(char)\n---\n--- heap\n" HEAP,
      "f f ." },
    { "no heading", "--- symbol\n0x1000 a\n---\n" HEAP, "a . ." },
    { "no name on a line", "--- symbol\n0x1000\n\n---\n--- heap\n" HEAP,
      ". . ." },
    { "no address", "--- symbol\nhello\n---\n--- heap\n" HEAP,
      "malformed symbol: hello" },
    { "an address too long",
      "--- symbol\n0x11112222333344445 a\n---\n--- heap\n" HEAP,
      "malformed symbol:  a" },
    { "no end", "--- symbol\n0x1000 a\n" HEAP, "unrecognized profile format" },
    { "names of names", "--- symbol\n---\n--- symbol\n---\n" HEAP,
      "unrecognized profile format" },
    { "nothing behind", "--- symbol\n---\n", "unrecognized profile format" },
};

/* Returns the names of the first sample's stack: "." for none. */
static void describe(const struct cp_profile *p, char *out, size_t cap)
{
    size_t n = 0;

    for (uint32_t i = 0; i < p->samples[0].n_locs; i++) {
        const struct cp_location *l = &p->locations[cp_profile_stack(p, 0)[i]];

        n += (size_t)snprintf(out + n, cap - n, "%s%s", i ? " " : "",
                              l->n_lines ? "" : ".");
        for (uint32_t k = 0; k < l->n_lines; k++) {
            const struct cp_line *line = &p->lines[l->lines + k];

            n += (size_t)snprintf(
                out + n, cap - n, "%s%s", k ? "," : "",
                cp_profile_cstr(p, p->functions[line->function].name));
        }
    }
}

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_error err = { 0 };
        struct cp_profile *p =
            cp_legacy_read(cases[i].text, strlen(cases[i].text), &err);
        char got[256] = "";

        check_case(cases[i].what);
        if (p)
            describe(p, got, sizeof(got));
        CHECK_STR(p ? got : err.msg, cases[i].names);
        cp_profile_free(p);
    }
}

static void test_same_function(void)
{
    static const char text[] =
        "--- symbol\n0x1000 f(int)\n0x2000 f(int)\n0x3000 f(char)\n---\n" HEAP;
    struct cp_profile *p = cp_legacy_read(text, sizeof(text) - 1, NULL);

    if (!CHECK(p))
        return;
    CHECK_INT(p->n_functions, 2);
    CHECK_STR(cp_profile_cstr(p, p->functions[0].name), "f");
    CHECK_STR(cp_profile_cstr(p, p->functions[0].system_name), "f(int)");
    CHECK_STR(cp_profile_cstr(p, p->functions[1].system_name), "f(char)");
    CHECK(p->mappings[0].has_functions);
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_cases);
    RUN(test_same_function);
    return check_failures != 0;
}
