/*
 * mappings - what is mapped where in this process, and which files they are.
 *
 * Read from /proc/self/maps; build ids and segments come from memory, through
 * /proc/self/mem or process_vm_readv, so that they are of what runs and not of
 * what has been installed over it since. That way of reading cannot crash when
 * a library is unloaded meanwhile. Used by the endpoint's thread.
 */
#ifndef CP_MAPPINGS_H
#define CP_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

#define CP_BUILD_ID_BYTES 64

/* A part of an ELF file as its program headers have it. */
struct cp_load {
    uint64_t offset, vaddr, len;
    bool is_code;
};

/* A file that is mapped, or the vDSO. */
struct cp_mapped_file {
    const char *path; /* as in the maps, without " (deleted)" */
    bool is_deleted, is_elf, has_base;
    uint64_t base; /* where its first byte is mapped */
    uint16_t elf_type;
    uint8_t build_id[CP_BUILD_ID_BYTES];
    size_t build_id_len;
    struct cp_load *loads;
    size_t n_loads;
};

struct cp_map {
    uint64_t start, limit, offset;
    uint32_t file; /* index, or UINT32_MAX for memory that is no file */
};

/* Those of code, in the order of their addresses. Starts as { 0 }. */
struct cp_mappings {
    struct cp_arena arena;
    struct cp_map *maps;
    size_t n_maps, cap_maps;
    struct cp_mapped_file *files;
    size_t n_files, cap_files;
    uint32_t main_file; /* the program itself, or UINT32_MAX */
};

/* Reads them all anew. On failure *m is empty. */
enum cp_status cp_mappings_read(struct cp_mappings *m, struct cp_error *err);

/*
 * Adds the maps of an earlier reading where there is nothing now: libraries
 * that have been unloaded.
 */
enum cp_status cp_mappings_join(struct cp_mappings *m,
                                const struct cp_mappings *before,
                                struct cp_error *err);

void cp_mappings_release(struct cp_mappings *m);

/* The map that an address lies in, or NULL. */
const struct cp_map *cp_mappings_find(const struct cp_mappings *m,
                                      uint64_t address);

/* The address in the file's own numbering; false when it is in no segment. */
bool cp_mappings_file_address(const struct cp_mappings *m,
                              const struct cp_map *map, uint64_t address,
                              uint64_t *out);

#endif
