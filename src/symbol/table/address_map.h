/*
 * address_map - from addresses of a process to addresses of a file.
 *
 * A profile says where a file was mapped: from, to, and at what offset. The
 * file's own addresses are those of its program headers. Position-independent
 * and other programs, shared libraries, kernels (relocated or not) and kernel
 * modules are each told apart here, once for a mapping.
 */
#ifndef CP_ADDRESS_MAP_H
#define CP_ADDRESS_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct cp_elf;

/* Where a file was mapped, as a profile has it. */
struct cp_address_range {
    uint64_t start, limit, offset;
};

struct cp_address_map {
    const struct cp_elf *elf;
    struct cp_address_range range;
    enum {
        CP_ADDRESS_BY_OFFSET, /* by file offset and program headers */
        CP_ADDRESS_BY_BASE,   /* address - base */
    } kind;
    uint64_t base;
};

/* name is the mapping's file name; a kernel's tells that it is one. */
void cp_address_map_init(struct cp_address_map *m, const struct cp_elf *e,
                         struct cp_address_range range, const char *name);

/* The file's address for one of the process; false if it has none. */
bool cp_address_map_to_file(const struct cp_address_map *m, uint64_t address,
                            uint64_t *out);

#endif
