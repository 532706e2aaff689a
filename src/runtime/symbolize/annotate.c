/*
 * annotate.c - adds mappings and comments, and symbolizes locations in one
 * batch per file.
 *
 * A counting sort groups the locations by file, so that each symbolizer
 * resolves all its addresses at once.
 */
#include "runtime/symbolize/annotate.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hex.h"
#include "base/index.h"
#include "base/utf8.h"
#include "profile/model/line_adder.h"
#include "profile/model/profile.h"
#include "runtime/symbolize/jit_map.h"
#include "runtime/symbolize/mappings.h"
#include "runtime/symbolize/symbols.h"
#include "symbol/demangle/demangle.h"
#include "symbol/symbolizer.h"

#define NAME_BYTES 4096
#define MAX_INLINED 64 /* frames of one address */
#define NO_FILE UINT32_MAX

/* ---- mappings ---- */

/* Whether a location is still a bare address. */
static bool is_bare(const struct cp_location *l)
{
    return l->n_lines == 0 && l->address != 0;
}

static enum cp_status add_mapping(struct cp_profile *p,
                                  const struct cp_mappings *m,
                                  const struct cp_map *map,
                                  struct cp_error *err)
{
    struct cp_mapping *to = &p->mappings[p->n_mappings];
    char hex[2 * CP_BUILD_ID_BYTES + 1] = "";
    const char *path = "//anon";

    *to = (struct cp_mapping){ .id = p->n_mappings + 1,
                               .start = map->start,
                               .limit = map->limit,
                               .offset = map->offset };
    if (map->file != NO_FILE) {
        const struct cp_mapped_file *f = &m->files[map->file];

        cp_hex_text(f->build_id, f->build_id_len, hex);
        path = f->path;
    }
    to->file = cp_strtab_add(&p->strings, path, strlen(path), err);
    to->build_id = cp_strtab_add(&p->strings, hex, strlen(hex), err);
    if (to->file == CP_NO_STR || to->build_id == CP_NO_STR)
        return CP_ENOMEM;
    p->n_mappings++;
    return CP_OK;
}

/* Marks the maps that contain a location. */
static void mark_used(const struct cp_profile *p, const struct cp_mappings *m,
                      bool *is_used)
{
    for (uint32_t i = 0; i < p->n_locations; i++) {
        const struct cp_map *map =
            is_bare(&p->locations[i])
                ? cp_mappings_find(m, p->locations[i].address)
                : NULL;

        if (map)
            is_used[map - m->maps] = true;
    }
}

/* Fills p->mappings; number[i] becomes the index of map i + 1, or stays 0. */
static enum cp_status list_mappings(struct cp_profile *p,
                                    const struct cp_mappings *m,
                                    const bool *is_used, uint32_t *number,
                                    struct cp_error *err)
{
    for (int is_main = 1; is_main >= 0; is_main--) {
        for (size_t i = 0; i < m->n_maps; i++) {
            const struct cp_map *map = &m->maps[i];

            if ((map->file != NO_FILE && map->file == m->main_file) !=
                    is_main ||
                (!is_main && !is_used[i]))
                continue;
            if (add_mapping(p, m, map, err) != CP_OK)
                return CP_ENOMEM;
            number[i] = p->n_mappings;
        }
    }
    return CP_OK;
}

static void assign_mappings(struct cp_profile *p, const struct cp_mappings *m,
                            const uint32_t *number)
{
    for (uint32_t i = 0; i < p->n_locations; i++) {
        struct cp_location *l = &p->locations[i];
        const struct cp_map *map =
            is_bare(l) ? cp_mappings_find(m, l->address) : NULL;

        if (map && number[map - m->maps])
            l->mapping = number[map - m->maps] - 1;
    }
}

enum cp_status cp_annotate_mappings(struct cp_profile *p,
                                    const struct cp_mappings *m,
                                    struct cp_error *err)
{
    bool *is_used = cp_alloc(m->n_maps, sizeof(*is_used), err);
    uint32_t *number = cp_alloc(m->n_maps, sizeof(*number), err);
    enum cp_status status = CP_ENOMEM;

