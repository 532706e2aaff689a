/*
 * elf_fixture - a small ELF file in memory, made for a test.
 *
 * One executable segment with a .text section, a symbol table, and whatever
 * machine and type the test asks for. Bytes of code are the test's.
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

/* Puts code at a file offset of 0x400, mapped at `vaddr`. */
static void elf_fixture_init(struct elf_fixture *f, uint16_t type,
                             uint16_t machine, uint64_t vaddr, const void *code,
                             size_t n_code,
                             const struct fixture_symbol *symbols, size_t n)
{
    const size_t headers = sizeof(Elf64_Ehdr), text = 0x400, table = 0x1000;
    const size_t names = 0x1800, sections = 0x1c00;
    static const char section_names[] = "\0.text\0.symtab\0.strtab";
    Elf64_Ehdr *e = fixture_at(f, 0);
    Elf64_Phdr *segment = fixture_at(f, headers);
    Elf64_Sym *symbol = fixture_at(f, table);
    Elf64_Shdr *section = fixture_at(f, sections);
    char *strings = fixture_at(f, names);
    uint32_t at = sizeof(section_names);

    memset(f, 0, sizeof(*f));
    f->len = sizeof(f->words);
    memcpy(e->e_ident, ELFMAG, SELFMAG);
    e->e_ident[EI_CLASS] = ELFCLASS64;
    e->e_ident[EI_DATA] = ELFDATA2LSB;
    e->e_ident[EI_VERSION] = EV_CURRENT;
    e->e_type = type;
    e->e_machine = machine;
    e->e_version = EV_CURRENT;
    e->e_ehsize = sizeof(*e);
    e->e_phoff = headers;
    e->e_phentsize = sizeof(*segment);
    e->e_phnum = type == ET_REL ? 0 : 1;
    e->e_shoff = sections;
    e->e_shentsize = sizeof(*section);
    e->e_shnum = FIXTURE_SECTIONS;
    e->e_shstrndx = FIXTURE_STRTAB;
    *segment = (Elf64_Phdr){ .p_type = PT_LOAD,
                             .p_flags = PF_R | PF_X,
                             .p_offset = text,
                             .p_vaddr = vaddr,
                             .p_filesz = n_code,
                             .p_memsz = n_code,
                             .p_align = 0x1000 };
    memcpy(fixture_at(f, text), code, n_code);
    memcpy(strings, section_names, sizeof(section_names));
    for (size_t i = 0; i < n; i++) {
        symbol[i + 1] =
            (Elf64_Sym){ .st_name = at,
                         .st_info = ELF64_ST_INFO(STB_GLOBAL, symbols[i].type),
                         .st_shndx = FIXTURE_TEXT,
                         .st_value = symbols[i].value,
                         .st_size = symbols[i].size };
        strcpy(strings + at, symbols[i].name);
        at += (uint32_t)strlen(symbols[i].name) + 1;
    }
    section[FIXTURE_TEXT] = (Elf64_Shdr){ .sh_name = 1,
                                          .sh_type = SHT_PROGBITS,
                                          .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                          .sh_addr = type == ET_REL ? 0 : vaddr,
                                          .sh_offset = text,
                                          .sh_size = n_code,
                                          .sh_addralign = 1 };
    section[FIXTURE_SYMTAB] =
        (Elf64_Shdr){ .sh_name = 7,
                      .sh_type = SHT_SYMTAB,
                      .sh_offset = table,
                      .sh_size = (n + 1) * sizeof(*symbol),
                      .sh_link = FIXTURE_STRTAB,
                      .sh_info = 1,
                      .sh_entsize = sizeof(*symbol) };
    section[FIXTURE_STRTAB] = (Elf64_Shdr){
        .sh_name = 15, .sh_type = SHT_STRTAB, .sh_offset = names, .sh_size = at
    };
}

#endif
