/*
 * mappings.c - parses /proc/self/maps, and ELF headers and notes in memory.
 *
 * A line of maps:
 *
 *   start-limit rwxp offset device inode    path
 */
#include "runtime/symbolize/mappings.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/proc_self.h"
#include "base/search.h"
#include "runtime/os/read_memory.h"
#include "runtime/os/proc_file.h"

#define MAX_MAPS_BYTES ((size_t)64 << 20)
#define MAX_HEADERS 64
#define MAX_NOTE_BYTES ((size_t)4096)
#define NO_FILE UINT32_MAX

/* ---- /proc/self/maps ---- */

static bool take_hex(const char **at, char after, uint64_t *out)
{
    char *end;

    *out = strtoull(*at, &end, 16);
    if (end == *at || *end != after)
        return false;
    *at = end + 1;
    return true;
}

static const char *skip_words(const char *at, int n)
{
    while (n-- > 0) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    return at;
}

/* Removes the kernel's mark from the path of a deleted file. */
static bool strip_deleted(char *path)
{
    static const char mark[] = " (deleted)";
    size_t len = strlen(path), mark_len = sizeof(mark) - 1;

    if (len <= mark_len || strcmp(path + len - mark_len, mark) != 0)
        return false;
    path[len - mark_len] = '\0';
    return true;
}

/* State between lines. Only files with code are kept: a database may map
 * thousands of others. */
struct reader {
    struct cp_mappings *m;
    const char *path; /* path of the previous line */
    uint64_t base;    /* address of that file's first byte, if has_base */
    bool has_base;
    struct cp_error *err;
};

/* Finds or adds the file with that path; NO_FILE if there is no memory. */
static uint32_t find_or_add_file(struct reader *r, char *path)
{
    struct cp_mappings *m = r->m;
    struct cp_mapped_file f = { .base = r->base, .has_base = r->has_base };

    f.is_deleted = strip_deleted(path);
    for (size_t i = m->n_files; i-- > 0;) /* usually the last */
        if (strcmp(m->files[i].path, path) == 0)
            return (uint32_t)i;
    f.path = cp_arena_copy(&m->arena, path, strlen(path), r->err);
    if (!f.path ||
        cp_arena_reserve(&m->arena, &m->files, m->n_files, &m->cap_files,
                         m->n_files + 1, sizeof(f), r->err) != CP_OK)
        return NO_FILE;
    m->files[m->n_files] = f;
    return (uint32_t)m->n_files++;
}

/* Adds an executable map. */
static enum cp_status add_map(struct reader *r, struct cp_map map, char *path)
{
    struct cp_mappings *m = r->m;

    if (*path == '/' || strcmp(path, "[vdso]") == 0) {
        map.file = find_or_add_file(r, path);
        if (map.file == NO_FILE)
            return CP_ENOMEM;
    }
    if (cp_arena_reserve(&m->arena, &m->maps, m->n_maps, &m->cap_maps,
                         m->n_maps + 1, sizeof(map), r->err) != CP_OK)
        return CP_ENOMEM;
    m->maps[m->n_maps++] = map;
    return CP_OK;
}

static enum cp_status read_line(struct reader *r, char *text)
{
    struct cp_map map = { .file = NO_FILE };
    const char *at = text;
    bool is_code;
    char *path;

    if (!take_hex(&at, '-', &map.start) || !take_hex(&at, ' ', &map.limit))
        return CP_OK;
    is_code = at[0] && at[1] && at[2] == 'x';
    at = skip_words(at, 1);
    if (!take_hex(&at, ' ', &map.offset))
        return CP_OK;
    path = text + (skip_words(at, 2) - text);
    if (!r->path || strcmp(r->path, path) != 0)
        r->has_base = false;
    if (map.offset == 0) {
        r->base = map.start;
        r->has_base = true;
    }
    r->path = path;
    return is_code ? add_map(r, map, path) : CP_OK;
}

static enum cp_status read_lines(struct cp_mappings *m, char *text,
                                 struct cp_error *err)
{
    struct reader r = { .m = m, .err = err };
    enum cp_status status = CP_OK;
    char *line, *rest;

    line = strtok_r(text, "\n", &rest);
    for (; line && status == CP_OK; line = strtok_r(NULL, "\n", &rest))
        status = read_line(&r, line);
    return status;
}

/* ---- ELF headers in memory ---- */

