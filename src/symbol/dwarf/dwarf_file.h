/*
 * dwarf_file - an ELF file opened for its debug sections.
 */
#ifndef CP_DWARF_FILE_H
#define CP_DWARF_FILE_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/elf_unpack.h"
#include "symbol/dwarf/dwarf.h"

struct cp_elf;

/* Filled by cp_dwarf_file_load. */
struct cp_dwarf_file {
    struct cp_elf *elf; /* borrowed */
    struct cp_dwarf dwarf;
    struct cp_elf_data data[CP_DWARF_PARTS];
};

/*
 * Finds the sections, and unpacks them, on all cores if is_parallel. A
 * section that cannot be unpacked is left out and named in *err, and what is
 * there is used. is_split asks for the sections of a .dwo or .dwp file.
 */
enum cp_status cp_dwarf_file_load(struct cp_dwarf_file *f, struct cp_elf *e,
                                  bool is_split, bool is_parallel,
                                  struct cp_error *err);

/* Whether the file has debug information, not only names of sections. */
bool cp_dwarf_file_has_info(const struct cp_elf *e);

void cp_dwarf_file_release(struct cp_dwarf_file *f);

/* Gives memory back, where it is limited; it is read again if need be. */
void cp_dwarf_file_drop(const struct cp_dwarf_file *f);

#endif
