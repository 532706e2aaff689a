/*
 * test_memory_map.c - tests src/profile/legacy/memory_map.c, mapping_assign.c
 * and range_index.c.
 */
#include "base/index.h"
#include "profile/legacy/mapping_assign.h"
#include "profile/legacy/memory_map.h"
#include "profile/model/build.h"
#include "profile/model/range_index.h"

#include "check.h"

/* Formats the mappings as "start-limit@offset file build_id; ". */
static const char *mappings_text(const struct cp_profile *p)
{
    static char text[2048];
    size_t len = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < p->n_mappings && len < sizeof(text); i++) {
        const struct cp_mapping *m = &p->mappings[i];

        len += (size_t)snprintf(
            text + len, sizeof(text) - len, "%llx-%llx@%llx %s %s; ",
            (unsigned long long)m->start, (unsigned long long)m->limit,
            (unsigned long long)m->offset, cp_profile_cstr(p, m->file),
            cp_profile_cstr(p, m->build_id));
    }
    return text;
}

static const struct {
    const char *what, *text, *want;
} lines[] = {
    { "proc", "400000-500000 r-xp 00001000 fd:01 123 /bin/foo",
      "400000-500000@1000 /bin/foo ; " },
    { "proc without file", "400000-500000 r-xp 00001000 08:01 123",
      "400000-500000@1000  ; " },
    { "proc, name cut at a blank",
      "400000-500000 r-xp 00001000 08:01 123 /a b (deleted)",
      "400000-500000@1000 /a ; " },
    { "proc, not executable", "400000-500000 r--p 00001000 08:01 123 /a", "" },
    { "proc, no permissions", "400000-500000 1000 08:01 123 /a",
      "400000-500000@1000 /a ; " },
    { "proc, no offset", "400000-500000 r-xp 08:01 123 /a",
      "400000-500000@0 /a ; " },
    { "proc, tabs", "400000-500000\tr-xp\t1000 08:01\t123\t/a",
      "400000-500000@1000 /a ; " },
    { "proc, inode must be decimal", "400000-500000 r-xp 10 08:01 ab /a",
      "400000-500000@0 10 08; " },
    { "brief", "400000-500000: /a", "400000-500000@0 /a ; " },
    { "brief, 0x and blanks", " 0x400000 0x500000 /a",
      "400000-500000@0 /a ; " },
    { "brief, no colon", "400000-500000 /a", "400000-500000@0 /a ; " },
    { "brief, all parts", "400000-500000: r-xp /a (@1000) ab12",
      "400000-500000@1000 /a ab12; " },
    { "brief, build id only", "400000-500000: /a ab12",
      "400000-500000@0 /a ab12; " },
    { "brief, not executable", "400000-500000: rw-p /a", "" },
    { "brief, nothing more", "400000-500000", "400000-500000@0  ; " },
    { "brief, x is permissions", "400000-500000: x86", "400000-500000@0  ; " },
    { "brief, p is permissions", "400000-500000: python", "" },
    { "brief, offset with 0x", "400000-500000: /a (@0x1000)",
      "400000-500000@0 /a ; " },
    { "one run of digits", "ab /a", "a-b@0 /a ; " },
    { "digits, then 0x", "400x5 /a", "40-5@0 /a ; " },
    { "one digit", "a /a", "" },
    { "dash, blank", "400000- 500000 /a", "400000-500000@0 /a ; " },
    { "blank, dash", "400000 - 500000 /a", "" },
    { "too many bits", "400000-1ffffffffffffffff /a", "" },
    { "upside down", "500000-400000: /a", "500000-400000@0 /a ; " },
    { "name", "d=/tmp\n400000-500000: $d/x$d",
      "400000-500000@0 /tmp/x/tmp ; " },
    { "name with blanks", " d = /tmp \n400000-500000: $d",
      "400000-500000@0 /tmp ; " },
    { "earliest name wins", "q=1\nq=2\n400000-500000: $q",
      "400000-500000@0 1 ; " },
    { "a shorter name first", "q=1\nqq=2\n400000-500000: $qq",
      "400000-500000@0 1q ; " },
    { "a longer name first", "qq=2\nq=1\n400000-500000: $qq",
      "400000-500000@0 2 ; " },
    { "empty name", "=q\n400000-500000: /$x", "400000-500000@0 /qx ; " },
    { "unknown name", "400000-500000: $q", "400000-500000@0 $q ; " },
    { "name in a name", "q=z\n$q=y\n400000-500000: $z",
      "400000-500000@0 y ; " },
    { "log prefix", "I0101 12:00:00 1 a.cc:12] 400000-500000: /a",
      "400000-500000@0 /a ; " },
    { "log prefix once", "a:1] b:2] 400000-500000: /a", "" },
    { "no log prefix", "a] 400000-500000: /a", "" },
    { "other lines", "junk\n\n# 400000-500000: /a\n--- x ---\n", "" },
    { "carriage return", "400000-500000: /a\r\n", "400000-500000@0 /a ; " },
};