/*
 * Reads by the descriptor of /proc/self/mem. A program that has dropped
 * privileges cannot open that file (mem is -1), but process_vm_readv works.
 */
static bool read_bytes(int mem, uint64_t address, void *out, size_t len)
{
    if (mem < 0)
        return cp_read_memory((uintptr_t)address, out, len) == (long)len;
    return pread(mem, out, len, (off_t)address) == (ssize_t)len;
}

/* Finds the GNU build id in the notes of a segment. */
static void read_notes(struct cp_mapped_file *f, int mem, uint64_t address,
                       size_t len)
{
    _Alignas(8) char notes[MAX_NOTE_BYTES];
    size_t at = 0;

    if (len > sizeof(notes))
        len = sizeof(notes);
    if (f->build_id_len || !read_bytes(mem, address, notes, len))
        return;
    while (len - at >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) n;
        size_t name, desc;

        memcpy(&n, notes + at, sizeof(n));
        name = at + sizeof(n);
        desc = name + (((size_t)n.n_namesz + 3) & ~(size_t)3);
        if (n.n_namesz > len || n.n_descsz > len || desc + n.n_descsz > len)
            return;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
            memcmp(notes + name, "GNU", 4) == 0 &&
            n.n_descsz <= CP_BUILD_ID_BYTES) {
            f->build_id_len = n.n_descsz;
            memcpy(f->build_id, notes + desc, n.n_descsz);
            return;
        }
        at = desc + (((size_t)n.n_descsz + 3) & ~(size_t)3);
        if (at > len)
            return;
    }
}

/* Copies the segments and reads the notes. */
static void read_segments(struct cp_mapped_file *f, int mem,
                          const ElfW(Phdr) * headers, size_t n)
{
    uint64_t bias = f->base;

    for (size_t i = 0; i < n; i++) {
        const ElfW(Phdr) *h = &headers[i];

        if (h->p_type != PT_LOAD)
            continue;
        if (h->p_offset == 0)
            bias = f->base - h->p_vaddr;
        f->loads[f->n_loads++] =
            (struct cp_load){ h->p_offset, h->p_vaddr, h->p_memsz,
                              (h->p_flags & PF_X) != 0 };
    }
    for (size_t i = 0; i < n; i++)
        if (headers[i].p_type == PT_NOTE)
            read_notes(f, mem, bias + headers[i].p_vaddr, headers[i].p_filesz);
}

/* Reads the ELF header at the start of a file. */
static enum cp_status read_elf(struct cp_mappings *m, struct cp_mapped_file *f,
                               int mem, struct cp_error *err)
{
    ElfW(Phdr) headers[MAX_HEADERS];
    ElfW(Ehdr) e;
    size_t n;

    if (!read_bytes(mem, f->base, &e, sizeof(e)) ||
        memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
        e.e_phentsize != sizeof(headers[0]))
        return CP_OK;
    n = e.e_phnum < MAX_HEADERS ? e.e_phnum : MAX_HEADERS;
    if (!read_bytes(mem, f->base + e.e_phoff, headers, n * sizeof(headers[0])))
        return CP_OK;
    f->loads = cp_arena_alloc(&m->arena, n, sizeof(*f->loads), err);
    if (!f->loads)
        return CP_ENOMEM;
    f->is_elf = true;
    f->elf_type = e.e_type;
    read_segments(f, mem, headers, n);
    return CP_OK;
}

static enum cp_status read_files(struct cp_mappings *m, struct cp_error *err)
{
    char self[CP_PROC_SELF_BYTES];
    int mem = open(cp_proc_self("mem", self), O_RDONLY | O_CLOEXEC);
    enum cp_status status = CP_OK;

    for (size_t i = 0; i < m->n_files && status == CP_OK; i++)
        if (m->files[i].has_base)
            status = read_elf(m, &m->files[i], mem, err);
    if (mem >= 0)
        (void)close(mem);
    return status;
}

static void find_main(struct cp_mappings *m)
{
    char path[4096], self[CP_PROC_SELF_BYTES];
    ssize_t len = readlink(cp_proc_self("exe", self), path, sizeof(path) - 1);

    if (len <= 0)
        return;
    path[len] = '\0';
    (void)strip_deleted(path);
    for (size_t i = 0; i < m->n_files; i++)
        if (strcmp(m->files[i].path, path) == 0)
            m->main_file = (uint32_t)i;
}

