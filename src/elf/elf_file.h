/*
 * elf_file - an ELF file on disk or in memory.
 *
 * Little-endian files of 32 and 64 bits, for any machine. Opening reads only
 * the headers. The bytes of a section must be fetched before use (elf_pages.h)
 * and live until the file is closed. Nothing in the file is trusted: a range
 * outside of the file is treated as missing.
 *
 * Context: any number of threads may read a file at once.
 */
#ifndef CP_ELF_FILE_H
#define CP_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_elf;

/*
 * A section as stored in the file: compressed if flags contain SHF_COMPRESSED.
 */
struct cp_elf_section {
    const char *name;    /* never NULL */
    const uint8_t *data; /* NULL for SHT_NOBITS */
    size_t len;          /* bytes at data */
    uint64_t addr;       /* assigned in ET_REL files; see below */
    uint64_t size;       /* bytes in memory, as in the header */
    uint64_t offset, flags, entsize;
    uint32_t type, link, info;
};

struct cp_elf_segment {
    uint32_t type, flags;
    uint64_t offset, vaddr, filesz, memsz, align;
};

/* Opens a file; CP_EFORMAT if it is not an ELF file. */
enum cp_status cp_elf_open(struct cp_elf **out, const char *path,
                           struct cp_error *err);

/*
 * Like cp_elf_open, for a debug file that the file `beside` names; `beside` may
 * be NULL. The policy of elf_pages.h may refuse the file because of its owner.
 */
enum cp_status cp_elf_open_beside(struct cp_elf **out, const char *path,
                                  const struct cp_elf *beside,
                                  struct cp_error *err);

/*
 * Fetches bytes of the file. On failure returns false, and the bytes read as
 * zeros. Does nothing for cp_elf_view.
 */
bool cp_elf_fetch(const struct cp_elf *e, const void *at, size_t len);

/*
 * Opens an ELF file in memory, such as the vDSO or a member of an archive. The
 * memory must outlive the result.
 */
enum cp_status cp_elf_view(struct cp_elf **out, const void *bytes, size_t len,
                           struct cp_error *err);

/* Closes the file; e may be NULL. */
void cp_elf_close(struct cp_elf *e);

unsigned cp_elf_type(const struct cp_elf *e);    /* ET_EXEC, ET_DYN, ... */
unsigned cp_elf_machine(const struct cp_elf *e); /* EM_X86_64, ... */
bool cp_elf_is_64(const struct cp_elf *e);

/* Fetches a section; false if it has no bytes or they cannot be read. */
bool cp_elf_load(const struct cp_elf *e, const struct cp_elf_section *s);

/*
 * Frees fetched bytes that no caller uses, if memory is limited (elf_pages.h).
 */
void cp_elf_drop(const struct cp_elf *e, const void *at, size_t len);

/* Computes the CRC of the file; false for cp_elf_view. */
bool cp_elf_crc32(const struct cp_elf *e, uint32_t *out);

/* Returns all bytes of the file; bytes not fetched are zero. */
const uint8_t *cp_elf_bytes(const struct cp_elf *e, size_t *out_len);

/* Sections by number, 0 to count - 1, and by name: the first match. */
size_t cp_elf_section_count(const struct cp_elf *e);
const struct cp_elf_section *cp_elf_section_at(const struct cp_elf *e,
                                               size_t index);
bool cp_elf_section(const struct cp_elf *e, const char *name,
                    struct cp_elf_section *out);

size_t cp_elf_segment_count(const struct cp_elf *e);
const struct cp_elf_segment *cp_elf_segment_at(const struct cp_elf *e,
                                               size_t index);

/*
 * Returns the length of the GNU build id, 0 if there is none; *out is borrowed.
 */
size_t cp_elf_build_id(const struct cp_elf *e, const uint8_t **out);

/* Like cp_elf_build_id, for a list of notes such as /sys/kernel/notes. */
size_t cp_elf_notes_build_id(const uint8_t *notes, size_t len,
                             const uint8_t **out);

/*
 * Converts a file offset to an address by the PT_LOAD segments. Returns false
 * if no segment contains it.
 */
bool cp_elf_address_of_offset(const struct cp_elf *e, uint64_t file_offset,
                              uint64_t *out_vaddr);

/*
 * Relocatable files (kernel modules) have no addresses, so their allocated
 * sections are assigned some: executable sections first, in file order, from 0,
 * each aligned as its header requires. An address within the first executable
 * section is thus an offset into it.
 */

#endif
