/*
 * elf_decompress - the bytes of a section, decompressed and relocated.
 *
 * Decompresses sections (zlib and zstd, SHF_COMPRESSED and the older .zdebug
 * names). Applies the relocations of relocatable files to debug sections. Other
 * sections are borrowed from the file. The output is limited to a multiple of
 * the input.
 */
#ifndef CP_ELF_DECOMPRESS_H
#define CP_ELF_DECOMPRESS_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct cp_elf;

/* Initialize with { 0 }. */
struct cp_elf_data {
    const uint8_t *data;
    size_t len;
    struct cp_bytes own; /* empty if data is borrowed from the file */
};

/* Reads the first section with that name; empty if there is none. */
enum cp_status cp_elf_decompress(const struct cp_elf *e, const char *name,
                                 struct cp_elf_data *out, struct cp_error *err);

/*
 * Decompresses the xz stream of .gnu_debugdata: a small ELF file with a symbol
 * table.
 */
enum cp_status cp_elf_decompress_xz(const uint8_t *data, size_t len,
                                    struct cp_bytes *out, struct cp_error *err);

void cp_elf_data_release(struct cp_elf_data *d);

#endif
