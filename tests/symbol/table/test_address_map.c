/* test_address_map.c - tests src/symbol/table/address_map.c. */
#include "elf/elf_file.h"
#include "symbol/table/address_map.h"

#include "check.h"
#include "elf_fixture.h"

#define KERNEL 0xffffffff81000000u

static const uint8_t code[64];

/* The segment is at offset 0x400 of the file and 64 bytes long. */
static const struct {
    const char *name, *file;
    uint16_t type;
    uint64_t vaddr;
    struct cp_address_range range;
    uint64_t address, want;
} rows[] = {
    { "shared library",
      "/lib/x.so",
      ET_DYN,
      0x1400,
      { 0x7f0000001000, 0x7f0000002000, 0 },
      0x7f0000001410,
      0x1410 },
    { "the same, mapped from its page on",
      "/lib/x.so",
      ET_DYN,
      0x401400,
      { 0x7f0000001000, 0x7f0000002000, 0x400 },
      0x7f0000001010,
      0x401410 },
    { "fixed program",
      "/bin/x",
      ET_EXEC,
      0x400400,
      { 0x400000, 0x401000, 0 },
      0x400410,
      0x400410 },
    { "fixed program that was moved",
      "/bin/x",
      ET_EXEC,
      0x400400,
      { 0x500000, 0x501000, 0 },
      0x500410,
      0x400410 },
    { "no memory map",
      "/bin/x",
      ET_EXEC,
      0x400400,
      { 0, 0, 0 },
      0x400410,
      0x400410 },
    { "everything is mapped",
      "/bin/x",
      ET_DYN,
      0x1400,
      { 0, UINT64_MAX, 0 },
      0x1410,
      0x1410 },
    { "offset in no segment: a debug file",
      "/x.debug",
      ET_DYN,
      0x3000,
      { 0x7f0000000000, 0x7f0000001000, 0x2000 },
      0x7f0000000010,
      0x3010 },
    { "kernel",
      "vmlinux",
      ET_EXEC,
      KERNEL,
      { KERNEL, KERNEL + 0x1000, 0 },
      KERNEL + 16,
      KERNEL + 16 },
    { "kernel, offset as perf has it",
      "[kernel.kallsyms]",
      ET_EXEC,
      KERNEL,
      { KERNEL, KERNEL + 0x1000, KERNEL },
      KERNEL + 16,
      KERNEL + 16 },
    { "kernel that was moved",
      "vmlinux",
      ET_EXEC,
      KERNEL,
      { KERNEL + 0x600000, KERNEL + 0x601000, 0 },
      KERNEL + 0x600010,
      KERNEL + 16 },
    { "kernel without a memory map",
      "vmlinux",
      ET_EXEC,
      KERNEL,
      { 0, 0, 0 },
      KERNEL + 16,
      KERNEL + 16 },
    { "kernel module",
      "x.ko",
      ET_REL,
      0,
      { 0xffffffffc0100000, 0xffffffffc0101000, 0 },
      0xffffffffc0100010,
      0x10 },
};

int main(void)
{
    static const struct fixture_symbol symbols[] = {
        { "_text", KERNEL, 0, STT_NOTYPE },
        { "_stext", KERNEL + 0x200, 0, STT_NOTYPE },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct elf_fixture fixture;
        struct cp_elf *e = NULL;
        struct cp_address_map map;
        uint64_t address = 0;

        check_case(rows[i].name);
        elf_fixture_init(&fixture, rows[i].type, EM_X86_64, rows[i].vaddr, code,
                         sizeof(code), symbols, 2);
        if (!CHECK(cp_elf_view(&e, fixture.words, fixture.len, NULL) == CP_OK))
            continue;
        cp_address_map_init(&map, e, rows[i].range, rows[i].file);
        CHECK(cp_address_map_to_file(&map, rows[i].address, &address));
        CHECK_INT(address, rows[i].want);
        cp_elf_close(e);
    }
    return check_failures != 0;
}
