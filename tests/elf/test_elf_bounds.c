/*
 * test_elf_bounds.c - tests src/elf/elf_file.c on a synthetic file: the edges
 * of headers, tables, segments, notes and alignments.
 */
#include "elf/elf_file.h"

#include <elf.h>
#include <string.h>

#include "check.h"

#define N_SECTIONS 6
#define DATA_BYTES 10

static struct {
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    Elf64_Shdr sections[N_SECTIONS];
} file;

static void set_section(int i, uint32_t type, uint64_t flags, uint64_t size,
                        uint64_t align)
{
    file.sections[i].sh_type = type;
    file.sections[i].sh_flags = SHF_ALLOC | flags;
    file.sections[i].sh_size = size;
    file.sections[i].sh_addralign = align;
}

/* A relocatable file whose section table ends with the file. */
static void make_file(void)
{
    memset(&file, 0, sizeof(file));
    memcpy(file.head.e_ident, "\177ELF\2\1\1", 7);
    file.head.e_type = ET_REL;
    file.head.e_phoff = sizeof(file.head);
    file.head.e_phentsize = sizeof(file.segment);
    file.head.e_phnum = 1;
    file.head.e_shoff = sizeof(file.head) + sizeof(file.segment);
    file.head.e_shentsize = sizeof(file.sections[0]);
    file.head.e_shnum = N_SECTIONS;
    file.segment.p_type = PT_LOAD;
    file.segment.p_offset = 16;
    file.segment.p_filesz = 32;
    file.segment.p_vaddr = 0x1000;
    set_section(1, SHT_PROGBITS, SHF_EXECINSTR, DATA_BYTES, 16);
    set_section(2, SHT_PROGBITS, 0, DATA_BYTES, 3);
    set_section(3, SHT_NOBITS, SHF_EXECINSTR, 7, 32);
    set_section(4, SHT_PROGBITS, 0, DATA_BYTES, 1 << 21);
    set_section(5, SHT_PROGBITS, 0, DATA_BYTES, 1 << 20);
}

static struct cp_elf *open_bytes(const void *bytes, size_t len)
{
    struct cp_elf *e = NULL;

    (void)cp_elf_view(&e, bytes, len, NULL);
    return e;
}

static void check_opens(int elf_class, size_t len, bool want)
{
    struct cp_elf *e;

    make_file();
    file.head.e_ident[EI_CLASS] = (unsigned char)elf_class;
    file.head.e_shoff = file.head.e_phoff = 0;
    e = open_bytes(&file, len);
    CHECK(!e == !want);
    cp_elf_close(e);
}

static void test_header_must_be_complete(void)
{
    check_opens(ELFCLASS32, 51, false);
    check_opens(ELFCLASS32, 52, true);
    check_opens(ELFCLASS64, 63, false);
    check_opens(ELFCLASS64, 64, true);
}

static void check_sections(uint16_t count, size_t len, size_t want)
{
    struct cp_elf *e;

    make_file();
    file.head.e_shnum = count;
    e = open_bytes(&file, len);
    CHECK_INT(cp_elf_section_count(e), want);
    cp_elf_close(e);
}

static void test_section_table_ends_with_the_file(void)
{
    check_sections(N_SECTIONS, sizeof(file), N_SECTIONS);
    check_sections(N_SECTIONS + 1, sizeof(file), N_SECTIONS);
    check_sections(N_SECTIONS, sizeof(file) - 1, N_SECTIONS - 1);
    check_sections(N_SECTIONS, sizeof(file.head) + sizeof(file.segment), 0);
}

static void test_offset_is_within_a_segment(void)
{
    struct cp_elf *e;
    uint64_t address = 0;

    make_file();
    e = open_bytes(&file, sizeof(file));
    CHECK(!cp_elf_address_of_offset(e, 15, &address));
    CHECK(cp_elf_address_of_offset(e, 16, &address) && address == 0x1000);
    CHECK(cp_elf_address_of_offset(e, 47, &address) && address == 0x101f);
    CHECK(!cp_elf_address_of_offset(e, 48, &address));
    cp_elf_close(e);
}

/* Executable sections first; 3 and 2^21 are no alignments. */
static void test_sections_are_laid_out_aligned(void)
{
    static const uint64_t want[N_SECTIONS] = { 0, 0, 39, 32, 49, 1 << 20 };
    struct cp_elf *e;

    make_file();
    e = open_bytes(&file, sizeof(file));
    for (size_t i = 0; i < N_SECTIONS; i++)
        CHECK_INT(cp_elf_section_at(e, i)->addr, want[i]);
    cp_elf_close(e);
}

static void test_build_id_is_a_complete_gnu_note(void)
{
    static const uint8_t notes[] = {
        4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 'G', 'N', 'U', 0, 9, 0, 0, 0,
        4, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 'X', 'Y', 'Z', 0, 8, 8, 0, 0,
        4, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 7, 6,
    };
    const uint8_t *id = NULL;

    CHECK_INT(cp_elf_notes_build_id(notes, sizeof(notes), &id), 2);
    CHECK(id == notes + sizeof(notes) - 2);
    CHECK_INT(cp_elf_notes_build_id(notes, sizeof(notes) - 1, &id), 0);
    CHECK_INT(cp_elf_notes_build_id(notes, 40, &id), 0);
    CHECK_INT(cp_elf_notes_build_id(notes, 0, &id), 0);
}

int main(void)
{
    RUN(test_header_must_be_complete);
    RUN(test_section_table_ends_with_the_file);
    RUN(test_offset_is_within_a_segment);
    RUN(test_sections_are_laid_out_aligned);
    RUN(test_build_id_is_a_complete_gnu_note);
    return check_failures != 0;
}
