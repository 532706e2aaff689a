/*
 * address_map.c - converts process addresses to file addresses.
 *
 * In most mappings the file offset lies in one segment, and the segment gives
 * the address. Debug files have no valid offsets; there the mapping is assumed
 * to begin with the executable segment. A profile without a memory map already
 * has addresses of the file.
 *
 * A kernel is linked at one address and runs at another: the mapping begins at
 * _text or _stext plus the relocation offset.
 */
#include "symbol/table/address_map.h"

#include <string.h>

#include "elf/elf_symbols.h"

#define KERNEL_HALF ((uint64_t)1 << 63)
#define PAGE ((uint64_t)4096)
#define KERNEL_STEP                                                            \
    ((uint64_t)2 << 20) /* bytes; alignment of the kernel's relocation offset  \
                         */

static bool covers_everything(const struct cp_address_range *r)
{
    return r->start == 0 && r->offset == 0 &&
           (r->limit == 0 || r->limit >= UINT64_MAX - PAGE);
}

static bool is_kernel(const struct cp_address_range *r, const char *name)
{
    return r->start >= KERNEL_HALF || strstr(name, "vmlinux") ||
           strstr(name, "[kernel");
}

/* Finds the value of a symbol; false if it does not exist. */
static bool find_symbol(const struct cp_elf *e, const char *name, uint64_t *out)
{
    struct cp_elf_symbols table;
    struct cp_elf_symbol symbol;

    if (!cp_elf_symbols_init(&table, e, SHT_SYMTAB))
        return false;
    while (cp_elf_symbols_next(&table, &symbol))
        if (strcmp(symbol.name, name) == 0) {
            *out = symbol.value;
            return true;
        }
    return false;
}

/* Returns the first executable segment. */
static const struct cp_elf_segment *text_segment(const struct cp_elf *e)
{
    for (size_t i = 0; i < cp_elf_segment_count(e); i++) {
        const struct cp_elf_segment *s = cp_elf_segment_at(e, i);

        if (s->type == PT_LOAD && (s->flags & PF_X))
            return s;
    }
    return NULL;
}

/* Returns the relocation offset of a kernel. */
static uint64_t kernel_base(const struct cp_elf *e,
                            const struct cp_address_range *r)
{
    static const char *const names[] = { "_text", "_stext" };
    const struct cp_elf_segment *text = text_segment(e);
    uint64_t value, first = text ? text->vaddr : 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (!find_symbol(e, names[i], &value))
            continue;
        if ((r->start - value) % KERNEL_STEP == 0)
            return r->start - value;
        first = i == 0 ? value : first;
    }
    if (r->start < KERNEL_HALF) /* the mapping covers the whole address space */
        return 0;
    return r->start >= first && r->start - first < KERNEL_STEP
               ? 0
               : (r->start - first) / KERNEL_STEP * KERNEL_STEP;
}

void cp_address_map_init(struct cp_address_map *m, const struct cp_elf *e,
                         struct cp_address_range range, const char *name)
{
    const struct cp_elf_segment *text = text_segment(e);

    *m = (struct cp_address_map){ .elf = e,
                                  .range = range,
                                  .kind = CP_ADDRESS_BY_BASE };
    if (covers_everything(&range))
        return;
    if (cp_elf_type(e) == ET_REL)
        m->base = range.start - range.offset;
    else if (is_kernel(&range, name) && cp_elf_type(e) == ET_EXEC)
        m->base = kernel_base(e, &range);
    else
        m->kind = CP_ADDRESS_BY_OFFSET;
    if (m->kind == CP_ADDRESS_BY_OFFSET && text)
        m->base = range.start - (text->vaddr & ~(PAGE - 1));
}

bool cp_address_map_to_file(const struct cp_address_map *m, uint64_t address,
                            uint64_t *out)
{
    uint64_t offset = address - m->range.start + m->range.offset;

    if (m->kind == CP_ADDRESS_BY_OFFSET &&
        cp_elf_address_of_offset(m->elf, offset, out))
        return true;
    *out = address - m->base;
    return m->kind == CP_ADDRESS_BY_BASE || cp_elf_segment_count(m->elf) > 0;
}
