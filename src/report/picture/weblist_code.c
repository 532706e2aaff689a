/*
 * weblist_code.c - disassembles functions and sorts instructions by source
 * line.
 */
#include "report/picture/weblist_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/path.h"
#include "report/source/source_lines.h"
#include "symbol/object.h"
#include "symbol/table/frame.h"
#include "symbol/table/routines.h"

#define MAX_PATH 4096
#define BATCH 256

/* Creates a section for each function's part in each file. */
static enum cp_status make_sections(struct cp_weblist_code *c,
                                    const struct cp_source_lines *lines,
                                    struct cp_error *err)
{
    const struct cp_source_entry *e = lines->entries, *end = e + lines->n;

    c->sections =
        cp_arena_alloc(&c->arena, lines->n, sizeof(*c->sections), err);
    if (!c->sections)
        return CP_ENOMEM;
    while (e < end) {
        const struct cp_source_entry *next = cp_source_lines_file(lines, e);

        c->sections[c->n_sections++] =
            (struct cp_weblist_section){ .from = e, .to = next };
        e = next;
    }
    return CP_OK;
}

/* Returns the first section of a name at or after a file, or NULL. */
static struct cp_weblist_section *find_section(const struct cp_weblist_code *c,
                                               struct cp_str name,
                                               const struct cp_str *file)
{
    size_t low = 0, high = c->n_sections;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct cp_source_entry *e = c->sections[middle].from;
        int order = cp_str_cmp(e->name, name);

        if (order == 0 && file)
            order = cp_str_cmp(e->file, *file);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == c->n_sections ||
        cp_str_cmp(c->sections[low].from->name, name) != 0 ||
        (file && cp_str_cmp(c->sections[low].from->file, *file) != 0))
        return NULL;
    return &c->sections[low];
}

/* Returns the section of a frame. */
static struct cp_weblist_section *section_of(struct cp_weblist_code *c,
                                             const struct cp_symbol_frame *f,
                                             struct cp_error *err)
{
    const struct cp_options *o = &c->report.options;
    const char *name;
    struct cp_str text, file;
    char clean[MAX_PATH];

    if (!f->function || !f->file || strlen(f->file) > MAX_PATH - 2)
        return NULL;
    name = cp_code_name(&c->code, f->function, err);
    if (!name)
        return NULL;
    text = (struct cp_str){ name, (uint32_t)strlen(name) };
    file = (struct cp_str){ f->file, (uint32_t)strlen(f->file) };
    file = cp_path_trim(file, o->trim_path, o->source_path);
    file.len = (uint32_t)cp_path_clean(file.ptr, file.len, clean);
    file.ptr = clean;
    return find_section(c, text, &file);
}

static enum cp_status add_insn(struct cp_weblist_code *c,
                               struct cp_weblist_section *s,
                               struct cp_weblist_insn insn,
                               struct cp_error *err)
{
    if (cp_arena_reserve(&c->arena, &s->insns, s->n, &s->cap, s->n + 1,
                         sizeof(*s->insns), err) != CP_OK)
        return CP_ENOMEM;
    s->insns[s->n++] = insn;
    return CP_OK;
}

