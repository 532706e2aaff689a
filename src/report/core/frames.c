/*
 * frames.c - builds the table from locations to nodes.
 *
 * The granularity decides which fields of a node's identity count; the others
 * are zero. A hash table then finds equal identities.
 */
#include "report/core/frames.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/path.h"
#include "report/core/report.h"

struct detail {
    bool function, file, line, column, address, inlines;
};

struct frame_builder {
    struct cp_frames *f;
    struct cp_profile *p;
    struct detail detail;
    int keep;
    uint32_t *files; /* indexed by function: file name as shown */
    size_t cap_infos;
    uint32_t *slots; /* index into infos + 1; 0 means free */
    uint32_t mask;
    struct cp_error *err;
};

static struct detail detail_of(const struct cp_options *o)
{
    struct detail d = { .inlines = !o->noinlines };

    switch (o->granularity) {
    case CP_BY_ADDRESSES:
        d.function = d.file = d.line = d.address = true;
        d.column = d.inlines || o->showcolumns;
        break;
    case CP_BY_LINES:
        d.function = d.file = d.line = true;
        d.column = o->showcolumns;
        break;
    case CP_BY_FILES:
        d.file = true;
        break;
    case CP_BY_FILEFUNCTIONS:
        d.function = d.file = true;
        break;
    case CP_BY_DEFAULT:
    case CP_BY_FUNCTIONS:
        d.function = true;
        break;
    }
    return d;
}

/* Computes the cleaned and trimmed file name of each function. */
static enum cp_status name_files(struct frame_builder *fr,
                                 const struct cp_options *o)
{
    struct cp_profile *p = fr->p;
    char *clean = NULL;
    size_t cap = 0;
    enum cp_status status = CP_OK;

    fr->files = cp_alloc(p->n_functions, sizeof(*fr->files), fr->err);
    if (!fr->files)
        return CP_ENOMEM;
    for (uint32_t i = 0; status == CP_OK && i < p->n_functions; i++) {
        struct cp_str file = cp_profile_str(p, p->functions[i].filename);

        if (fr->keep & CP_TRIM_PATHS)
            file = cp_path_trim(file, o->trim_path, o->source_path);
        if (file.len == 0)
            continue;
        status = cp_reserve(&clean, &cap, (size_t)file.len + 2, 1, fr->err);
        if (status != CP_OK)
            break;
        size_t len = cp_path_clean(file.ptr, file.len, clean);
        fr->files[i] = cp_strtab_add(&p->strings, clean, len, fr->err);
        if (fr->files[i] == CP_NO_STR)
            status = CP_ENOMEM;
    }
    cp_free(clean);
    return status;
}

static uint64_t hash_info(const struct cp_node_info *i)
{
    uint64_t h = cp_hash_mix(i->address, (uint64_t)i->line);

    h = cp_hash_mix(h ^ i->name, (uint64_t)i->file << 32 | i->objfile);
    h = cp_hash_mix(h ^ i->system_name, (uint64_t)i->start_line);
    return i->column ? cp_hash_mix(h, (uint64_t)i->column) : h;
}

static bool same_info(const struct cp_node_info *a,
                      const struct cp_node_info *b)
{
    return a->address == b->address && a->name == b->name &&
           a->system_name == b->system_name && a->file == b->file &&
           a->objfile == b->objfile && a->start_line == b->start_line &&
           a->line == b->line && a->column == b->column;
}

static uint32_t *find_info(const struct frame_builder *fr,
                           const struct cp_node_info *info)
{
    uint32_t i = (uint32_t)hash_info(info) & fr->mask;

    while (fr->slots[i] && !same_info(&fr->f->infos[fr->slots[i] - 1], info))
        i = (i + 1) & fr->mask;
    return &fr->slots[i];
}

static enum cp_status grow_slots(struct frame_builder *fr)
{
    uint32_t n = fr->slots ? (fr->mask + 1) * 2 : 1024;

    if (fr->slots && fr->f->n_infos < fr->mask / 2)
        return CP_OK;
    cp_free(fr->slots);
    fr->slots = cp_alloc(n, sizeof(*fr->slots), fr->err);
    if (!fr->slots)
        return CP_ENOMEM;
    fr->mask = n - 1;
    for (uint32_t i = 0; i < fr->f->n_infos; i++)
        *find_info(fr, &fr->f->infos[i]) = i + 1;
    return CP_OK;
}

static uint32_t intern(struct frame_builder *fr,
                       const struct cp_node_info *info)
{
    struct cp_frames *f = fr->f;
    uint32_t *slot;

    if (grow_slots(fr) != CP_OK)
        return CP_NONE;
    slot = find_info(fr, info);
    if (*slot)
        return *slot - 1;
    if (cp_arena_reserve(&f->arena, &f->infos, f->n_infos, &fr->cap_infos,
                         (size_t)f->n_infos + 1, sizeof(*f->infos),
                         fr->err) != CP_OK)
        return CP_NONE;
    f->infos[f->n_infos++] = *info;
    *slot = f->n_infos;
    return f->n_infos - 1;
}

/*
 * Returns the identity of one line of a location; line is NULL if it has none.
 */