static void test_lines(void)
{
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct cp_text text = cp_text_of(lines[i].text, strlen(lines[i].text));
        struct cp_builder b = { 0 };

        check_case(lines[i].what);
        CHECK(cp_builder_init(&b, NULL) == CP_OK);
        CHECK(cp_memory_map_read(&b, text, NULL) == CP_OK);
        CHECK_STR(mappings_text(b.profile), lines[i].want);
        cp_builder_release(&b);
    }
}

/* Names that double with each line must not exhaust memory. */
static void test_doubling_names(void)
{
    char text[4096] = "q0=xxxxxxxxxxxxxxxx\n";
    size_t len = strlen(text);
    struct cp_builder b = { 0 };

    for (int i = 1; i < 60; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "q%d=$q%d.$q%d.\n", i, i - 1, i - 1);
    CHECK(cp_builder_init(&b, NULL) == CP_OK);
    CHECK(cp_memory_map_read(&b, cp_text_of(text, len), NULL) == CP_OK);
    cp_builder_release(&b);
}

static const struct {
    const char *what, *text, *want;
    const char *of_locations; /* mapping index of each location, '-' for none */
} maps[] = {
    { "nothing at all", "", "0-ffffffffffffffff@0  ; ", "000-" },
    { "all but one", "0-ffffff: /a\n",
      "0-ffffff@0 /a ; 0-ffffffffffffffff@0  ; ", "001-" },
    { "neighbours join", "400000-401000: /a\n401000-500000: /a\n",
      "400000-500000@0 /a ; 0-ffffffffffffffff@0  ; ", "011-" },
    { "names may be missing", "400000-401000:\n401000-500000: /a (@5)\n",
      "400000-500000@0 /a ; 0-ffffffffffffffff@0  ; ", "011-" },
    { "names differ", "400000-401000: /a\n401000-500000: /b\n",
      "400000-401000@0 /a ; 401000-500000@0 /b ; 0-ffffffffffffffff@0  ; ",
      "122-" },
    { "offsets fit", "410000-411000: /a (@1000)\n411000-500000: /a (@2000)\n",
      "410000-500000@1000 /a ; 0-ffffffffffffffff@0  ; ", "111-" },
    { "offsets differ", "401000-402000: /a (@9)\n402000-500000: /a (@8)\n",
      "401000-402000@9 /a ; 402000-500000@8 /a ; 0-ffffffffffffffff@0  ; ",
      "022-" },
    { "build ids differ", "1-2: /a ab\n2-3: /a cd\n",
      "1-2@0 /a ab; 2-3@0 /a cd; 0-ffffffffffffffff@0  ; ", "222-" },
    { "build id is kept", "1-2: /a\n2-3: /a cd\n",
      "1-3@0 /a cd; 0-ffffffffffffffff@0  ; ", "111-" },
    { "program first", "1-2: /lib/c.so.6\n3-4: [vdso]\n5-6: /a.so_1\n7-8: /a\n",
      "7-8@0 /a ; 3-4@0 [vdso] ; 5-6@0 /a.so_1 ; 1-2@0 /lib/c.so.6 ; "
      "0-ffffffffffffffff@0  ; ",
      "444-" },
    { "not quite libraries", "1-2: a.sox\n3-4: /a\n",
      "1-2@0 a.sox ; 3-4@0 /a ; 0-ffffffffffffffff@0  ; ", "222-" },
    { "deleted library", "1-2: /x.so(deleted)\n3-4: /a\n",
      "3-4@0 /a ; 1-2@0 /x.so(deleted) ; 0-ffffffffffffffff@0  ; ", "222-" },
    { "huge page", "300000-400000: /anon_hugepage\n400000-500000: /a\n",
      "400000-500000@0 /a ; 0-ffffffffffffffff@0  ; ", "011-" },
    { "huge page apart", "1-2: /anon_hugepage\n400000-500000: /a\n",
      "1-2@0 /anon_hugepage ; 400000-500000@0 /a ; 0-ffffffffffffffff@0  ; ",
      "122-" },
    { "usual start", "402000-500000: /a (@2000)\n",
      "400000-500000@0 /a ; 0-ffffffffffffffff@0  ; ", "011-" },
    { "missing head", "402000-500000: /a (@1000)\n",
      "401000-500000@0 /a ; 0-ffffffffffffffff@0  ; ", "011-" },
    { "no head after the catch-all", "7f0000002000-7f0000003000: /a (@2000)\n",
      "7f0000002000-7f0000003000@2000 /a ; 0-ffffffffffffffff@0  ; ", "111-" },
    { "first of two", "0-500000: /a\n0-ffffffffffffffff: /b\n",
      "0-500000@0 /a ; 0-ffffffffffffffff@0 /b ; ", "011-" },
};

