/*
 * elf_file - an ELF file as it lies on disk.
 *
 * Little-endian files of 32 and 64 bits, of any machine. Opening reads the
 * headers only; the bytes of a section must be fetched before they are looked
 * at (elf_pages.h), and live until the file is closed. Nothing in the file is
 * trusted: what lies outside of it is absent. A file is read by any number of
 * threads at once.
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

/* A file that is no ELF file is CP_EFORMAT. */
enum cp_status cp_elf_open(struct cp_elf **out, const char *path,
                           struct cp_error *err);

/*
 * The same for a file that another one names: debug information. `beside` may
 * be NULL. The policy of elf_pages.h may refuse it for its owner.
 */
enum cp_status cp_elf_open_beside(struct cp_elf **out, const char *path,
                                  const struct cp_elf *beside,
                                  struct cp_error *err);

/*
 * Has bytes read that lie within the file; false: they read as zeros. Bytes of
 * cp_elf_view are there.
 */
bool cp_elf_fetch(const struct cp_elf *e, const void *at, size_t len);

/* The same over bytes that outlive it: the vDSO, a member of an archive. */
enum cp_status cp_elf_view(struct cp_elf **out, const void *bytes, size_t len,
                           struct cp_error *err);

/* NULL is allowed. */
void cp_elf_close(struct cp_elf *e);

unsigned cp_elf_type(const struct cp_elf *e);    /* ET_EXEC, ET_DYN, ... */
unsigned cp_elf_machine(const struct cp_elf *e); /* EM_X86_64, ... */
bool cp_elf_is_64(const struct cp_elf *e);

/* Fetches a section; false: it has no bytes, or they cannot be read. */
bool cp_elf_load(const struct cp_elf *e, const struct cp_elf_section *s);

/*
 * Frees the memory of bytes that no caller uses now, where memory is limited
 * (elf_pages.h).
 */
void cp_elf_drop(const struct cp_elf *e, const void *at, size_t len);

/* The checksum of the file; false for cp_elf_view. */
bool cp_elf_crc32(const struct cp_elf *e, uint32_t *out);

/* All bytes of the file, as far as they were fetched. */
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