static struct cp_node_info info_of(const struct frame_builder *fr,
                                   const struct cp_location *l,
                                   const struct cp_line *line)
{
    const struct cp_profile *p = fr->p;
    const struct detail *d = &fr->detail;
    struct cp_node_info info = { .address = d->address ? l->address : 0 };

    if (line) {
        const struct cp_function *f = &p->functions[line->function];

        if (d->function)
            info.name = f->name;
        if (d->function && (fr->keep & CP_KEEP_SYSTEM_NAME))
            info.system_name = f->system_name;
        if (d->file)
            info.file = fr->files[line->function];
        info.line = d->line ? line->line : 0;
        info.column = d->column ? line->column : 0;
        if ((fr->keep & CP_KEEP_OBJECT) || info.name == 0)
            info.start_line = f->start_line;
    } else if (fr->keep & CP_KEEP_NAMELESS)
        info.address = l->address;
    if (((fr->keep & CP_KEEP_OBJECT) ||
         (info.name == 0 && !(fr->keep & CP_KEEP_NAMELESS))) &&
        l->mapping != CP_NONE)
        info.objfile = p->mappings[l->mapping].file;
    return info;
}

static enum cp_status frame_location(struct frame_builder *fr,
                                     const struct cp_location *l, uint32_t *at)
{
    uint32_t from = fr->detail.inlines || l->n_lines == 0 ? 0 : l->n_lines - 1;
    const struct cp_line *lines = fr->p->lines + l->lines;

    for (uint32_t i = from; i < l->n_lines || (i == 0 && l->n_lines == 0);
         i++) {
        struct cp_node_info info =
            info_of(fr, l, l->n_lines ? &lines[i] : NULL);
        uint32_t node = intern(fr, &info);

        if (node == CP_NONE)
            return CP_ENOMEM;
        fr->f->nodes[(*at)++] = node;
    }
    fr->f->any_inline |= l->n_lines - from > 1 && l->n_lines > 0;
    return CP_OK;
}

static enum cp_status frame_all(struct frame_builder *fr)
{
    struct cp_profile *p = fr->p;
    struct cp_frames *f = fr->f;
    size_t most = 0;
    uint32_t at = 0;

    for (uint32_t i = 0; i < p->n_locations; i++)
        most += p->locations[i].n_lines ? p->locations[i].n_lines : 1;
    f->first = cp_arena_alloc(&f->arena, (size_t)p->n_locations + 1,
                              sizeof(*f->first), fr->err);
    f->nodes = cp_arena_alloc(&f->arena, most, sizeof(*f->nodes), fr->err);
    if (!f->first || !f->nodes)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < p->n_locations; i++) {
        f->first[i] = at;
        if (frame_location(fr, &p->locations[i], &at) != CP_OK)
            return CP_ENOMEM;
    }
    f->first[p->n_locations] = at;
    return CP_OK;
}

enum cp_status cp_frames_init(struct cp_frames *f, const struct cp_report *r,
                              int keep, struct cp_error *err)
{
    struct frame_builder fr = { .f = f,
                                .p = r->profile,
                                .detail = detail_of(&r->options),
                                .keep = keep,
                                .err = err };
    enum cp_status status = CP_OK;

    *f = (struct cp_frames){ 0 };
    if (fr.detail.file)
        status = name_files(&fr, &r->options);
    if (status == CP_OK)
        status = frame_all(&fr);
    cp_free(fr.files);
    cp_free(fr.slots);
    if (status != CP_OK)
        cp_frames_release(f);
    return status;
}

void cp_frames_release(struct cp_frames *f)
{
    cp_arena_release(&f->arena);
    *f = (struct cp_frames){ 0 };
}

/* Formats the part after address and name: "file:line:column", "[object]". */
static int position_text(const struct cp_profile *p,
                         const struct cp_node_info *info, const char *space,
                         char *out, size_t cap)
{
    const char *file = cp_profile_cstr(p, info->file);
    struct cp_str object = cp_path_base(cp_profile_str(p, info->objfile));

    if (info->line != 0 && info->column != 0)
        return snprintf(out, cap, "%s%s:%lld:%lld", space, file,
                        (long long)info->line, (long long)info->column);
    if (info->line != 0)
        return snprintf(out, cap, "%s%s:%lld", space, file,
                        (long long)info->line);
    if (info->file != 0)
        return snprintf(out, cap, "%s%s", space, file);
    if (info->name != 0)
        return snprintf(out, cap, "%s", "");
    if (info->objfile != 0)
        return snprintf(out, cap, "%s[%.*s]", space, (int)object.len,
                        object.ptr);
    return snprintf(out, cap, "%s<unknown>", space);
}

struct cp_str cp_frames_name(const struct cp_profile *p,
                             const struct cp_node_info *info,
                             struct cp_arena *arena, struct cp_error *err)
{
    struct cp_str name = cp_profile_str(p, info->name), none = { NULL, 0 };
    bool is_alone = !info->address && !info->line && !info->file;
    char address[20] = "";
    size_t n_address = 0, n;
    char *text;

    if (is_alone && info->name != 0)
        return name;
    if (info->address != 0)
        n_address = (size_t)snprintf(address, sizeof(address), "%016llx%s",
                                     (unsigned long long)info->address,
                                     info->name != 0 ? " " : "");
    bool has_before = n_address > 0 || name.len > 0;
    n = (size_t)position_text(p, info, has_before ? " " : "", NULL, 0);
    text = cp_arena_alloc(arena, n_address + name.len + n + 1, 1, err);
    if (!text)
        return none;
    memcpy(text, address, n_address);
    memcpy(text + n_address, name.ptr, name.len);
    (void)position_text(p, info, has_before ? " " : "",
                        text + n_address + name.len, n + 1);
    return (struct cp_str){ text, (uint32_t)(n_address + name.len + n) };
}