    p->mappings =
        cp_arena_alloc(&p->arena, m->n_maps, sizeof(*p->mappings), err);
    p->n_mappings = 0;
    if (is_used && number && p->mappings) {
        mark_used(p, m, is_used);
        status = list_mappings(p, m, is_used, number, err);
    }
    if (status == CP_OK)
        assign_mappings(p, m, number);
    cp_free(is_used);
    cp_free(number);
    return status;
}

/* ---- lines ---- */

struct annotator {
    struct cp_profile *p;
    const struct cp_mappings *m;
    struct cp_line_adder adder;
    const uint32_t *locations; /* locations of the current file */
    bool *is_partial;          /* by mapping: an address was not resolved */
    bool *has_names;           /* by mapping: an address was resolved */
    bool *lacks_lines;         /* by mapping: a frame has no line */
    struct cp_error failed;    /* first failure; CP_OK if none */
};

/* Collects the flags of a mapping from the frames of a location. */
static void collect_flags(struct annotator *a, uint32_t mapping,
                          const struct cp_line_frame *frames, size_t n)
{
    if (mapping == CP_NONE)
        return;
    a->is_partial[mapping] |= n == 0;
    a->has_names[mapping] |= n > 0;
    for (size_t i = 0; i < n; i++)
        a->lacks_lines[mapping] |= !frames[i].file || !frames[i].line;
}

/* Sets the frames of location number `index`; n may be 0. */
static void set_frames(struct annotator *a, uint32_t index,
                       const struct cp_symbol_frame *frames, size_t n)
{
    struct cp_line_frame lines[MAX_INLINED];

    if (n > 0 && !frames[0].function)
        n = 0;
    if (n > MAX_INLINED) { /* keeps the outermost ones */
        frames += n - MAX_INLINED;
        n = MAX_INLINED;
    }
    for (size_t i = 0; i < n; i++)
        lines[i] = (struct cp_line_frame){ frames[i].function, frames[i].file,
                                           frames[i].line, frames[i].column,
                                           frames[i].start_line };
    collect_flags(a, a->p->locations[index].mapping, lines, n);
    if (n > 0 && a->failed.status == CP_OK)
        (void)cp_line_adder_set(&a->adder, index, lines, n, &a->failed);
}

static void on_frames(void *context, size_t index,
                      const struct cp_symbol_frame *frames, size_t n)
{
    struct annotator *a = context;

    set_frames(a, a->locations[index], frames, n);
}

static void on_jit_name(void *context, size_t index, const char *name)
{
    struct annotator *a = context;
    struct cp_symbol_frame frame = { .function = name };

    set_frames(a, a->locations[index], &frame, name != NULL);
}

/* Resolves n locations that all lie in one file. */
static void resolve_file(struct annotator *a, struct cp_symbols *symbols,
                         uint32_t file, uint64_t *addresses, size_t n)
{
    struct cp_symbolizer *s = cp_symbols_open(symbols, a->m, file);

    for (size_t i = 0; i < n; i++) {
        uint64_t address = a->p->locations[a->locations[i]].address;
        const struct cp_map *map = cp_mappings_find(a->m, address);

        if (!cp_mappings_file_address(a->m, map, address, &addresses[i]))
            addresses[i] = UINT64_MAX; /* resolves to no symbol */
    }
    if (s &&
        cp_symbolizer_resolve(s, addresses, n, on_frames, a, NULL) == CP_OK)
        return;
    for (size_t i = 0; i < n; i++) /* those with lines keep them */
        set_frames(a, a->locations[i], NULL, 0);
}

/* Bare locations by file: those of file i start at sorted[starts[i]]. */
struct by_file {
    uint32_t *sorted;
    size_t *starts;      /* n_files + 2; file n_files stands for no file */
    uint64_t *addresses; /* scratch */
};

