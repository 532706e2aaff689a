/*
 * plt.c - finds PLT stubs and the symbols they call.
 *
 * Stubs have sixteen bytes, in the sections .plt, .plt.sec and .plt.got:
 *
 *   x86-64    [endbr64] [bnd] jmp *slot(%rip)         ff 25 <disp32>
 *   aarch64   [bti] adrp x16, page; ldr x17, [x16, #low]; ...
 */
#include "symbol/table/plt.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "elf/elf_file.h"
#include "symbol/table/routines.h"

#define STUB 16

/* A GOT slot that the dynamic linker fills in. */
struct slot {
    uint64_t address;
    uint32_t symbol;
};

struct plt {
    struct cp_routines *r;
    const struct cp_elf *e;
    struct cp_elf_section symbols, names;
    struct slot *slots; /* sorted by address */
    size_t n_slots, cap;
    struct cp_error *err;
};

/* Decodes the GOT slot of the x86-64 stub at `code`. */
static bool x86_slot(const uint8_t *code, uint64_t address, uint64_t *out)
{
    for (unsigned i = 0; i + 6 <= STUB; i++) {
        int32_t disp;

        if (code[i] != 0xff || code[i + 1] != 0x25)
            continue;
        memcpy(&disp, code + i + 2, sizeof(disp));
        *out = address + i + 6 + (uint64_t)(int64_t)disp;
        return true;
    }
    return false;
}

static bool arm_slot(const uint8_t *code, uint64_t address, uint64_t *out)
{
    for (unsigned i = 0; i + 8 <= STUB; i += 4) {
        uint32_t adrp, ldr;
        uint64_t page;

        memcpy(&adrp, code + i, 4);
        memcpy(&ldr, code + i + 4, 4);
        if ((adrp & 0x9f00001f) != 0x90000010 ||
            (ldr & 0xffc003ff) != 0xf9400211)
            continue;
        page = (uint64_t)(adrp >> 29 & 3) | (uint64_t)(adrp >> 5 & 0x7ffff)
                                                << 2;
        if (page & (uint64_t)1 << 20)
            page |= ~(((uint64_t)1 << 21) - 1);
        *out = ((address + i) & ~(uint64_t)0xfff) + (page << 12) +
               (uint64_t)(ldr >> 10 & 0xfff) * 8;
        return true;
    }
    return false;
}

static int by_address(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

static enum cp_status add_slots(struct plt *plt, const char *table)
{
    struct cp_elf_section s;

    if (!cp_elf_section(plt->e, table, &s) || !cp_elf_load(plt->e, &s))
        return CP_OK;
    for (size_t at = 0; at + 24 <= s.len; at += 24) {
        struct slot slot;
        uint64_t info;

        memcpy(&slot.address, s.data + at, 8);
        memcpy(&info, s.data + at + 8, 8);
        slot.symbol = (uint32_t)(info >> 32);
        if (slot.symbol == 0)
            continue;
        if (cp_reserve(&plt->slots, &plt->cap, plt->n_slots + 1,
                       sizeof(*plt->slots), plt->err) != CP_OK)
            return CP_ENOMEM;
        plt->slots[plt->n_slots++] = slot;
    }
    return CP_OK;
}

/* Returns the symbol of the relocation for a slot; 0 if there is none. */
static uint32_t find_symbol(const struct plt *plt, uint64_t address)
{
    struct slot key = { .address = address }, *found = NULL;

    if (plt->n_slots > 0)
        found =
            bsearch(&key, plt->slots, plt->n_slots, sizeof(key), by_address);
    return found ? found->symbol : 0;
}

static const char *name_of(const struct plt *plt, uint32_t symbol)
{
    size_t at = (size_t)symbol * 24;
    uint32_t name;

    if (symbol == 0 || at + 24 > plt->symbols.len)
        return NULL;
    memcpy(&name, plt->symbols.data + at, 4);
    if (name >= plt->names.len ||
        !memchr(plt->names.data + name, '\0', plt->names.len - name))
        return NULL;
    return (const char *)plt->names.data + name;
}

static enum cp_status add_stub(const struct plt *plt, uint64_t address,
                               const uint8_t *code)
{
    bool is_x86 = cp_elf_machine(plt->e) == EM_X86_64;
    struct cp_routines *r = plt->r;
    const char *name;
    uint64_t slot = 0;

    if (!(is_x86 ? x86_slot(code, address, &slot)
                 : arm_slot(code, address, &slot)))
        return CP_OK;
    name = name_of(plt, find_symbol(plt, slot));
    if (!name || !*name)
        return CP_OK;
    name = cp_arena_printf(&r->arena, plt->err, "%s@plt", name);
    if (!name || cp_arena_reserve(&r->arena, &r->items, r->n, &r->cap, r->n + 1,
                                  sizeof(*r->items), plt->err) != CP_OK)
        return CP_ENOMEM;
    r->items[r->n++] = (struct cp_routine){ address, address + STUB, name };
    return CP_OK;
}

static enum cp_status read_stubs(const struct plt *plt, const char *section)
{
    struct cp_elf_section s;
    size_t step;

    if (!cp_elf_section(plt->e, section, &s) || !cp_elf_load(plt->e, &s))
        return CP_OK;
    step = s.entsize == 8 ? 8 : STUB;
    for (size_t at = 0; at + STUB <= s.len; at += step)
        if (add_stub(plt, s.addr + at, s.data + at) != CP_OK)
            return CP_ENOMEM;
    return CP_OK;
}

enum cp_status cp_plt_read(struct cp_routines *r, const struct cp_elf *e,
                           struct cp_error *err)
{
    struct plt plt = { .r = r, .e = e, .err = err };
    unsigned machine = cp_elf_machine(e);
    enum cp_status status;

    if ((machine != EM_X86_64 && machine != EM_AARCH64) || !cp_elf_is_64(e) ||
        !cp_elf_section(e, ".dynsym", &plt.symbols) ||
        !cp_elf_load(e, &plt.symbols) ||
        !cp_elf_section(e, ".dynstr", &plt.names) ||
        !cp_elf_load(e, &plt.names))
        return CP_OK;
    status = add_slots(&plt, ".rela.plt");
    if (status == CP_OK)
        status = add_slots(&plt, ".rela.dyn");
    if (plt.n_slots > 0)
        qsort(plt.slots, plt.n_slots, sizeof(*plt.slots), by_address);
    if (status == CP_OK)
        status = read_stubs(&plt, ".plt");
    if (status == CP_OK)
        status = read_stubs(&plt, ".plt.sec");
    if (status == CP_OK)
        status = read_stubs(&plt, ".plt.got");
    cp_free(plt.slots);
    return status;
}
