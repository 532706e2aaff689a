/*
 * fuzz_code.c - reads files with hostile symbol tables, stubs and machine code.
 */

#include "elf/elf_file.h"
#include "symbol/code/disasm.h"
#include "symbol/table/address_map.h"
#include "symbol/table/routines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_insn(void *context, uint64_t address, size_t size,
                    const char *text)
{
    size_t *n = context;

    (void)address;
    (void)text;
    *n += size;
}

static void read_code(const struct cp_elf *e, const struct cp_routines *r)
{
    struct cp_disasm *d = cp_disasm_new(e, r, false, NULL);
    size_t n = 0;

    for (size_t i = 0; d && i < r->n && i < 16; i++)
        (void)cp_disasm_run(d, r->items[i].start, r->items[i].end, on_insn, &n,
                            NULL);
    cp_disasm_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cp_address_range range = { 0x7f0000001000, 0x7f0000100000, 0x1000 };
    struct cp_address_map map;
    struct cp_routines r = { 0 };
    struct cp_elf *e = NULL;
    uint64_t address;

    if (cp_elf_view(&e, data, size, NULL) != CP_OK)
        return 0;
    cp_address_map_init(&map, e, range, "vmlinux");
    (void)cp_address_map_to_file(&map, 0x7f0000001234, &address);
    if (cp_routines_init(&r, e, e, NULL) == CP_OK) {
        for (size_t i = 0; i < r.n; i++)
            if (r.items[i].end > r.items[i].start)
                (void)cp_routines_find(&r, r.items[i].end - 1);
        read_code(e, &r);
    }
    cp_routines_release(&r);
    cp_elf_close(e);
    return 0;
}