static size_t file_number(const struct annotator *a, uint32_t location)
{
    const struct cp_map *map =
        cp_mappings_find(a->m, a->p->locations[location].address);

    return map && map->file != NO_FILE ? map->file : a->m->n_files;
}

static void sort_by_file(const struct annotator *a, struct by_file *b)
{
    const struct cp_profile *p = a->p;
    size_t n_files = a->m->n_files + 1, total = 0;

    for (uint32_t i = 0; i < p->n_locations; i++)
        if (is_bare(&p->locations[i]))
            b->starts[file_number(a, i)]++;
    for (size_t i = 0; i < n_files; i++) {
        total += b->starts[i];
        b->starts[i] = total; /* the end of each file, ... */
    }
    b->starts[n_files] = total;
    for (uint32_t i = p->n_locations; i-- > 0;)
        if (is_bare(&p->locations[i])) /* ... which moves to its start */
            b->sorted[--b->starts[file_number(a, i)]] = i;
}

/* The linkage name stays in system_name. */
static void demangle_all(struct annotator *a)
{
    struct cp_profile *p = a->p;
    char name[NAME_BYTES];

    for (uint32_t i = a->adder.first; i < p->n_functions; i++) {
        struct cp_function *f = &p->functions[i];
        uint32_t id;

        if (!cp_demangle(cp_profile_cstr(p, f->system_name), CP_DEMANGLE_SIMPLE,
                         name, sizeof(name)))
            continue;
        id = cp_strtab_add(&p->strings, name, strlen(name), &a->failed);
        if (id == CP_NO_STR)
            return;
        f->name = id;
    }
}

static enum cp_status resolve_all(struct annotator *a,
                                  struct cp_symbols *symbols, struct by_file *b)
{
    size_t n_files = a->m->n_files, rest = b->starts[n_files];

    for (uint32_t file = 0; file < n_files; file++) {
        size_t n = b->starts[file + 1] - b->starts[file];

        a->locations = b->sorted + b->starts[file];
        if (n)
            resolve_file(a, symbols, file, b->addresses, n);
    }
    a->locations = b->sorted + rest;
    for (size_t i = rest; i < b->starts[n_files + 1]; i++)
        b->addresses[i - rest] = a->p->locations[b->sorted[i]].address;
    if (b->starts[n_files + 1] > rest)
        cp_jit_map_resolve(b->addresses, b->starts[n_files + 1] - rest,
                           on_jit_name, a);
    demangle_all(a);
    return a->failed.status;
}

static void set_flags(const struct annotator *a)
{
    for (uint32_t i = 0; i < a->p->n_mappings; i++) {
        struct cp_mapping *m = &a->p->mappings[i];

        m->has_functions = a->has_names[i] && !a->is_partial[i];
        m->has_filenames = m->has_functions && !a->lacks_lines[i];
        m->has_line_numbers = m->has_inline_frames = m->has_filenames;
    }
}

enum cp_status cp_annotate_lines(struct cp_profile *p,
                                 const struct cp_mappings *m,
                                 struct cp_symbols *symbols,
                                 struct cp_error *err)
{
    struct annotator a = { .p = p, .m = m };
    struct cp_arena scratch = { 0 };
    struct by_file b = {
        cp_arena_alloc(&scratch, p->n_locations, sizeof(*b.sorted), err),
        cp_arena_alloc(&scratch, m->n_files + 2, sizeof(*b.starts), err),
        cp_arena_alloc(&scratch, p->n_locations, sizeof(*b.addresses), err),
    };
    enum cp_status status = CP_ENOMEM;

