/*
 * address_map - converts addresses of a process to addresses of a file.
 *
 * A profile records where a file was mapped: start, end and file offset. The
 * addresses of the file are those of its program headers. The conversion is
 * chosen once per mapping: for position-independent and other programs, shared
 * libraries, kernels (relocated or not) and kernel modules.
 */
#ifndef CP_ADDRESS_MAP_H
#define CP_ADDRESS_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct cp_elf;

/* A mapping, as recorded in a profile. */
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

/*
 * Chooses the conversion; name is the mapping's file name, which identifies a
 * kernel.
 */
void cp_address_map_init(struct cp_address_map *m, const struct cp_elf *e,
                         struct cp_address_range range, const char *name);

/*
 * Converts a process address to a file address; false if it is in no segment.
 */
bool cp_address_map_to_file(const struct cp_address_map *m, uint64_t address,
                            uint64_t *out);

#endif
