/* test_elf_decompress.c - tests src/elf/elf_decompress.c and elf_relocate.c. */
#include "elf/elf_file.h"
#include "elf/elf_decompress.h"

#include <stdlib.h>

#include "check.h"

#define CORPUS "fuzz/corpus/"

static struct cp_elf *open_file(const char *path)
{
    struct cp_elf *e = NULL;

    if (!CHECK_INT(cp_elf_open(&e, path, NULL), CP_OK))
        exit(1);
    return e;
}

/* Compressed variants of a file have the same contents. */
static void test_packed(void)
{
    static const char *const packed[] = { "packed_zlib", "packed_old" };
    static const char *const sections[] = { ".debug_info", ".debug_line",
                                            ".debug_str", ".debug_aranges" };

    for (size_t i = 0; i < 2; i++) {
        struct cp_elf *plain = open_file(CORPUS "dwarf/linked_gcc");
        char path[64];
        struct cp_elf *e;

        check_case(packed[i]);
        (void)snprintf(path, sizeof(path), CORPUS "dwarf/%s", packed[i]);
        e = open_file(path);
        for (size_t k = 0; k < 4; k++) {
            struct cp_elf_data a = { 0 }, b = { 0 };

            CHECK_INT(cp_elf_decompress(plain, sections[k], &a, NULL), CP_OK);
            CHECK_INT(cp_elf_decompress(e, sections[k], &b, NULL), CP_OK);
            CHECK(a.len > 0 && a.len == b.len);
            CHECK(a.len == b.len && memcmp(a.data, b.data, a.len) == 0);
            CHECK(!a.own.data);
            cp_elf_data_release(&a);
            cp_elf_data_release(&b);
        }
        cp_elf_close(plain);
        cp_elf_close(e);
    }
}

/* Damaged and too large sections are refused with the section's name. */
static void test_damaged(void)
{
    static const struct {
        const char *name;
        size_t at; /* offset in the section */
        uint8_t byte;
        const char *want;
    } cases[] = {
        { "unknown kind", 0, 9, ".debug_info: unknown compression type 9" },
        { "too large", 12, 0xff,
          ".debug_info: decompressed size exceeds the limit" },
        { "no zlib", 24, 0xff, ".debug_info: damaged zlib data" },
        { "called zstd", 0, 2, ".debug_info: damaged zstd data" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_elf *e = open_file(CORPUS "dwarf/packed_zlib"), *bad = NULL;
        struct cp_elf_section s;
        struct cp_elf_data d = { 0 };
        struct cp_error err = { 0 };
        size_t len;
        const uint8_t *bytes = cp_elf_bytes(e, &len);
        uint8_t *copy = malloc(len);

        check_case(cases[i].name);
        memcpy(copy, bytes, len);
        CHECK(cp_elf_section(e, ".debug_info", &s));
        copy[s.offset + cases[i].at] = cases[i].byte;
        CHECK_INT(cp_elf_view(&bad, copy, len, NULL), CP_OK);
        CHECK_INT(cp_elf_decompress(bad, ".debug_info", &d, &err), CP_EFORMAT);
        CHECK_STR(err.msg, cases[i].want);
        CHECK(!d.data);
        cp_elf_close(bad);
        cp_elf_close(e);
        free(copy);
    }
}

static void test_absent(void)
{
    struct cp_elf *e = open_file(CORPUS "elf/stripped");
    struct cp_elf_data d = { 0 };

    CHECK_INT(cp_elf_decompress(e, ".debug_info", &d, NULL), CP_OK);
    CHECK(!d.data && d.len == 0);
    cp_elf_close(e);
}

static void test_xz(void)
{
    struct cp_elf *plain = open_file(CORPUS "elf/stripped");
    struct cp_bytes packed = { 0 }, out = { 0 };
    struct cp_error err = { 0 };
    size_t len;
    const uint8_t *bytes = cp_elf_bytes(plain, &len);

    CHECK_INT(
        cp_bytes_read_file(&packed, CORPUS "elf/packed_xz", 1 << 20, NULL),
        CP_OK);
    CHECK_INT(cp_elf_decompress_xz(packed.data, packed.len, &out, &err), CP_OK);
    CHECK(out.len == len && memcmp(out.data, bytes, len) == 0);
    cp_bytes_release(&out);
    packed.data[packed.len / 2] ^= 0x55;
    CHECK_INT(cp_elf_decompress_xz(packed.data, packed.len, &out, &err),
              CP_EFORMAT);
    CHECK_STR(err.msg, "damaged xz data");
    CHECK_INT(cp_elf_decompress_xz(packed.data, 20, &out, &err), CP_EFORMAT);
    CHECK(!out.data);
    cp_bytes_release(&packed);
    cp_elf_close(plain);
}

/* The debug sections of an object file are relocated. */
static void test_relocated(void)
{
    struct cp_elf *e = open_file(CORPUS "dwarf/gcc_5");
    struct cp_elf_section raw;
    struct cp_elf_data d = { 0 };

    CHECK(cp_elf_section(e, ".debug_info", &raw));
    CHECK_INT(cp_elf_decompress(e, ".debug_info", &d, NULL), CP_OK);
    CHECK(d.own.data && d.len == raw.len);
    CHECK(memcmp(d.data, raw.data, raw.len) != 0);
    cp_elf_data_release(&d);
    cp_elf_close(e);
}

int main(void)
{
    RUN(test_packed);
    RUN(test_damaged);
    RUN(test_absent);
    RUN(test_xz);
    RUN(test_relocated);
    return check_failures != 0;
}
