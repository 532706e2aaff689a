/*
 * elf_relocate - relocates the debug sections of a relocatable file.
 *
 * In a kernel module or an object file, debug information contains unresolved
 * addresses. They are set to the addresses that elf_file.h assigns to the
 * sections.
 */
#ifndef CP_ELF_RELOCATE_H
#define CP_ELF_RELOCATE_H

#include "base/error.h"

struct cp_elf;
struct cp_elf_data;
struct cp_elf_section;

/* Applies the relocations of section s to its bytes, which are copied first. */
enum cp_status cp_elf_relocate(const struct cp_elf *e,
                               const struct cp_elf_section *s,
                               struct cp_elf_data *d, struct cp_error *err);

#endif
