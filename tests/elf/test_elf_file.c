/*
 * test_elf_file.c - tests src/elf/elf_file.c and elf_symbols.c on this program
 * itself and on the small files of fuzz/corpus/.
 */
#include "elf/elf_symbols.h"

#include <stdlib.h>

#include "check.h"

int test_elf_landmark(void);

int test_elf_landmark(void)
{
    return 4;
}

static struct cp_elf *open_self(void)
{
    struct cp_error err = { 0 };
    struct cp_elf *e = NULL;

    if (!CHECK_INT(cp_elf_open(&e, "/proc/self/exe", &err), CP_OK))
        exit(1);
    return e;
}

static void test_self(void)
{
    struct cp_elf *e = open_self();
    struct cp_elf_section text;
    const uint8_t *bytes;
    uint64_t address;
    size_t len;

    CHECK(cp_elf_type(e) == ET_DYN || cp_elf_type(e) == ET_EXEC);
    CHECK(cp_elf_machine(e) != EM_NONE);
    CHECK_INT(cp_elf_is_64(e), sizeof(void *) == 8);
    CHECK(cp_elf_section(e, ".text", &text));
    CHECK(text.flags & SHF_EXECINSTR);
    CHECK(!cp_elf_section(e, ".no_such_section", &text));
    CHECK(cp_elf_section(e, ".text", &text));
    bytes = cp_elf_bytes(e, &len);
    CHECK(text.data == bytes + text.offset && text.len == text.size);
    CHECK(cp_elf_address_of_offset(e, text.offset + 5, &address));
    CHECK_INT(address, text.addr + 5);
    CHECK(!cp_elf_address_of_offset(e, UINT64_MAX, &address));
    CHECK(cp_elf_section_at(e, cp_elf_section_count(e)) == NULL);
    CHECK(cp_elf_segment_at(e, cp_elf_segment_count(e)) == NULL);
    cp_elf_close(e);
    cp_elf_close(NULL);
}

static void test_symbols(void)
{
    struct cp_elf *e = open_self();
    struct cp_elf_symbols table;
    struct cp_elf_symbol s;
    int n = 0;

    CHECK(cp_elf_symbols_init(&table, e, SHT_SYMTAB));
    while (cp_elf_symbols_next(&table, &s))
        if (strcmp(s.name, "test_elf_landmark") == 0) {
            n++;
            CHECK_INT(s.type, STT_FUNC);
            CHECK_INT(s.bind, STB_GLOBAL);
            CHECK(s.size > 0);
        }
    CHECK_INT(n, 1);
    CHECK(!cp_elf_symbols_init(&table, e, SHT_LOUSER));
    cp_elf_close(e);
}

static const struct {
    const char *name, *bytes;
    size_t len;
    const char *want;
} bad[] = {
    { "empty", "", 0, "not an ELF file" },
    { "text", "#!/bin/sh\nexit 0\n and more", 26, "not an ELF file" },
    { "only the mark", "\177ELF", 4, "not an ELF file" },
    { "big-endian", "\177ELF\2\2\1\0\0\0\0\0\0\0\0\0", 16,
      "big-endian ELF files are not supported" },
    { "class 3", "\177ELF\3\1\1\0\0\0\0\0\0\0\0\0", 16,
      "ELF file of unknown class 3" },
    { "cut in the header", "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0", 18,
      "ELF header is truncated" },
};

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct cp_error err = { 0 };
        struct cp_elf *e = NULL;

        check_case(bad[i].name);
        CHECK_INT(cp_elf_view(&e, bad[i].bytes, bad[i].len, &err), CP_EFORMAT);
        CHECK_STR(err.msg, bad[i].want);
        CHECK(!e);
    }
}

static void test_files(void)
{
    struct cp_error err = { 0 };
    struct cp_elf *e = NULL;

    CHECK_INT(cp_elf_open(&e, "no/such/file", &err), CP_EIO);
    CHECK_STR(err.msg, "No such file or directory");
    CHECK_INT(cp_elf_open(&e, "/", &err), CP_EIO);
    CHECK_STR(err.msg, "is a directory");
    CHECK_INT(cp_elf_open(&e, "/dev/null", &err), CP_EFORMAT);
    CHECK(!e);
}

/*
 * Every truncation of a file can be opened or is refused; contents only get
 * fewer.
 */
static void test_cuts(void)
{
    static char bytes[1 << 16];
    FILE *f = fopen("fuzz/corpus/dwarf/linked_gcc", "rb");
    size_t len = f ? fread(bytes, 1, sizeof(bytes), f) : 0;

    if (!CHECK(len > 4096))
        return;
    (void)fclose(f);
    for (size_t cut = len; cut > 0; cut -= cut > 256 ? 97 : 1) {
        char *copy = malloc(cut);
        struct cp_elf *e = NULL;

        memcpy(copy, bytes, cut);
        if (cp_elf_view(&e, copy, cut, NULL) == CP_OK)
            for (size_t i = 0; i < cp_elf_section_count(e); i++) {
                const struct cp_elf_section *s = cp_elf_section_at(e, i);

                if (s->len && !CHECK(s->offset + s->len <= cut))
                    return;
            }
        cp_elf_close(e);
        free(copy);
    }
}

/* Sections of an object file get addresses, executable ones first. */
static void test_layout(void)
{
    struct cp_elf *e = NULL;
    struct cp_elf_section text;
    uint64_t code_end = 0;

    CHECK_INT(cp_elf_open(&e, "fuzz/corpus/dwarf/clang_addrx", NULL), CP_OK);
    CHECK_INT(cp_elf_type(e), ET_REL);
    CHECK(cp_elf_section(e, ".text.g", &text));
    for (size_t i = 0; i < cp_elf_section_count(e); i++) {
        const struct cp_elf_section *s = cp_elf_section_at(e, i);

        if (!(s->flags & SHF_EXECINSTR) || s->len == 0)
            continue;
        CHECK(s->addr >= code_end);
        code_end = s->addr + s->len;
    }
    CHECK(text.addr > 0 && text.addr < code_end);
    cp_elf_close(e);
}

int main(void)
{
    RUN(test_self);
    RUN(test_symbols);
    RUN(test_bad);
    RUN(test_files);
    RUN(test_cuts);
    RUN(test_layout);
    return check_failures != 0;
}
