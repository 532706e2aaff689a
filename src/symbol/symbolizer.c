/*
 * symbolizer.c - resolves a batch of addresses by all tables of a file.
 *
 * DWARF first. Addresses without a function are then looked up in the symbol
 * tables of the file, of its debug file, and of the small ELF file in
 * .gnu_debugdata.
 */
#include "symbol/symbolizer.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "elf/debug_file.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/dwarf_index.h"
#include "symbol/dwarf/dwarf_resolve.h"
#include "symbol/dwarf/dwarf_source.h"
#include "symbol/dwarf/dwarf_split.h"
#include "symbol/dwarf/dwarf_worker.h"
#include "symbol/table/symtab.h"

#define FEW_ADDRESSES 64 /* largest batch that uses the symbol index */

struct cp_symbolizer {
    struct cp_elf *elf;
    struct cp_elf *debug; /* the debug file, or NULL */
    struct cp_elf
        *alt; /* the file with shared debug information (dwz), or NULL */
    struct cp_elf *mini; /* the file in .gnu_debugdata, or NULL */
    struct cp_bytes mini_bytes;
    struct cp_dwarf_file file, alt_file;
    struct cp_split *split;
    struct cp_dwarf_index *index; /* used from the second batch on */
    struct cp_symtab_index *symbols[3];
    bool was_asked;
    bool has_dwarf;
    struct cp_symbolizer_options options;
    struct cp_worker *workers;
    size_t n_workers;
    struct cp_arena arena;
    char reason[sizeof(struct cp_error)];
};

/* State of one batch. */
struct batch {
    struct cp_sort_pair *asked; /* address, and index in the request */
    uint64_t *sorted;
    struct cp_resolved *answers;
    size_t n;
};

static void set_reason(struct cp_symbolizer *s, const char *text)
{
    (void)snprintf(s->reason, sizeof(s->reason), "%s", text);
}

static enum cp_status check_build_id(const struct cp_symbolizer *s,
                                     struct cp_error *err)
{
    const uint8_t *id = NULL;
    size_t n = cp_elf_build_id(s->elf, &id);

    if (s->options.build_id_len == 0 || n == 0 ||
        (n == s->options.build_id_len &&
         memcmp(id, s->options.build_id, n) == 0))
        return CP_OK;
    return cp_error_set(err, CP_EFORMAT,
                        "build id differs: not the file that was profiled");
}

/* Opens .gnu_debugdata, the compressed symbol table of stripped files. */
static void open_mini(struct cp_symbolizer *s)
{
    struct cp_elf_section packed;

    if (!cp_elf_section(s->elf, ".gnu_debugdata", &packed) ||
        !cp_elf_load(s->elf, &packed) ||
        cp_elf_decompress_xz(packed.data, packed.len, &s->mini_bytes, NULL) !=
            CP_OK)
        return;
    if (cp_elf_view(&s->mini, s->mini_bytes.data, s->mini_bytes.len, NULL) !=
        CP_OK)
        s->mini = NULL;
}

static void load_alt(struct cp_symbolizer *s, const struct cp_elf *of,
                     const char *path)
{
    if (!path || !cp_debug_file_has_alt(of))
        return;
    if (!cp_debug_file_open_alt(of, path, s->options.debug_dirs, &s->alt)) {
        set_reason(s, "the file of .gnu_debugaltlink (dwz) is missing: some "
                      "names are unknown");
        return;
    }
    (void)cp_dwarf_file_load(&s->alt_file, s->alt, false,
                             s->options.is_parallel, NULL);
    s->file.dwarf.alt = &s->alt_file.dwarf;
}

static void load_dwarf(struct cp_symbolizer *s, const char *path)
{
    struct cp_elf *from = s->elf;
    struct cp_error err;

    if (!cp_dwarf_file_has_info(from)) {
        if (!s->debug || !cp_dwarf_file_has_info(s->debug)) {
            set_reason(s, "no debug info: install the package with it "
                          "(-dbg or -dbgsym), or set DEBUGINFOD_URLS");
            return;
        }
        from = s->debug;
    }
    if (cp_dwarf_file_load(&s->file, from, false, s->options.is_parallel,
                           &err) != CP_OK)
        set_reason(s, err.msg);
    s->split = cp_split_new(path, s->elf, NULL);
    s->has_dwarf = s->split != NULL;
    load_alt(s, from, path);
}

