/* test_symtab.c - tests src/symbol/table/symtab.c. */
#include "elf/elf_file.h"
#include "symbol/table/symtab.h"

#include <stdlib.h>

#include "check.h"

/* Symbols in the order of a table, and the requested address. */
static const struct {
    const char *what;
    struct cp_symtab_hit symbols[4];
    uint64_t address;
    const char *want;
} cases[] = {
    { "within", { { "f", 100, 10, 0, 1, 0 } }, 109, "f" },
    { "at its start", { { "f", 100, 10, 0, 1, 0 } }, 100, "f" },
    { "behind its end", { { "f", 100, 10, 0, 1, 0 } }, 110, NULL },
    { "before it", { { "f", 100, 10, 0, 1, 0 } }, 99, NULL },
    { "the nearer of two",
      { { "f", 100, 50, 0, 1, 0 }, { "g", 120, 30, 0, 1, 0 } },
      125,
      "g" },
    { "the outer, behind the inner",
      { { "f", 100, 50, 0, 1, 0 }, { "g", 120, 5, 0, 1, 0 } },
      130,
      "f" },
    { "without size", { { "start", 100, 0, 500, 1, 0 } }, 300, "start" },
    { "without size, beyond the section",
      { { "start", 100, 0, 500, 1, 0 } },
      500,
      NULL },
    { "without size, up to the next",
      { { "start", 100, 0, 500, 1, 0 }, { "g", 200, 10, 0, 1, 0 } },
      300,
      NULL },
    { "a size before a label",
      { { "f", 100, 50, 0, 1, 0 }, { "label", 110, 0, 500, 1, 0 } },
      120,
      "f" },
    { "the better name",
      { { "__f", 100, 10, 0, 1, 0 },
        { "f", 100, 10, 0, 3, 0 },
        { "_f", 100, 10, 0, 2, 0 } },
      105,
      "f" },
    { "of equals the last",
      { { "a", 100, 10, 0, 1, 0 }, { "b", 100, 10, 0, 1, 0 } },
      105,
      "b" },
};

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        /* With adjacent addresses, so that hits must be propagated and end. */
        uint64_t sorted[] = { 0, cases[i].address, cases[i].address,
                              UINT64_MAX };
        struct cp_symtab_hit hits[4] = { 0 };

        check_case(cases[i].what);
        for (size_t k = 0; k < 4 && cases[i].symbols[k].name; k++)
            cp_symtab_offer(&cases[i].symbols[k], sorted, 4, hits);
        cp_symtab_propagate(sorted, 4, hits);
        CHECK_STR(hits[0].name, NULL);
        CHECK_STR(hits[1].name, cases[i].want);
        CHECK_STR(hits[2].name, cases[i].want);
        CHECK_STR(hits[3].name, NULL);
    }
}

int test_symtab_landmark(int x);

int test_symtab_landmark(int x)
{
    return x * x;
}

/* This program's symbol table, read directly and by the index. */
static void test_self(void)
{
    struct cp_elf *e = NULL;
    struct cp_symtab_index *x;
    uint64_t sorted[2000];
    struct cp_symtab_hit a[2000] = { 0 }, b[2000] = { 0 };
    struct cp_elf_section text;
    int n_named = 0, n_landmarks = 0;

    CHECK_INT(cp_elf_open(&e, "/proc/self/exe", NULL), CP_OK);
    CHECK(cp_elf_section(e, ".text", &text));
    for (size_t i = 0; i < 2000; i++)
        sorted[i] = text.addr + i * text.size / 2000;
    cp_symtab_find(e, sorted, 2000, a);
    x = cp_symtab_index_new(e);
    cp_symtab_index_find(x, sorted, 2000, b);
    for (size_t i = 0; i < 2000; i++) {
        n_named += a[i].name != NULL;
        if ((a[i].name || b[i].name) && !CHECK_STR(a[i].name, b[i].name))
            break;
    }
    CHECK(n_named > 1500);
    for (uint64_t at = text.addr; at < text.addr + text.size; at += 4) {
        struct cp_symtab_hit hit = { 0 };

        cp_symtab_index_find(x, &at, 1, &hit);
        n_landmarks += hit.name && !strcmp(hit.name, "test_symtab_landmark");
    }
    CHECK(n_landmarks > 0);
    cp_symtab_find(e, sorted, 0, a);
    cp_symtab_index_free(x);
    cp_elf_close(e);
}

int main(void)
{
    RUN(test_cases);
    RUN(test_self);
    return check_failures != 0;
}
