/* test_routines.c - tests src/symbol/table/routines.c. */
#include "elf/elf_file.h"
#include "symbol/table/routines.h"

#include "check.h"
#include "elf_fixture.h"

static const uint8_t code[64];

static const struct fixture_symbol symbols[] = {
    { "second", 0x1010, 16, STT_FUNC },   { "first", 0x1000, 16, STT_FUNC },
    { "alias", 0x1010, 16, STT_FUNC },    { "sizeless", 0x1028, 0, STT_NOTYPE },
    { "last", 0x1030, 0, STT_FUNC },      { "$x", 0x1004, 0, STT_NOTYPE },
    { ".Llabel", 0x1006, 0, STT_NOTYPE }, { "data", 0x1008, 4, STT_OBJECT },
    { "first", 0x1000, 16, STT_FUNC },
};

static const struct {
    uint64_t address;
    const char *name;
    uint64_t end;
} rows[] = {
    { 0xfff, NULL, 0 },
    { 0x1000, "first", 0x1010 },
    { 0x100f, "first", 0x1010 },
    { 0x1010, "alias", 0x1020 },
    { 0x101f, "alias", 0x1020 },
    { 0x1020, NULL, 0 },
    { 0x1028, "sizeless", 0x1030 },
    { 0x102f, "sizeless", 0x1030 },
    { 0x1030, "last", 0x1040 },
    { 0x103f, "last", 0x1040 },
    { 0x1040, NULL, 0 },
    { UINT64_MAX, NULL, 0 },
};

static void test_find(const struct cp_routines *r)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct cp_routine *got = cp_routines_find(r, rows[i].address);

        CHECK_STR(got ? got->name : NULL, rows[i].name);
        CHECK_INT(got ? got->end : 0, rows[i].end);
    }
}

static void test_aliases(const struct cp_routines *r)
{
    const struct cp_routine *at = cp_routines_find(r, 0x1012);

    if (!CHECK(at != NULL))
        return;
    at = cp_routines_alias(r, at);
    CHECK_STR(at ? at->name : NULL, "second");
    CHECK(at && !cp_routines_alias(r, at));
    CHECK(!cp_routines_alias(r, cp_routines_find(r, 0x1000)));
}

int main(void)
{
    struct elf_fixture fixture;
    struct cp_elf *e = NULL;
    struct cp_routines r = { 0 };

    elf_fixture_init(&fixture, ET_DYN, EM_X86_64, 0x1000, code, sizeof(code),
                     symbols, sizeof(symbols) / sizeof(symbols[0]));
    if (!CHECK(cp_elf_view(&e, fixture.words, fixture.len, NULL) == CP_OK &&
               cp_routines_init(&r, e, NULL, NULL) == CP_OK))
        return 1;
    check_case("find");
    test_find(&r);
    check_case("aliases");
    test_aliases(&r);
    cp_routines_release(&r);
    check_case("a second table");
    CHECK(cp_routines_init(&r, e, e, NULL) == CP_OK);
    CHECK_INT(r.n, 5);
    cp_routines_release(&r);
    cp_elf_close(e);
    return check_failures != 0;
}
