/*
 * elf_pages - the bytes of a file, read into own memory when they are needed.
 *
 * A mapped file ends the process with SIGBUS when it is truncated. Here
 * the whole file has addresses, but a block of it is read, with pread, when it
 * is fetched; what was not fetched, or could not be, reads as zeros. The file
 * is opened by name for each fetch and must be the same version (device, inode,
 * size, time of change) as at first: no descriptor stays open, and versions are
 * never mixed.
 *
 * A tool may map files instead, which is faster, if it has SIGBUS handled: then
 * what is missing reads as zeros as well (cp_elf_pages_guard).
 *
 * Context: any thread; several may fetch at once. Locking: none; a block that
 * another thread reads is waited for. Ordering: a block's state is released
 * after its bytes. Failure: a fetch returns false.
 */
#ifndef CP_ELF_PAGES_H
#define CP_ELF_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct cp_elf_pages;

/* For the whole process, before the first file is opened. */
struct cp_elf_policy {
    size_t limit_bytes;  /* of all blocks that are held; 0: no limit */
    bool trusts_only_us; /* see cp_elf_pages_is_trusted */
    bool maps;           /* needs the guard */
};

void cp_elf_set_policy(const struct cp_elf_policy *policy);

/*
 * Handles SIGBUS for the whole process: a page of a mapped file that is not
 * there any more becomes one of zeros. Other faults end the process as before.
 */
void cp_elf_pages_guard(void);

/* Whether there is a limit: then what is not needed now should be dropped. */
bool cp_elf_pages_are_limited(void);

/* Only a regular file; a FIFO is not waited for. */
enum cp_status cp_elf_pages_open(struct cp_elf_pages **out, const char *path,
                                 struct cp_error *err);

/* NULL is allowed. */
void cp_elf_pages_close(struct cp_elf_pages *p);

const uint8_t *cp_elf_pages_bytes(const struct cp_elf_pages *p,
                                  size_t *out_len);

/* Has the range read; a part outside of the file is left out. */
bool cp_elf_pages_fetch(struct cp_elf_pages *p, size_t offset, size_t len);

/* Gives back what was fetched; nothing may be borrowed from it any more. */
void cp_elf_pages_drop(struct cp_elf_pages *p, size_t offset, size_t len);

/* The checksum of the whole file, which is not kept; false: it has changed. */
bool cp_elf_pages_crc32(const struct cp_elf_pages *p, uint32_t *out);

/*
 * Whether the policy lets the file be believed beside another one that names
 * it: it belongs to root, to the process's user, or to the owner of that one.
 */
bool cp_elf_pages_is_trusted(const struct cp_elf_pages *p,
                             const struct cp_elf_pages *beside);

#endif