enum cp_status cp_mappings_read(struct cp_mappings *m, struct cp_error *err)
{
    struct cp_out text = { .fd = -1 };
    char self[CP_PROC_SELF_BYTES];
    enum cp_status status;

    *m = (struct cp_mappings){ .main_file = NO_FILE };
    status = cp_proc_file_read(cp_proc_self("maps", self), MAX_MAPS_BYTES,
                               &text, err);
    cp_out_char(&text, '\0');
    if (status == CP_OK)
        status = cp_out_finish(&text, err);
    if (status == CP_OK)
        status = read_lines(m, text.buf, err);
    if (status == CP_OK)
        status = read_files(m, err);
    if (status == CP_OK)
        find_main(m);
    else
        cp_mappings_release(m);
    cp_out_release(&text);
    return status;
}

/* Whether no map of m overlaps `map`. */
static bool is_unmapped(const struct cp_mappings *m, const struct cp_map *map)
{
    const struct cp_map *at = cp_mappings_find(m, map->start);

    for (size_t i = 0; !at && i < m->n_maps; i++)
        if (m->maps[i].start < map->limit && m->maps[i].limit > map->start)
            at = &m->maps[i];
    return !at;
}

/* Copies the entry of a file from a different struct cp_mappings. */
static enum cp_status copy_file(struct cp_mappings *m,
                                const struct cp_mapped_file *file,
                                struct cp_error *err)
{
    struct cp_mapped_file copy = *file;

    copy.path = cp_arena_copy(&m->arena, file->path, strlen(file->path), err);
    copy.loads =
        cp_arena_alloc(&m->arena, file->n_loads + 1, sizeof(*copy.loads), err);
    if (!copy.path || !copy.loads ||
        cp_arena_reserve(&m->arena, &m->files, m->n_files, &m->cap_files,
                         m->n_files + 1, sizeof(copy), err) != CP_OK)
        return CP_ENOMEM;
    if (file->n_loads)
        memcpy(copy.loads, file->loads, file->n_loads * sizeof(*copy.loads));
    m->files[m->n_files++] = copy;
    return CP_OK;
}

/* Inserts a map by its address, with a copy of its file. */
static enum cp_status insert_map(struct cp_mappings *m, struct cp_map map,
                                 const struct cp_mapped_file *file,
                                 struct cp_error *err)
{
    size_t i = m->n_maps;

    if (cp_arena_reserve(&m->arena, &m->maps, m->n_maps, &m->cap_maps,
                         m->n_maps + 1, sizeof(map), err) != CP_OK ||
        copy_file(m, file, err) != CP_OK)
        return CP_ENOMEM;
    map.file = (uint32_t)(m->n_files - 1);
    for (; i > 0 && m->maps[i - 1].start > map.start; i--)
        m->maps[i] = m->maps[i - 1];
    m->maps[i] = map;
    m->n_maps++;
    return CP_OK;
}

enum cp_status cp_mappings_join(struct cp_mappings *m,
                                const struct cp_mappings *before,
                                struct cp_error *err)
{
    for (size_t i = 0; i < before->n_maps; i++) {
        const struct cp_map *map = &before->maps[i];

        if (map->file != NO_FILE && is_unmapped(m, map) &&
            insert_map(m, *map, &before->files[map->file], err) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

void cp_mappings_release(struct cp_mappings *m)
{
    cp_arena_release(&m->arena);
    *m = (struct cp_mappings){ .main_file = NO_FILE };
}

const struct cp_map *cp_mappings_find(const struct cp_mappings *m,
                                      uint64_t address)
{
    size_t i = m->n_maps ? cp_search_above(&m->maps[0].limit, sizeof(*m->maps),
                                           m->n_maps, address)
                         : 0;

    return i < m->n_maps && m->maps[i].start <= address ? &m->maps[i] : NULL;
}

bool cp_mappings_file_address(const struct cp_mappings *m,
                              const struct cp_map *map, uint64_t address,
                              uint64_t *out)
{
    uint64_t offset = address - map->start + map->offset;
    const struct cp_mapped_file *f;

    if (map->file == NO_FILE)
        return false;
    f = &m->files[map->file];
    for (size_t i = 0; i < f->n_loads; i++) {
        const struct cp_load *load = &f->loads[i];

        if (offset >= load->offset && offset - load->offset < load->len) {
            *out = offset - load->offset + load->vaddr;
            return true;
        }
    }
    return false;
}
