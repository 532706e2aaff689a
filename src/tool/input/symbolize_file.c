/*
 * symbolize_file.c - symbolizes mappings from ELF files, code maps and
 * kallsyms.
 */
#include "tool/input/symbolize_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/index.h"
#include "base/out.h"
#include "base/path.h"
#include "profile/model/line_adder.h"
#include "profile/model/profile.h"
#include "symbol/code/code_map.h"
#include "symbol/symbolizer.h"
#include "symbol/table/address_map.h"
#include "symbol/table/symtab.h"
#include "tool/input/kernel_symbols.h"
#include "tool/input/symbol_source.h"
#include "tool/input/symbolize_mode.h"

#define PATH_BYTES 4096
#define MAX_REASONS 4
#define MAX_FRAMES 256 /* depth of inlining */

struct query {
    uint64_t address; /* address in the file */
    uint32_t location;
};

struct job {
    struct cp_line_adder *adder;
    const struct cp_symbolize_mode *mode;
    struct cp_profile *p;
    uint32_t *first;     /* n_mappings + 1 indexes into locations, by mapping */
    uint32_t *locations; /* locations with an address, by mapping */
    bool is_missing;     /* some file does not exist */
    struct {
        char text[256];
        struct cp_out files; /* names of the files */
    } reasons[MAX_REASONS];  /* reasons for missing line numbers */
    size_t n_reasons;
    cp_warn warn;
    void *context;

    /* State for the current mapping: */
    struct cp_mapping *m;
    const struct query *queries;   /* sorted by address */
    struct cp_symtab_hit *symbols; /* results from the file's symbol tables */
    struct cp_error *err;
    enum cp_status status;
};

static void tell(const struct job *j, const struct cp_mapping *m,
                 const char *why)
{
    struct cp_str base = cp_path_base(cp_profile_str(j->p, m->file));
    const char *id = cp_profile_cstr(j->p, m->build_id);
    char line[PATH_BYTES + 1024];

    (void)snprintf(line, sizeof(line),
                   "Local symbolization failed for %.*s%s%s%s: %s",
                   (int)base.len, base.ptr, *id ? " (build ID " : "", id,
                   *id ? ")" : "", why);
    j->warn(j->context, line);
}

/* Names of mappings that have no file. */
static bool is_anonymous(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file;

    return *base == '[' || strncmp(base, "linux-vdso", 10) == 0 ||
           strncmp(file, "/dev/dri/", 9) == 0 ||
           strncmp(file, "//anon", 6) == 0 ||
           strncmp(file, "/memfd:", 7) == 0 || strncmp(file, "http:", 5) == 0 ||
           strncmp(file, "https:", 6) == 0 || strncmp(file, "unix:", 5) == 0;
}

/* Sorts the locations by mapping; omits those without a mapping. */
static enum cp_status sort_locations(struct job *j, struct cp_error *err)
{
    const struct cp_profile *p = j->p;
    uint32_t *at;

    j->first = cp_alloc((size_t)p->n_mappings + 2, sizeof(*j->first), err);
    j->locations = cp_alloc(p->n_locations, sizeof(*j->locations), err);
    if (!j->first || !j->locations)
        return CP_ENOMEM;
    at = j->first + 1; /* write cursor of each mapping */
    for (uint32_t i = 0; i < p->n_locations; i++)
        if (p->locations[i].mapping != CP_NONE)
            at[p->locations[i].mapping + 1]++;
    for (uint32_t i = 1; i <= p->n_mappings; i++)
        at[i] += at[i - 1];
    for (uint32_t i = 0; i < p->n_locations; i++)
        if (p->locations[i].mapping != CP_NONE)
            j->locations[at[p->locations[i].mapping]++] = i;
    return CP_OK;
}

/* Stores the frames that the symbolizer found for one address. */
static void on_frames(void *context, size_t index,
                      const struct cp_symbol_frame *frames, size_t n)
{
    struct job *j = context;
    struct cp_line_frame lines[MAX_FRAMES];
    struct cp_mapping *m = j->m;

    if (n == 0 || j->status != CP_OK)
        return;
    n = n < MAX_FRAMES ? n : MAX_FRAMES;
    for (size_t i = 0; i < n; i++) {
        lines[i] = (struct cp_line_frame){ frames[i].function, frames[i].file,
                                           frames[i].line, frames[i].column,
                                           frames[i].start_line };
        m->has_functions |= frames[i].function != NULL;
        m->has_filenames |= frames[i].file != NULL;
        m->has_line_numbers |= frames[i].line != 0;
    }
    m->has_inline_frames = true;
    if (j->symbols[index].name &&
        n < MAX_FRAMES) /* prefer qsort_r over __GI___qsort_r */
        lines[n - 1].function = j->symbols[index].name;
    j->status = cp_line_adder_set(j->adder, j->queries[index].location, lines,
                                  n, j->err);
}

