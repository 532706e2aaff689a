/*
 * fuzz_dwarf.c - symbolizes addresses in all executable sections of the input,
 * read as an ELF file.
 */
#include <string.h>

#include "elf/elf_file.h"
#include "symbol/symbolizer.h"

#define MAX_ADDRESSES 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t
    sum; /* sum of the bytes read, so that the compiler keeps the reads */

static void take(void *context, size_t index,
                 const struct cp_symbol_frame *frames, size_t n_frames)
{
    (void)context;
    sum += index;
    for (size_t i = 0; i < n_frames; i++) {
        sum += frames[i].line;
        sum += frames[i].function ? strlen(frames[i].function) : 0;
        sum += frames[i].file ? strlen(frames[i].file) : 0;
    }
}

static size_t choose(const struct cp_elf *e, uint64_t *addresses)
{
    size_t n = 0;

    addresses[n++] = 0;
    addresses[n++] = UINT64_MAX;
    for (size_t i = 0; i < cp_elf_section_count(e); i++) {
        const struct cp_elf_section *s = cp_elf_section_at(e, i);

        if (!(s->flags & SHF_EXECINSTR))
            continue;
        for (uint64_t k = 0; k < 32 && n < MAX_ADDRESSES; k++)
            addresses[n++] = s->addr + s->size * k / 32;
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cp_symbolizer *s;
    uint64_t addresses[MAX_ADDRESSES];
    size_t n;

    if (cp_symbolizer_view(&s, data, size, NULL, NULL) != CP_OK)
        return 0;
    n = choose(cp_symbolizer_elf(s), addresses);
    for (int i = 0; i < 2; i++) /* the second pass uses the caches */
        (void)cp_symbolizer_resolve(s, addresses, n, take, NULL, NULL);
    (void)cp_symbolizer_resolve(s, addresses + n / 2, 1, take, NULL, NULL);
    sum += cp_symbolizer_reason(s) != NULL;
    cp_symbolizer_close(s);
    return 0;
}
