/*
 * elf_pages - the bytes of a file, read into memory on demand.
 *
 * Access to a mapped file that was truncated kills the process with SIGBUS.
 * Here the whole file has an address range, but a block is read with pread when
 * it is fetched. Bytes that were not fetched, or could not be, read as zeros.
 * Each fetch opens the file by name and checks that it is the same version
 * (device, inode, size, change time): no descriptor stays open, and versions
 * are never mixed.
 *
 * A tool may map files instead, which is faster, if it handles SIGBUS: missing
 * bytes then read as zeros too (cp_elf_pages_guard).
 *
 * Context: any thread; several may fetch at once. Locking: none; a thread waits
 * for a block that another thread reads. Ordering: the reader of a block
 * releases its state PRESENT after its bytes; users acquire it. Failure: a
 * fetch returns false.
 */
#ifndef CP_ELF_PAGES_H
#define CP_ELF_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct cp_elf_pages;

/* Settings of the whole process; set before the first file is opened. */
struct cp_elf_policy {
    size_t limit_bytes; /* maximum bytes of fetched blocks; 0 means unlimited */
    bool only_trusted_owners; /* see cp_elf_pages_is_trusted */
    bool maps;                /* map files; requires cp_elf_pages_guard */
};

void cp_elf_set_policy(const struct cp_elf_policy *policy);

/*
 * Installs a SIGBUS handler for the process: it replaces a missing page of a
 * mapped file by a zero page. Other faults still end the process.
 */
void cp_elf_pages_guard(void);

/*
 * Whether memory is limited; callers should then drop bytes that they no longer
 * need.
 */
bool cp_elf_pages_are_limited(void);

/* Opens a regular file; does not block on a FIFO. */
enum cp_status cp_elf_pages_open(struct cp_elf_pages **out, const char *path,
                                 struct cp_error *err);

/* Frees p, which may be NULL. */
void cp_elf_pages_close(struct cp_elf_pages *p);

const uint8_t *cp_elf_pages_bytes(const struct cp_elf_pages *p,
                                  size_t *out_len);

/* Fetches a range; ignores the part outside of the file. */
bool cp_elf_pages_fetch(struct cp_elf_pages *p, size_t offset, size_t len);

/* Frees fetched bytes; the caller must not use pointers into them any more. */
void cp_elf_pages_drop(struct cp_elf_pages *p, size_t offset, size_t len);

/*
 * Computes the CRC of the whole file without keeping its bytes; false if it has
 * changed.
 */
bool cp_elf_pages_crc32(const struct cp_elf_pages *p, uint32_t *out);

/*
 * Whether the policy trusts a file that the file `beside` names: it belongs to
 * root, to the user of the process, or to the owner of `beside`.
 */
bool cp_elf_pages_is_trusted(const struct cp_elf_pages *p,
                             const struct cp_elf_pages *beside);

#endif