static int by_address(const void *a, const void *b)
{
    const struct query *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

/* Lists the addresses to resolve, sorted; returns their number. */
static size_t list_queries(const struct job *j, const struct cp_mapping *m,
                           const struct cp_address_map *map, struct query *out)
{
    size_t number = (size_t)(m - j->p->mappings), n = 0;

    for (uint32_t i = j->first[number]; i < j->first[number + 1]; i++) {
        const struct cp_location *l = &j->p->locations[j->locations[i]];

        out[n].location = j->locations[i];
        if ((j->mode->is_forced || l->n_lines == 0) &&
            cp_address_map_to_file(map, l->address, &out[n].address))
            n++;
    }
    qsort(out, n, sizeof(*out), by_address);
    return n;
}

/* Starts a mapping. */
static void start(struct job *j, struct cp_mapping *m,
                  const struct query *queries, struct cp_error *err)
{
    j->m = m;
    j->queries = queries;
    j->err = err;
    j->status = CP_OK;
}

/*
 * Resolves the addresses from the file, or from the code map if there is one.
 */
static enum cp_status resolve_addresses(struct job *j,
                                        const struct cp_symbol_source *s,
                                        struct cp_code_map *map, size_t n,
                                        struct cp_error *err)
{
    uint64_t *addresses = cp_alloc(n, sizeof(*addresses), err);
    enum cp_status status = CP_ENOMEM;

    j->symbols = cp_alloc(n, sizeof(*j->symbols), err);
    if (addresses && j->symbols) {
        for (size_t i = 0; i < n; i++)
            addresses[i] = j->queries[i].address;
        if (s)
            cp_symtab_find(cp_symbolizer_elf(s->file), addresses, n,
                           j->symbols);
        status =
            s ? cp_symbolizer_resolve(s->names, addresses, n, on_frames, j, err)
              : cp_code_map_resolve(map, addresses, n, on_frames, j, err);
    }
    cp_free(j->symbols);
    cp_free(addresses);
    return status == CP_OK ? j->status : status;
}

static enum cp_status resolve(struct job *j, const struct cp_symbol_source *s,
                              struct cp_mapping *m, struct cp_error *err)
{
    size_t number = (size_t)(m - j->p->mappings);
    size_t most = j->first[number + 1] - j->first[number];
    struct cp_address_range range = { m->start, m->limit, m->offset };
    struct query *queries = cp_alloc(most, sizeof(*queries), err);
    struct cp_address_map map;
    enum cp_status status;
    size_t n;

    if (!queries)
        return CP_ENOMEM;
    cp_address_map_init(&map, cp_symbolizer_elf(s->file), range,
                        cp_profile_cstr(j->p, m->file));
    n = list_queries(j, m, &map, queries);
    start(j, m, queries, err);
    status = resolve_addresses(j, s, NULL, n, err);
    cp_free(queries);
    return status;
}

/* Records why line numbers are missing, for one message about all files. */
static void note_reason(struct job *j, const struct cp_mapping *m,
                        const char *reason)
{
    struct cp_str base = cp_path_base(cp_profile_str(j->p, m->file));
    size_t i = 0;

    while (i < j->n_reasons && strcmp(j->reasons[i].text, reason) != 0)
        i++;
    if (i == MAX_REASONS)
        return;
    if (i == j->n_reasons) {
        j->reasons[i].files.fd = -1;
        (void)snprintf(j->reasons[i].text, sizeof(j->reasons[i].text), "%s",
                       reason);
        j->n_reasons++;
    }
    if (j->reasons[i].files.len > 0)
        cp_out_cstr(&j->reasons[i].files, ", ");
    cp_out_str(&j->reasons[i].files, base);
}

static void report_reasons(struct job *j)
{
    char line[PATH_BYTES];

    for (size_t i = 0; i < j->n_reasons; i++) {
        struct cp_out *files = &j->reasons[i].files;

        (void)snprintf(line, sizeof(line), "No line numbers for %.*s: %s",
                       (int)(files->len < 512 ? files->len : 512),
                       files->buf ? files->buf : "", j->reasons[i].text);
        j->warn(j->context, line);
        cp_out_release(files);
    }
}

/* Symbolizes a mapping from its file. */
static enum cp_status use_file(struct job *j, struct cp_mapping *m,
                               struct cp_error *err)
{
    struct cp_symbol_wanted wanted = {
        .path = cp_profile_cstr(j->p, m->file),
        .build_id = cp_profile_cstr(j->p, m->build_id),
        .is_fast = j->mode->is_fast,
        .warn = j->warn,
        .context = j->context,
    };
    struct cp_symbol_source s;
    struct cp_error why = { 0 };
    bool is_missing;
    enum cp_status status;

    if (!cp_symbol_source_open(&s, &wanted, &is_missing, &why)) {
        if (is_anonymous(wanted.path))
            return CP_OK;
        tell(j, m, why.msg);
        j->is_missing |= is_missing;
        return CP_OK;
    }
    status = resolve(j, &s, m, err);
    if (status == CP_OK && !j->mode->is_fast && !m->has_line_numbers &&
        cp_symbolizer_reason(s.names))
        note_reason(j, m, cp_symbolizer_reason(s.names));
    cp_symbol_source_close(&s);
    return status;
}

/* Whether the file describes code generated at run time. */
static bool is_code_map(const char *path)
{
    static const char *const kinds[][2] = { { "perf-", ".map" },
                                            { "jit-", ".dump" } };
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t n = strlen(kinds[i][0]);
        size_t digits = strspn(base + strnlen(base, n), "0123456789");

        if (strncmp(base, kinds[i][0], n) == 0 && digits > 0 &&
            strcmp(base + n + digits, kinds[i][1]) == 0)
            return true;
    }
    return false;
}