static void check_map(const char *map, const char *want, const char *of)
{
    static const uint64_t addresses[] = { 0x401000, 0x501000, 0x7f0000001000,
                                          0 };
    struct cp_builder b = { 0 };
    const struct cp_profile *p;

    CHECK(cp_builder_init(&b, NULL) == CP_OK);
    for (size_t i = 0; i < 4; i++)
        (void)cp_builder_location(&b, addresses[i], NULL);
    CHECK(cp_memory_map_read(&b, cp_text_of(map, strlen(map)), NULL) == CP_OK);
    CHECK(cp_mapping_assign(&b, NULL) == CP_OK);
    p = b.profile;
    CHECK_STR(mappings_text(p), want);
    for (size_t i = 0; i < 4; i++)
        CHECK_INT(p->locations[i].mapping,
                  of[i] == '-' ? CP_NONE : (uint32_t)(of[i] - '0'));
    for (uint32_t i = 0; i < p->n_mappings; i++)
        CHECK_INT(p->mappings[i].id, i + 1);
    cp_builder_release(&b);
}

static void test_assignment(void)
{
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        check_case(maps[i].what);
        check_map(maps[i].text, maps[i].want, maps[i].of_locations);
    }
}

static void test_where_a_map_begins(void)
{
    static const char text[] = "x\n--- Memory map: ---\n1-2: /a\n";
    struct cp_text line = cp_text_of(text, 1);
    struct cp_text rest = cp_text_of(text + 2, sizeof(text) - 3);
    struct cp_builder b = { 0 };

    CHECK(cp_memory_map_starts(cp_text_of(text + 2, 19)));
    CHECK(!cp_memory_map_starts(cp_text_of(text + 2, 18)));
    CHECK(cp_memory_map_starts(cp_text_of("#MAPPED_LIBRARIES:x", 19)));
    CHECK(cp_builder_init(&b, NULL) == CP_OK);
    CHECK(cp_memory_map_finish(&b, line, rest, NULL) == CP_OK);
    CHECK_STR(mappings_text(b.profile), "1-2@0 /a ; ");
    cp_builder_release(&b);
}

/* Compares the index with a linear search. */
static void test_range_index(void)
{
    static const uint64_t from[] = { 10, 5, 0, 12, 30, 7, 20 };
    static const uint64_t to[] = { 20, 15, 3, 12, 40, 60, 10 };
    uint64_t bounds[14];
    struct cp_range_index x = { 0 };

    for (uint32_t i = 0; i < 7; i++) {
        bounds[2 * i] = from[i];
        bounds[2 * i + 1] = to[i];
    }
    CHECK(cp_range_index_init(&x, bounds, 14, NULL) == CP_OK);
    for (uint32_t i = 0; i < 7; i++)
        cp_range_index_add(&x, from[i], to[i], i);
    for (uint64_t point = 0; point < 70; point++) {
        uint32_t want = 0;

        while (want < 7 && (point < from[want] || point >= to[want]))
            want++;
        CHECK_INT(cp_range_index_find(&x, point),
                  want < 7 ? want : CP_NO_RANGE);
    }
    cp_range_index_release(&x);
}

int main(void)
{
    RUN(test_lines);
    RUN(test_doubling_names);
    RUN(test_assignment);
    RUN(test_where_a_map_begins);
    RUN(test_range_index);
    return check_failures != 0;
}
