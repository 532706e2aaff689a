/*
 * unwind_info.c - looks for .eh_frame_hdr in the program headers.
 *
 * A statically linked program often has no .eh_frame_hdr. Then the section
 * headers of the program's file give the address of .eh_frame.
 */
#include "unwind/unwind_info.h"

#include <sys/auxv.h>

#include "base/proc_self.h"
#include "elf/elf_file.h"
#include "unwind/cfi.h"
#include "unwind/compile.h"

static uintptr_t address_of(const struct dl_phdr_info *info,
                            const ElfW(Phdr) * p)
{
    return info->dlpi_addr + p->p_vaddr;
}

static void find_code(const struct dl_phdr_info *info,
                      struct cp_compile_input *out)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = address_of(info, p);

        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        if (!out->code_end || start < out->code_start)
            out->code_start = start;
        if (start + p->p_memsz > out->code_end)
            out->code_end = start + p->p_memsz;
    }
}

static uintptr_t find_header(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            return address_of(info, &info->dlpi_phdr[i]);
    return 0;
}

/*
 * Finds .eh_frame through the section headers of the program. Returns its
 * address, or 0.
 */
static uintptr_t find_section(const struct dl_phdr_info *info)
{
    struct cp_elf_section section;
    struct cp_elf *elf = NULL;
    uintptr_t found = 0;
    char self[CP_PROC_SELF_BYTES];

    if ((uintptr_t)info->dlpi_phdr != getauxval(AT_PHDR) ||
        cp_elf_open(&elf, cp_proc_self("exe", self), NULL) != CP_OK)
        return 0;
    if (cp_elf_section(elf, ".eh_frame", &section))
        found = info->dlpi_addr + (uintptr_t)section.addr;
    cp_elf_close(elf);
    return found;
}

/* Limits reading to the readable segment that contains the address. */
static bool find_segment(const struct dl_phdr_info *info, uintptr_t address,
                         struct cp_eh_bytes *out)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = address_of(info, p);

        if (p->p_type != PT_LOAD || !(p->p_flags & PF_R) || address < start ||
            address >= start + p->p_filesz)
            continue;
        out->start = (const uint8_t *)start;
        out->end = out->start + p->p_filesz;
        return true;
    }
    return false;
}

bool cp_unwind_info_find(const struct dl_phdr_info *info,
                         struct cp_compile_input *out)
{
    uintptr_t header = find_header(info), section = 0;

    *out = (struct cp_compile_input){ .machine = cp_cfi_native() };
    find_code(info, out);
    if (header && find_segment(info, header, &out->bytes)) {
        out->bytes.hdr = (const uint8_t *)header;
    } else if (!header && (section = find_section(info)) != 0 &&
               find_segment(info, section, &out->bytes)) {
        out->bytes.frame = (const uint8_t *)section;
    }
    return out->code_end > out->code_start;
}
