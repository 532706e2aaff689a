/* dwarf_file - the debug sections of an ELF file. */
#ifndef CP_DWARF_FILE_H
#define CP_DWARF_FILE_H

#include <stdbool.h>

#include "elf/elf_decompress.h"
#include "symbol/dwarf/dwarf.h"

struct cp_elf;

/* Filled in by cp_dwarf_file_load. */
struct cp_dwarf_file {
    struct cp_elf *elf; /* borrowed */
    struct cp_dwarf dwarf;
    struct cp_elf_data data[CP_DWARF_PARTS];
};

/*
 * Finds the sections and decompresses them, on all cores if is_parallel. A
 * section that cannot be decompressed is omitted and named in *err; the others
 * are used. is_split selects the sections of a .dwo or .dwp file.
 */
enum cp_status cp_dwarf_file_load(struct cp_dwarf_file *f, struct cp_elf *e,
                                  bool is_split, bool is_parallel,
                                  struct cp_error *err);

/* Whether the file has debug information, not only section names. */
bool cp_dwarf_file_has_info(const struct cp_elf *e);

void cp_dwarf_file_release(struct cp_dwarf_file *f);

/*
 * Frees fetched pages if memory is limited; they are fetched again on demand.
 */
void cp_dwarf_file_drop(const struct cp_dwarf_file *f);

#endif
