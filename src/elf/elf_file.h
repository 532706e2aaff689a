/*
 * elf_file - an ELF file as it lies on disk, mapped and looked at.
 *
 * Little-endian files of 32 and 64 bits, of any machine. Opening reads the
 * headers only; sections are borrowed from the mapping and live until the
 * file is closed. Nothing in the file is trusted: what lies outside of it is
 * absent. A file is read by any number of threads at once.
 */
#ifndef CP_ELF_FILE_H
#define CP_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_elf;

/* A section as the file has it: packed if flags say SHF_COMPRESSED. */
struct cp_elf_section {
    const char *name;    /* never NULL */
    const uint8_t *data; /* NULL for SHT_NOBITS */
    size_t len;          /* bytes at data */
    uint64_t addr;       /* in ET_REL files, as laid out: see below */
    uint64_t size;       /* in memory, or as the header says */
    uint64_t offset, flags, entsize;
    uint32_t type, link, info;
};

struct cp_elf_segment {
    uint32_t type, flags;
    uint64_t offset, vaddr, filesz, memsz, align;
};

/* Maps the file. A file that is no ELF file is CP_EFORMAT. */
enum cp_status cp_elf_open(struct cp_elf **out, const char *path,
                           struct cp_error *err);

/* The same over bytes that outlive it: the vDSO, a member of an archive. */
enum cp_status cp_elf_view(struct cp_elf **out, const void *bytes, size_t len,
                           struct cp_error *err);

/* NULL is allowed. */
void cp_elf_close(struct cp_elf *e);

unsigned cp_elf_type(const struct cp_elf *e);    /* ET_EXEC, ET_DYN, ... */
unsigned cp_elf_machine(const struct cp_elf *e); /* EM_X86_64, ... */
bool cp_elf_is_64(const struct cp_elf *e);

/* All bytes of the file. */
const uint8_t *cp_elf_bytes(const struct cp_elf *e, size_t *out_len);

/* Sections by number, 0 to count - 1, and by name: the first that has it. */
size_t cp_elf_section_count(const struct cp_elf *e);
const struct cp_elf_section *cp_elf_section_at(const struct cp_elf *e,
                                               size_t index);
bool cp_elf_section(const struct cp_elf *e, const char *name,
                    struct cp_elf_section *out);

size_t cp_elf_segment_count(const struct cp_elf *e);
const struct cp_elf_segment *cp_elf_segment_at(const struct cp_elf *e,
                                               size_t index);

/* The GNU build id, borrowed; returns its length, 0 if there is none. */
size_t cp_elf_build_id(const struct cp_elf *e, const uint8_t **out);

/* The same among notes alone, as the kernel shows its own. */
size_t cp_elf_notes_build_id(const uint8_t *notes, size_t len,
                             const uint8_t **out);

/* By the PT_LOAD segments; false for what is in none of them. */
bool cp_elf_address_of_offset(const struct cp_elf *e, uint64_t file_offset,
                              uint64_t *out_vaddr);

/*
 * Relocatable files (kernel modules) have no addresses. Here their allocated
 * sections are given some: executable ones first, in the order of the file,
 * from 0, each aligned as it asks. So an address within the first executable
 * section is an offset into it.
 */

#endif
