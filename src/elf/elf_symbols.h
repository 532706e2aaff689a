/*
 * elf_symbols - iterates over a symbol table.
 *
 *     struct cp_elf_symbols table;
 *     struct cp_elf_symbol symbol;
 *
 *     if (cp_elf_symbols_init(&table, elf, SHT_SYMTAB))
 *         while (cp_elf_symbols_next(&table, &symbol))
 *             ...
 *
 * Inline, because a table has up to hundreds of thousands of entries and most
 * are skipped. Allocates nothing; names are borrowed from the file.
 */
#ifndef CP_ELF_SYMBOLS_H
#define CP_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "elf/elf_file.h"

struct cp_elf;

struct cp_elf_symbols {
    const struct cp_elf *elf;
    const uint8_t *pos, *end;
    const char *names;
    size_t names_len;
    bool is_64, is_relocatable;
};

struct cp_elf_symbol {
    const char *name; /* "" if the symbol has no name */
    uint64_t value;   /* address, including in relocatable files */
    uint64_t size;    /* bytes; 0 if unknown */
    unsigned type;    /* STT_FUNC, ... */
    unsigned bind;    /* STB_GLOBAL, ... */
    unsigned section; /* SHN_UNDEF, ... */
};

/*
 * Starts at the first table of that kind, SHT_SYMTAB or SHT_DYNSYM; false if
 * there is none.
 */
bool cp_elf_symbols_init(struct cp_elf_symbols *t, const struct cp_elf *e,
                         uint32_t kind);

/* Reads the next symbol; false at the end. */
static inline bool cp_elf_symbols_next(struct cp_elf_symbols *t,
                                       struct cp_elf_symbol *out)
{
    uint32_t name;
    uint8_t info;
    uint16_t section;

    if ((size_t)(t->end - t->pos) < (t->is_64 ? 24 : 16))
        return false;
    memcpy(&name, t->pos, 4);
    if (t->is_64) {
        info = t->pos[4];
        memcpy(&section, t->pos + 6, 2);
        memcpy(&out->value, t->pos + 8, 8);
        memcpy(&out->size, t->pos + 16, 8);
        t->pos += 24;
    } else {
        uint32_t word;

        memcpy(&word, t->pos + 4, 4);
        out->value = word;
        memcpy(&word, t->pos + 8, 4);
        out->size = word;
        info = t->pos[12];
        memcpy(&section, t->pos + 14, 2);
        t->pos += 16;
    }
    out->name = name < t->names_len ? t->names + name : "";
    out->type = info & 15;
    out->bind = info >> 4;
    out->section = section;
    if (t->is_relocatable) {
        const struct cp_elf_section *in = cp_elf_section_at(t->elf, section);

        out->value += in ? in->addr : 0;
    }
    return true;
}

#endif
