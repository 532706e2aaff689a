/* elf_symbols.c - finds a symbol table and its string table. */
#include "elf/elf_symbols.h"

/* Returns the length up to the last NUL, so that each name is terminated. */
static size_t closed_len(const uint8_t *data, size_t len)
{
    while (len > 0 && data[len - 1] != 0)
        len--;
    return len;
}

bool cp_elf_symbols_init(struct cp_elf_symbols *t, const struct cp_elf *e,
                         uint32_t kind)
{
    *t = (struct cp_elf_symbols){ .elf = e, .is_64 = cp_elf_is_64(e) };
    t->is_relocatable = cp_elf_type(e) == ET_REL;
    for (size_t i = 0; i < cp_elf_section_count(e); i++) {
        const struct cp_elf_section *s = cp_elf_section_at(e, i);
        const struct cp_elf_section *names = cp_elf_section_at(e, s->link);

        if (s->type != kind || !names || !cp_elf_load(e, s) ||
            !cp_elf_load(e, names))
            continue;
        t->pos = s->data;
        t->end = s->data + s->len;
        t->names = (const char *)names->data;
        t->names_len = closed_len(names->data, names->len);
        return true;
    }
    return false;
}