/*
 * Whether the path is a regular file. A profile may name a pipe, whose read
 * would block.
 */
static bool is_regular(const char *path, struct cp_error *why)
{
    struct stat st;

    if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
        return true;
    (void)cp_error_set(why, CP_EIO, "no such file");
    return false;
}

/* Resolves addresses in a map whose addresses are the profile's less `base`. */
static enum cp_status resolve_in_map(struct job *j, struct cp_code_map *map,
                                     uint64_t base, struct cp_mapping *m,
                                     struct cp_error *err)
{
    struct cp_address_map moved = { .kind = CP_ADDRESS_BY_BASE, .base = base };
    size_t number = (size_t)(m - j->p->mappings), n;
    struct query *queries = cp_alloc(j->first[number + 1] - j->first[number],
                                     sizeof(*queries), err);
    enum cp_status status;

    n = queries ? list_queries(j, m, &moved, queries) : 0;
    start(j, m, queries, err);
    status = queries ? resolve_addresses(j, NULL, map, n, err) : CP_ENOMEM;
    cp_free(queries);
    return status;
}

/* Symbolizes from a code map, whose addresses are those of the process. */
static enum cp_status use_code_map(struct job *j, struct cp_mapping *m,
                                   struct cp_error *err)
{
    const char *file = cp_profile_cstr(j->p, m->file);
    struct cp_code_map *map = NULL;
    struct cp_error why = { 0 };
    enum cp_status status;

    if (!is_regular(file, &why) ||
        cp_code_map_open(&map, file, &why) != CP_OK) {
        tell(j, m, why.msg);
        return CP_OK;
    }
    status = resolve_in_map(j, map, 0, m, err);
    cp_code_map_close(map);
    return status;
}

/* Symbolizes from the running kernel, if no file has its symbols. */
static enum cp_status use_kernel(struct job *j, struct cp_mapping *m,
                                 struct cp_error *err)
{
    struct cp_code_map *map = NULL;
    struct cp_error why = { 0 };
    enum cp_status status;
    uint64_t base;

    if (m->build_id != 0) {
        status = use_file(j, m, err);
        if (status != CP_OK || m->has_functions)
            return status;
    }
    if (cp_kernel_symbols_open(&map, cp_profile_cstr(j->p, m->build_id),
                               m->start, &base, &why) != CP_OK) {
        tell(j, m, why.msg);
        return CP_OK;
    }
    status = resolve_in_map(j, map, base, m, err);
    cp_code_map_close(map);
    return status;
}

/* Whether some location of the mapping has no function yet. */
static bool has_unresolved(const struct job *j, const struct cp_mapping *m)
{
    size_t number = (size_t)(m - j->p->mappings);

    for (uint32_t i = j->first[number]; i < j->first[number + 1]; i++)
        if (j->mode->is_forced || j->p->locations[j->locations[i]].n_lines == 0)
            return true;
    return false;
}

static enum cp_status symbolize_mapping(struct job *j, struct cp_mapping *m,
                                        struct cp_error *err)
{
    const char *file = cp_profile_cstr(j->p, m->file);

    if (!j->mode->is_forced &&
        (m->has_functions || m->has_filenames || m->has_line_numbers))
        return CP_OK;
    if (!has_unresolved(j, m))
        return CP_OK;
    if (*file == '\0') {
        if (m == j->p->mappings)
            j->warn(j->context, "Main binary filename not available.");
        else
            j->is_missing = true;
        return CP_OK;
    }
    if (is_code_map(file))
        return use_code_map(j, m, err);
    if (cp_kernel_symbols_is(file))
        return use_kernel(j, m, err);
    return is_anonymous(file) ? CP_OK : use_file(j, m, err);
}

enum cp_status cp_symbolize_files(struct cp_line_adder *a,
                                  const struct cp_symbolize_mode *mode,
                                  cp_warn warn, void *context,
                                  struct cp_error *err)
{
    struct job j = { .adder = a,
                     .mode = mode,
                     .p = a->profile,
                     .warn = warn,
                     .context = context };
    enum cp_status status = sort_locations(&j, err);

    for (uint32_t i = 0; status == CP_OK && i < j.p->n_mappings; i++)
        if (j.first[i] < j.first[i + 1])
            status = symbolize_mapping(&j, &j.p->mappings[i], err);
    if (j.is_missing) {
        warn(context, "Some binary filenames not available. "
                      "Symbolization may be incomplete.");
        warn(context, "Try setting PPROF_BINARY_PATH to the search path for "
                      "local binaries.");
    }
    report_reasons(&j);
    cp_free(j.first);
    cp_free(j.locations);
    return status;
}
