/*
 * elf_unpack - the bytes of a section, whatever the file did to them.
 *
 * Unpacks sections (zlib and zstd, both the flag and the older .zdebug names)
 * and applies the relocations of relocatable files to debug sections. Plain
 * sections are borrowed from the file. What comes out is limited to a
 * multiple of what went in.
 */
#ifndef CP_ELF_UNPACK_H
#define CP_ELF_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

struct cp_elf;

/* Starts as { 0 }. */
struct cp_elf_data {
    const uint8_t *data;
    size_t len;
    struct cp_bytes own; /* empty if data is the file's */
};

/* The first section of that name; empty if there is none. */
enum cp_status cp_elf_unpack(const struct cp_elf *e, const char *name,
                             struct cp_elf_data *out, struct cp_error *err);

/* The xz stream of .gnu_debugdata: a small ELF file with a symbol table. */
enum cp_status cp_elf_unpack_xz(const uint8_t *data, size_t len,
                                struct cp_bytes *out, struct cp_error *err);

void cp_elf_data_release(struct cp_elf_data *d);

#endif