static enum cp_status make_workers(struct cp_symbolizer *s,
                                   struct cp_error *err)
{
    s->n_workers = s->options.is_parallel ? cp_parallel_width() : 1;
    s->workers = cp_alloc(s->n_workers, sizeof(*s->workers), err);
    return s->workers ? CP_OK : CP_ENOMEM;
}

static void find_tables(struct cp_symbolizer *s, const char *path)
{
    struct cp_elf_section symtab;
    bool has_symtab = cp_elf_section(s->elf, ".symtab", &symtab);

    if (path && (!has_symtab || !cp_dwarf_file_has_info(s->elf)))
        if (!cp_debug_file_open(s->elf, path, s->options.debug_dirs, &s->debug))
            s->debug = NULL;
    if (!has_symtab && !s->debug)
        open_mini(s);
    if (!s->options.symbols_only)
        load_dwarf(s, path);
}

/* Continues with an open file, and closes it on failure. */
static enum cp_status open_elf(struct cp_symbolizer **out, struct cp_elf *elf,
                               const char *path,
                               const struct cp_symbolizer_options *options,
                               struct cp_error *err)
{
    struct cp_symbolizer *s = cp_alloc(1, sizeof(*s), err);
    enum cp_status status;

    if (!s) {
        cp_elf_close(elf);
        return CP_ENOMEM;
    }
    s->elf = elf;
    if (options)
        s->options = *options;
    status = check_build_id(s, err);
    if (status == CP_OK)
        status = make_workers(s, err);
    if (status != CP_OK) {
        cp_symbolizer_close(s);
        return status;
    }
    find_tables(s, path);
    *out = s;
    return CP_OK;
}

enum cp_status cp_symbolizer_open(struct cp_symbolizer **out, const char *path,
                                  const struct cp_symbolizer_options *options,
                                  struct cp_error *err)
{
    struct cp_elf *elf;
    enum cp_status status = cp_elf_open(&elf, path, err);

    return status == CP_OK ? open_elf(out, elf, path, options, err) : status;
}

enum cp_status cp_symbolizer_view(struct cp_symbolizer **out, const void *bytes,
                                  size_t len,
                                  const struct cp_symbolizer_options *options,
                                  struct cp_error *err)
{
    struct cp_elf *elf;
    enum cp_status status = cp_elf_view(&elf, bytes, len, err);

    return status == CP_OK ? open_elf(out, elf, NULL, options, err) : status;
}

static enum cp_status batch_init(struct batch *b, const uint64_t *addresses,
                                 size_t n, struct cp_error *err)
{
    b->n = n;
    b->asked = cp_alloc(n, sizeof(*b->asked), err);
    b->sorted = cp_alloc(n, sizeof(*b->sorted), err);
    b->answers = cp_alloc(n, sizeof(*b->answers), err);
    if (!b->asked || !b->sorted || !b->answers)
        return CP_ENOMEM;
    for (size_t i = 0; i < n; i++)
        b->asked[i] = (struct cp_sort_pair){ addresses[i], i };
    if (cp_sort_pairs(b->asked, n, err) != CP_OK)
        return CP_ENOMEM;
    for (size_t i = 0; i < n; i++)
        b->sorted[i] = b->asked[i].key;
    return CP_OK;
}

static void batch_release(struct batch *b)
{
    cp_free(b->asked);
    cp_free(b->sorted);
    cp_free(b->answers);
}

static bool needs_symbol(const struct cp_resolved *a)
{
    return a->n_frames == 0 || a->is_plain ||
           !a->frames[a->n_frames - 1].function;
}

/* Returns the length of a symbol name without suffixes for clones and parts. */
static size_t source_name_len(const char *name)
{
    static const char *const marks[] = { ".cold",      ".part.", ".isra.",
                                         ".constprop", ".llvm.", ".lto_priv" };
    size_t len = strlen(name);

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        const char *found = strstr(name, marks[i]);

        if (found && (size_t)(found - name) < len)
            len = (size_t)(found - name);
    }
    return len;
}

/* Replaces the name of the outermost frame by that of a symbol. */
static enum cp_status rename_outermost(struct cp_symbolizer *s,
                                       struct cp_resolved *a, const char *name,
                                       struct cp_error *err)
{
    if (a->is_plain) {
        size_t len = source_name_len(name);

        if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0 &&
            strncmp(name, "_D", 2) != 0)
            return CP_OK; /* not mangled, so not better */
        if (name[len])
            name = cp_arena_copy(&s->arena, name, len, err);
        if (!name)
            return CP_ENOMEM;
    }
    if (a->n_frames == 0) {
        a->frames = cp_arena_alloc(&s->arena, 1, sizeof(*a->frames), err);
        if (!a->frames)
            return CP_ENOMEM;
        a->n_frames = 1;
    }
    a->frames[a->n_frames - 1].function = name;
    return CP_OK;
}

