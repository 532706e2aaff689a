/* dwarf_file.c - finds and decompresses the debug sections of a file. */
#include "symbol/dwarf/dwarf_file.h"

#include <stdio.h>

#include "base/parallel.h"

static const char *const names[CP_DWARF_PARTS] = {
    [CP_DWARF_INFO] = ".debug_info",
    [CP_DWARF_ABBREV] = ".debug_abbrev",
    [CP_DWARF_LINE] = ".debug_line",
    [CP_DWARF_STR] = ".debug_str",
    [CP_DWARF_LINE_STR] = ".debug_line_str",
    [CP_DWARF_STR_OFFSETS] = ".debug_str_offsets",
    [CP_DWARF_ADDR] = ".debug_addr",
    [CP_DWARF_RANGES] = ".debug_ranges",
    [CP_DWARF_RNGLISTS] = ".debug_rnglists",
    [CP_DWARF_ARANGES] = ".debug_aranges",
    [CP_DWARF_CU_INDEX] = ".debug_cu_index",
};

struct loading {
    struct cp_dwarf_file *file;
    bool is_split;
    struct cp_error errors[CP_DWARF_PARTS];
};

static void load_part(void *context, size_t part)
{
    struct loading *l = context;
    bool has_suffix = l->is_split && part != CP_DWARF_CU_INDEX;
    char name[64];

    (void)snprintf(name, sizeof(name), "%s%s", names[part],
                   has_suffix ? ".dwo" : "");
    (void)cp_elf_decompress(l->file->elf, name, &l->file->data[part],
                            &l->errors[part]);
}

enum cp_status cp_dwarf_file_load(struct cp_dwarf_file *f, struct cp_elf *e,
                                  bool is_split, bool is_parallel,
                                  struct cp_error *err)
{
    struct loading l = { .file = f, .is_split = is_split };
    enum cp_status status = CP_OK;
    struct cp_elf_section s;

    *f = (struct cp_dwarf_file){ .elf = e };
    cp_dwarf_init(&f->dwarf);
    f->dwarf.is_split = is_split;
    is_parallel &= cp_elf_type(e) == ET_REL ||
                   !cp_elf_section(e, ".debug_info", &s) ||
                   (s.flags & SHF_COMPRESSED);
    if (is_parallel)
        cp_parallel_run(CP_DWARF_PARTS, load_part, &l);
    for (size_t i = 0; i < CP_DWARF_PARTS; i++) {
        if (!is_parallel)
            load_part(&l, i);
        f->dwarf.part[i].data = f->data[i].data;
        f->dwarf.part[i].len = f->data[i].len;
        f->dwarf.part[i].elf = f->data[i].own.data ? NULL : e;
        if (l.errors[i].status != CP_OK && status == CP_OK) {
            status = l.errors[i].status;
            (void)cp_error_set(err, status, "%s", l.errors[i].msg);
        }
    }
    return status;
}

bool cp_dwarf_file_has_info(const struct cp_elf *e)
{
    struct cp_elf_section s;

    return (cp_elf_section(e, ".debug_info", &s) ||
            cp_elf_section(e, ".zdebug_info", &s)) &&
           s.len > 0;
}

void cp_dwarf_file_drop(const struct cp_dwarf_file *f)
{
    for (size_t i = 0; f->elf && i < CP_DWARF_PARTS; i++)
        if (f->dwarf.part[i].elf)
            cp_elf_drop(f->elf, f->dwarf.part[i].data, f->dwarf.part[i].len);
}

void cp_dwarf_file_release(struct cp_dwarf_file *f)
{
    if (!f->elf)
        return;
    for (size_t i = 0; i < CP_DWARF_PARTS; i++)
        cp_elf_data_release(&f->data[i]);
    cp_dwarf_release(&f->dwarf);
    f->elf = NULL;
}
