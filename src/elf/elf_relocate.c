/*
 * elf_relocate.c - absolute relocations of x86-64, i386, aarch64 and others.
 *
 * An entry has an offset, an info field (symbol and type), and in RELA sections
 * an addend. In REL sections the addend is the value at the offset.
 */
#include "elf/elf_relocate.h"

#include <string.h>

#include "elf/elf_file.h"
#include "elf/elf_decompress.h"

/*
 * Returns the bytes that a relocation type sets to symbol + addend; 0 for other
 * types.
 */
static unsigned width_of(unsigned machine, uint32_t kind)
{
    switch (machine) {
    case EM_X86_64:
        return kind == R_X86_64_64                           ? 8
               : kind == R_X86_64_32 || kind == R_X86_64_32S ? 4
                                                             : 0;
    case EM_386:
        return kind == R_386_32 ? 4 : 0;
    case EM_AARCH64:
        return kind == R_AARCH64_ABS64 ? 8 : kind == R_AARCH64_ABS32 ? 4 : 0;
    case EM_RISCV:
        return kind == R_RISCV_64 ? 8 : kind == R_RISCV_32 ? 4 : 0;
    case EM_PPC64:
        return kind == R_PPC64_ADDR64 ? 8 : kind == R_PPC64_ADDR32 ? 4 : 0;
    case EM_ARM:
        return kind == R_ARM_ABS32 ? 4 : 0;
    default:
        return 0;
    }
}

struct entry {
    uint64_t offset, symbol, addend;
    uint32_t kind;
};

static uint64_t load(const uint8_t *p, unsigned size)
{
    uint64_t value = 0;

    memcpy(&value, p, size);
    return value;
}

static void read_entry(bool is_64, bool has_addend, const uint8_t *p,
                       struct entry *out)
{
    unsigned size = is_64 ? 8 : 4;
    uint64_t info = load(p + size, size);

    out->offset = load(p, size);
    out->symbol = is_64 ? info >> 32 : info >> 8;
    out->kind = (uint32_t)(is_64 ? info & 0xffffffff : info & 0xff);
    out->addend = has_addend ? load(p + 2 * size, size) : 0;
}

/* Returns the address of symbol number i; 0 if it is undefined. */
static uint64_t symbol_value(const struct cp_elf *e,
                             const struct cp_elf_section *table, uint64_t i)
{
    bool is_64 = cp_elf_is_64(e);
    size_t size = is_64 ? 24 : 16;
    const struct cp_elf_section *in;
    const uint8_t *p;

    if (!table || !table->data || i >= table->len / size)
        return 0;
    p = table->data + i * size;
    in = cp_elf_section_at(e, (size_t)load(p + (is_64 ? 6 : 14), 2));
    return load(p + (is_64 ? 8 : 4), is_64 ? 8 : 4) +
           (in && (in->flags & SHF_ALLOC) ? in->addr : 0);
}

static void apply(const struct cp_elf *e, const struct cp_elf_section *r,
                  struct cp_bytes *bytes)
{
    const struct cp_elf_section *table = cp_elf_section_at(e, r->link);
    bool has_addend = r->type == SHT_RELA, is_64 = cp_elf_is_64(e);
    size_t size = (is_64 ? 8u : 4u) * (has_addend ? 3 : 2);

    for (size_t at = 0; r->data && r->len - at >= size; at += size) {
        struct entry x;
        unsigned width;
        uint64_t value;

        read_entry(is_64, has_addend, r->data + at, &x);
        width = width_of(cp_elf_machine(e), x.kind);
        if (width == 0 || x.offset > bytes->len ||
            bytes->len - x.offset < width)
            continue;
        value = symbol_value(e, table, x.symbol) + x.addend;
        if (!has_addend)
            value += load(bytes->data + x.offset, width);
        memcpy(bytes->data + x.offset, &value, width);
    }
}

/* Copies borrowed bytes, so that they can be modified. */
static enum cp_status copy_borrowed(struct cp_elf_data *d, struct cp_error *err)
{
    enum cp_status status;

    if (d->own.data || d->len == 0)
        return CP_OK;
    status = cp_bytes_reserve(&d->own, d->len, err);
    if (status != CP_OK)
        return status;
    memcpy(d->own.data, d->data, d->len);
    d->own.len = d->len;
    d->data = d->own.data;
    return CP_OK;
}

static bool load_table(const struct cp_elf *e,
                       const struct cp_elf_section *table)
{
    return !table || !table->data || cp_elf_load(e, table);
}

enum cp_status cp_elf_relocate(const struct cp_elf *e,
                               const struct cp_elf_section *s,
                               struct cp_elf_data *d, struct cp_error *err)
{
    for (size_t i = 0; i < cp_elf_section_count(e); i++) {
        const struct cp_elf_section *r = cp_elf_section_at(e, i);
        enum cp_status status;

        if ((r->type != SHT_RELA && r->type != SHT_REL) ||
            cp_elf_section_at(e, r->info) != s)
            continue;
        status = copy_borrowed(d, err);
        if (status == CP_OK && cp_elf_load(e, r) &&
            load_table(e, cp_elf_section_at(e, r->link)))
            apply(e, r, &d->own);
        return status; /* a section has at most one list */
    }
    return CP_OK;
}