/* Looks up addresses without a function in the symbol tables. */
static enum cp_status add_symbols(struct cp_symbolizer *s, struct batch *b,
                                  struct cp_error *err)
{
    const struct cp_elf *tables[] = { s->elf, s->debug, s->mini };
    uint64_t *left = cp_alloc(b->n, sizeof(*left), err);
    struct cp_symtab_hit *hits = cp_alloc(b->n, sizeof(*hits), err);
    enum cp_status status = left && hits ? CP_OK : CP_ENOMEM;
    size_t n = 0;

    for (size_t i = 0; status == CP_OK && i < b->n; i++)
        if (needs_symbol(&b->answers[i]))
            left[n++] = b->sorted[i];
    for (size_t i = 0; i < 3 && n > 0; i++) {
        if (tables[i] && s->index && !s->symbols[i])
            s->symbols[i] = cp_symtab_index_new(tables[i]);
        if (s->symbols[i] && n <= FEW_ADDRESSES)
            cp_symtab_index_find(s->symbols[i], left, n, hits);
        else if (tables[i])
            cp_symtab_find(tables[i], left, n, hits);
    }
    n = 0;
    for (size_t i = 0; status == CP_OK && i < b->n; i++)
        if (needs_symbol(&b->answers[i]) && hits[n++].name)
            status = rename_outermost(s, &b->answers[i], hits[n - 1].name, err);
    cp_free(left);
    cp_free(hits);
    return status;
}

enum cp_status cp_symbolizer_resolve(struct cp_symbolizer *s,
                                     const uint64_t *addresses, size_t n,
                                     cp_symbol_sink *sink, void *context,
                                     struct cp_error *err)
{
    struct cp_dwarf_source source = { &s->file.dwarf, s->split, s->workers,
                                      s->n_workers, s->index };
    struct batch b = { 0 };
    enum cp_status status = batch_init(&b, addresses, n, err);

    if (s->was_asked && !s->index)
        source.index = s->index = cp_dwarf_index_new();
    s->was_asked = true;
    if (status == CP_OK && s->has_dwarf) {
        status = cp_dwarf_resolve(&source, b.sorted, n, b.answers);
        if (status != CP_OK)
            (void)cp_error_nomem(err);
    }
    if (status == CP_OK)
        status = add_symbols(s, &b, err);
    for (size_t i = 0; status == CP_OK && i < n; i++)
        sink(context, b.asked[i].value, b.answers[i].frames,
             b.answers[i].n_frames);
    batch_release(&b);
    return status;
}

void cp_symbolizer_drop_frames(struct cp_symbolizer *s)
{
    cp_arena_release(&s->arena);
    for (size_t i = 0; i < s->n_workers; i++)
        cp_arena_release(&s->workers[i].arena);
    cp_dwarf_file_drop(&s->file);
    cp_dwarf_file_drop(&s->alt_file);
    if (s->split)
        cp_split_drop(s->split);
}

const char *cp_symbolizer_reason(const struct cp_symbolizer *s)
{
    if (s->split && cp_split_missing(s->split))
        return "the .dwo or .dwp files with the debug info are missing";
    return s->reason[0] ? s->reason : NULL;
}

struct cp_elf *cp_symbolizer_elf(struct cp_symbolizer *s)
{
    return s->elf;
}

struct cp_elf *cp_symbolizer_debug_elf(struct cp_symbolizer *s)
{
    return s->debug ? s->debug : s->mini;
}

void cp_symbolizer_close(struct cp_symbolizer *s)
{
    if (!s)
        return;
    for (size_t i = 0; s->workers && i < s->n_workers; i++)
        cp_worker_release(&s->workers[i]);
    cp_free(s->workers);
    cp_arena_release(&s->arena);
    cp_dwarf_index_free(s->index);
    for (size_t i = 0; i < 3; i++)
        cp_symtab_index_free(s->symbols[i]);
    cp_split_free(s->split);
    cp_dwarf_file_release(&s->alt_file);
    cp_dwarf_file_release(&s->file);
    cp_elf_close(s->mini);
    cp_bytes_release(&s->mini_bytes);
    cp_elf_close(s->alt);
    cp_elf_close(s->debug);
    cp_elf_close(s->elf);
    cp_free(s);
}