    a.is_partial = cp_arena_alloc(&scratch, p->n_mappings, sizeof(bool), err);
    a.has_names = cp_arena_alloc(&scratch, p->n_mappings, sizeof(bool), err);
    a.lacks_lines = cp_arena_alloc(&scratch, p->n_mappings, sizeof(bool), err);
    if (b.sorted && b.starts && b.addresses && a.is_partial && a.has_names &&
        a.lacks_lines && cp_line_adder_init(&a.adder, p, err) == CP_OK) {
        sort_by_file(&a, &b);
        status = resolve_all(&a, symbols, &b);
        if (status != CP_OK)
            status = cp_error_nomem(err);
        set_flags(&a);
    }
    cp_symbols_release_frames(symbols);
    cp_line_adder_release(&a.adder);
    cp_arena_release(&scratch);
    return status;
}

/* ---- comments and invalid text ---- */

/* Formats ELF type, file offset and virtual address of a mapping's code. */
static void format_executable(const struct cp_mappings *m,
                              const struct cp_mapping *mapping, char *out,
                              size_t cap)
{
    const struct cp_map *map = cp_mappings_find(m, mapping->start);
    const struct cp_mapped_file *f =
        map && map->file != NO_FILE ? &m->files[map->file] : NULL;
    const struct cp_load *load = NULL;

    for (size_t i = 0; f && i < f->n_loads; i++)
        if (f->loads[i].is_code && f->loads[i].offset >= mapping->offset &&
            f->loads[i].offset <
                mapping->offset + mapping->limit - mapping->start)
            load = &f->loads[i];
    (void)snprintf(out, cap, "executableInfo=%x;%llx;%llx", f ? f->elf_type : 0,
                   (unsigned long long)(load ? load->offset : mapping->offset),
                   (unsigned long long)(load ? load->vaddr : 0));
}

enum cp_status cp_annotate_comment(struct cp_profile *p, const char *text,
                                   struct cp_error *err)
{
    uint32_t id = cp_strtab_add(&p->strings, text, strlen(text), err);
    size_t cap = p->n_comments;

    if (id == CP_NO_STR ||
        cp_arena_reserve(&p->arena, &p->comments, p->n_comments, &cap,
                         (size_t)p->n_comments + 1, sizeof(*p->comments),
                         err) != CP_OK)
        return CP_ENOMEM;
    p->comments[p->n_comments++] = id;
    return CP_OK;
}

enum cp_status cp_annotate_executables(struct cp_profile *p,
                                       const struct cp_mappings *m,
                                       struct cp_error *err)
{
    for (uint32_t i = 0; i < p->n_locations; i++)
        if (!is_bare(&p->locations[i]))
            return CP_OK;
    if (p->n_locations == 0)
        return CP_OK;
    for (uint32_t i = 0; i < p->n_mappings; i++) {
        char text[96];

        format_executable(m, &p->mappings[i], text, sizeof(text));
        if (cp_annotate_comment(p, text, err) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

/* Replaces a string by a copy with U+FFFD for each byte that is not UTF-8. */
static enum cp_status replace_invalid(struct cp_arena *arena,
                                      struct cp_str *text, struct cp_error *err)
{
    char *out = cp_arena_alloc(arena, 3 * (size_t)text->len + 1, 1, err);
    size_t n = 0, len;
    uint32_t rune;

    if (!out)
        return CP_ENOMEM;
    for (size_t i = 0; i < text->len; i += len) {
        len = cp_utf8_decode(text->ptr + i, text->len - i, &rune);
        if (len == 0) {
            n += cp_utf8_encode(CP_UTF8_REPLACEMENT, out + n);
            len = 1;
        } else {
            memcpy(out + n, text->ptr + i, len);
            n += len;
        }
    }
    *text = (struct cp_str){ out, (uint32_t)n };
    return CP_OK;
}

enum cp_status cp_annotate_replace_invalid_utf8(struct cp_profile *p,
                                                struct cp_error *err)
{
    for (uint32_t i = 0; i < p->strings.n; i++) {
        struct cp_str *text = &p->strings.items[i];

        if (!cp_utf8_is_valid(text->ptr, text->len) &&
            replace_invalid(&p->arena, text, err) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}
