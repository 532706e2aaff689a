/* fuzz_elf.c - opens the input as an ELF file and reads all of its parts. */

#include "elf/elf_symbols.h"
#include "elf/elf_decompress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t
    sum; /* sum of the bytes read, so that the compiler keeps the reads */

static void read_symbols(const struct cp_elf *e, uint32_t kind)
{
    struct cp_elf_symbols table;
    struct cp_elf_symbol symbol;

    if (cp_elf_symbols_init(&table, e, kind))
        while (cp_elf_symbols_next(&table, &symbol))
            sum += symbol.value + strlen(symbol.name);
}

static void read_sections(const struct cp_elf *e)
{
    for (size_t i = 0; i < cp_elf_section_count(e); i++) {
        const struct cp_elf_section *s = cp_elf_section_at(e, i);
        struct cp_elf_data plain = { 0 };

        for (size_t k = 0; k < s->len; k++)
            sum += s->data[k];
        if (i < 64 && cp_elf_decompress(e, s->name, &plain, NULL) == CP_OK &&
            plain.len > 0)
            sum += plain.data[plain.len - 1];
        cp_elf_data_release(&plain);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cp_bytes plain = { 0 };
    const uint8_t *id = NULL;
    struct cp_elf *e;
    uint64_t at;

    if (size > 0 && data[0] == 0xfd &&
        cp_elf_decompress_xz(data, size, &plain, NULL) == CP_OK)
        cp_bytes_release(&plain);
    if (cp_elf_view(&e, data, size, NULL) != CP_OK)
        return 0;
    for (size_t i = cp_elf_build_id(e, &id); i > 0; i--)
        sum += id[i - 1];
    sum += cp_elf_address_of_offset(e, 64, &at);
    read_symbols(e, SHT_SYMTAB);
    read_symbols(e, SHT_DYNSYM);
    read_sections(e);
    cp_elf_close(e);
    return 0;
}
