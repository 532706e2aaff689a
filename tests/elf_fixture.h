/*
 * elf_fixture - makes a small ELF file in memory.
 *
 * The file has one executable segment with a .text section and a symbol table.
 * The test chooses the machine, the type and the bytes of code.
 */
#ifndef CP_ELF_FIXTURE_H
#define CP_ELF_FIXTURE_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

struct fixture_symbol {
    const char *name;
    uint64_t value, size;
    unsigned char type;
};

struct elf_fixture {
    uint64_t words[1024]; /* aligned */
    size_t len;
};

enum { FIXTURE_TEXT = 1, FIXTURE_SYMTAB, FIXTURE_STRTAB, FIXTURE_SECTIONS };

static void *fixture_at(struct elf_fixture *f, size_t offset)
{
    return (char *)f->words + offset;
}

/* Offsets of the parts in the file. */
enum {
    FIXTURE_AT_TEXT = 0x400,
    FIXTURE_AT_SYMBOLS = 0x1000,
    FIXTURE_AT_NAMES = 0x1800,
    FIXTURE_AT_SECTIONS = 0x1c00,
};

static const char fixture_names[] = "\0.text\0.symtab\0.strtab";

static void fixture_header(struct elf_fixture *f, uint16_t type,
                           uint16_t machine)
{
    Elf64_Ehdr *e = fixture_at(f, 0);

    memcpy(e->e_ident, ELFMAG, SELFMAG);
    e->e_ident[EI_CLASS] = ELFCLASS64;
    e->e_ident[EI_DATA] = ELFDATA2LSB;
    e->e_ident[EI_VERSION] = EV_CURRENT;
    e->e_type = type;
    e->e_machine = machine;
    e->e_version = EV_CURRENT;
    e->e_ehsize = sizeof(*e);
    e->e_phoff = sizeof(*e);
    e->e_phentsize = sizeof(Elf64_Phdr);
    e->e_phnum = type == ET_REL ? 0 : 1;
    e->e_shoff = FIXTURE_AT_SECTIONS;
    e->e_shentsize = sizeof(Elf64_Shdr);
    e->e_shnum = FIXTURE_SECTIONS;
    e->e_shstrndx = FIXTURE_STRTAB;
}

/* Writes the symbol table and its names. */
static void fixture_symbols(struct elf_fixture *f,
                            const struct fixture_symbol *symbols, size_t n)
{
    Elf64_Sym *symbol = fixture_at(f, FIXTURE_AT_SYMBOLS);
    Elf64_Shdr *section = fixture_at(f, FIXTURE_AT_SECTIONS);
    char *names = fixture_at(f, FIXTURE_AT_NAMES);
    uint32_t at = sizeof(fixture_names);

    memcpy(names, fixture_names, sizeof(fixture_names));
    for (size_t i = 0; i < n; i++) {
        symbol[i + 1] =
            (Elf64_Sym){ .st_name = at,
                         .st_info = ELF64_ST_INFO(STB_GLOBAL, symbols[i].type),
                         .st_shndx = FIXTURE_TEXT,
                         .st_value = symbols[i].value,
                         .st_size = symbols[i].size };
        strcpy(names + at, symbols[i].name);
        at += (uint32_t)strlen(symbols[i].name) + 1;
    }
    section[FIXTURE_SYMTAB] =
        (Elf64_Shdr){ .sh_name = 7,
                      .sh_type = SHT_SYMTAB,
                      .sh_offset = FIXTURE_AT_SYMBOLS,
                      .sh_size = (n + 1) * sizeof(*symbol),
                      .sh_link = FIXTURE_STRTAB,
                      .sh_info = 1,
                      .sh_entsize = sizeof(*symbol) };
    section[FIXTURE_STRTAB] = (Elf64_Shdr){ .sh_name = 15,
                                            .sh_type = SHT_STRTAB,
                                            .sh_offset = FIXTURE_AT_NAMES,
                                            .sh_size = at };
}

/* Makes a file with this code, mapped at `vaddr`. */
static void elf_fixture_init(struct elf_fixture *f, uint16_t type,
                             uint16_t machine, uint64_t vaddr, const void *code,
                             size_t n_code,
                             const struct fixture_symbol *symbols, size_t n)
{
    Elf64_Phdr *segment = fixture_at(f, sizeof(Elf64_Ehdr));
    Elf64_Shdr *section = fixture_at(f, FIXTURE_AT_SECTIONS);

    memset(f, 0, sizeof(*f));
    f->len = sizeof(f->words);
    fixture_header(f, type, machine);
    fixture_symbols(f, symbols, n);
    memcpy(fixture_at(f, FIXTURE_AT_TEXT), code, n_code);
    *segment = (Elf64_Phdr){ .p_type = PT_LOAD,
                             .p_flags = PF_R | PF_X,
                             .p_offset = FIXTURE_AT_TEXT,
                             .p_vaddr = vaddr,
                             .p_filesz = n_code,
                             .p_memsz = n_code,
                             .p_align = 0x1000 };
    section[FIXTURE_TEXT] = (Elf64_Shdr){ .sh_name = 1,
                                          .sh_type = SHT_PROGBITS,
                                          .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                          .sh_addr = type == ET_REL ? 0 : vaddr,
                                          .sh_offset = FIXTURE_AT_TEXT,
                                          .sh_size = n_code,
                                          .sh_addralign = 1 };
}

#endif