/* Adds an instruction to the sections of all its frames. */
static enum cp_status add_frames(struct cp_weblist_code *c,
                                 const struct cp_object_insn *insn,
                                 int64_t flat, int64_t cum,
                                 struct cp_error *err)
{
    for (size_t i = 0; i < insn->n_frames; i++) {
        struct cp_weblist_section *s = section_of(c, &insn->frames[i], err);
        struct cp_weblist_insn added = { insn, i, insn->frames[i].line, flat,
                                         cum };

        if (s && add_insn(c, s, added, err) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

/* Whether a place is in a chosen function, inlined or not. */
static bool is_wanted(const struct cp_weblist_code *c,
                      const struct cp_code_place *place)
{
    const struct cp_profile *p = c->report.profile;
    const struct cp_location *l = &p->locations[place->location];

    for (uint32_t i = 0; place->routine && i < l->n_lines; i++) {
        uint32_t f = p->lines[l->lines + i].function;

        if (find_section(c, cp_profile_str(p, p->functions[f].name), NULL))
            return true;
    }
    return false;
}

/* Functions of one file that are read at once. */
struct batch {
    struct cp_object_range ranges[BATCH];
    size_t places[BATCH]; /* first place of each */
    size_t n;
};

/* Adds the instructions of a function whose places start at `at`. */
static enum cp_status add_routine(struct cp_weblist_code *c,
                                  const struct cp_object_range *range,
                                  size_t at, struct cp_error *err)
{
    const struct cp_code_place *places = c->code.places;
    const struct cp_routine *routine = places[at].routine;
    enum cp_status status = CP_OK;

    for (size_t i = 0; status == CP_OK && i < range->n; i++) {
        const struct cp_object_insn *insn = &range->insns[i];
        int64_t flat = 0, cum = 0;

        for (; at < c->code.n_places && places[at].routine == routine &&
               places[at].address < insn->address + insn->size;
             at++) {
            flat = cp_add(flat, places[at].flat);
            cum = cp_add(cum, places[at].cum);
        }
        status = add_frames(c, insn, flat, cum, err);
    }
    return status;
}

static enum cp_status read_batch(struct cp_weblist_code *c, struct batch *b,
                                 struct cp_error *err)
{
    enum cp_status status = CP_OK;

    if (b->n > 0)
        status = cp_object_read(c->code.places[b->places[0]].object, b->ranges,
                                b->n, err);
    for (size_t i = 0; status == CP_OK && i < b->n; i++)
        status = add_routine(c, &b->ranges[i], b->places[i], err);
    b->n = 0;
    return status;
}

static enum cp_status read_routines(struct cp_weblist_code *c,
                                    struct cp_error *err)
{
    const struct cp_code_place *places = c->code.places;
    size_t n = c->code.n_places, next;
    enum cp_status status = CP_OK;
    struct batch b = { .n = 0 };

    for (size_t i = 0; status == CP_OK && i < n; i = next) {
        const struct cp_routine *routine = places[i].routine;
        bool wanted = false;

        for (next = i; next < n && places[next].routine == routine; next++)
            wanted |= is_wanted(c, &places[next]);
        if (b.n == BATCH ||
            (b.n > 0 && places[i].object != places[b.places[0]].object))
            status = read_batch(c, &b, err);
        if (!wanted)
            continue;
        b.places[b.n] = i;
        b.ranges[b.n++] =
            (struct cp_object_range){ routine->start, routine->end, NULL, 0 };
    }
    return status == CP_OK ? read_batch(c, &b, err) : status;
}

static int by_line(const void *a, const void *b)
{
    const struct cp_weblist_insn *x = a, *y = b;

    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->insn->address != y->insn->address)
        return x->insn->address < y->insn->address ? -1 : 1;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static enum cp_status find_places(struct cp_weblist_code *c,
                                  struct cp_error *err)
{
    if (cp_frames_init(&c->frames, &c->report, CP_KEEP_OBJECT, err) != CP_OK ||
        cp_graph_build(&c->graph, &c->report, &c->frames,
                       (struct cp_graph_want){ 0 }, err) != CP_OK)
        return CP_ENOMEM;
    return cp_code_init(&c->code, &c->frames, &c->graph, err);
}

enum cp_status cp_weblist_code_init(struct cp_weblist_code *c,
                                    const struct cp_report *r,
                                    const struct cp_source_lines *lines,
                                    struct cp_error *err)
{
    struct cp_error why = { 0 };
    enum cp_status status;

    *c = (struct cp_weblist_code){ .report = *r };
    c->report.options.granularity = CP_BY_ADDRESSES;
    c->report.options.noinlines = true;
    status = make_sections(c, lines, err);
    if (status == CP_OK)
        status = find_places(c, err);
    if (status != CP_OK) {
        cp_weblist_code_release(c);
        return status;
    }
    if (read_routines(c, &why) != CP_OK && c->code.problem.status == CP_OK)
        c->code.problem = why; /* the source can still be shown */
    for (size_t i = 0; i < c->n_sections; i++)
        if (c->sections[i].n > 0)
            qsort(c->sections[i].insns, c->sections[i].n,
                  sizeof(*c->sections[i].insns), by_line);
    return CP_OK;
}

void cp_weblist_code_release(struct cp_weblist_code *c)
{
    cp_code_release(&c->code);
    cp_graph_release(&c->graph);
    cp_frames_release(&c->frames);
    cp_arena_release(&c->arena);
    *c = (struct cp_weblist_code){ 0 };
}
