/*
 * mappings - the executable mappings of this process and their files.
 *
 * The list comes from /proc/self/maps. Build ids and segments are read from
 * memory, by /proc/self/mem or process_vm_readv: the file may have been
 * replaced since it was mapped. Such a read fails, and does not fault, if a
 * library is unloaded at the same time.
 *
 * Context: any thread outside signal handlers.
 * Locking: none; the caller owns the struct.
 * Failure: CP_EIO or CP_ENOMEM.
 */
#ifndef CP_MAPPINGS_H
#define CP_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define CP_BUILD_ID_BYTES 64

/* A PT_LOAD segment of an ELF file. */
struct cp_load {
    uint64_t offset, vaddr, len;
    bool is_code;
};

/* A file that is mapped, or the vDSO. */
struct cp_mapped_file {
    const char *path; /* as in maps, without " (deleted)" */
    bool is_deleted, is_elf, has_base;
    uint64_t base; /* address of its first byte, if has_base */
    uint16_t elf_type;
    uint8_t build_id[CP_BUILD_ID_BYTES];
    size_t build_id_len;
    struct cp_load *loads;
    size_t n_loads;
};

struct cp_map {
    uint64_t start, limit, offset;
    uint32_t file; /* index, or UINT32_MAX for anonymous memory */
};

/* Executable mappings, sorted by address. Starts as { 0 }. */
struct cp_mappings {
    struct cp_arena arena;
    struct cp_map *maps;
    size_t n_maps, cap_maps;
    struct cp_mapped_file *files;
    size_t n_files, cap_files;
    uint32_t main_file; /* index of the main program, or UINT32_MAX */
};

/* Reads the present mappings; *m is empty before, and after a failure. */
enum cp_status cp_mappings_read(struct cp_mappings *m, struct cp_error *err);

/*
 * Adds the maps of `before` whose addresses are not mapped in *m: libraries
 * that have been unloaded.
 */
enum cp_status cp_mappings_join(struct cp_mappings *m,
                                const struct cp_mappings *before,
                                struct cp_error *err);

void cp_mappings_release(struct cp_mappings *m);

/* The map that contains an address, or NULL. */
const struct cp_map *cp_mappings_find(const struct cp_mappings *m,
                                      uint64_t address);

/* Converts an address to the file's virtual address; false if in no segment. */
bool cp_mappings_file_address(const struct cp_mappings *m,
                              const struct cp_map *map, uint64_t address,
                              uint64_t *out);

#endif
