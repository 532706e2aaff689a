/*
 * disasm.c - the report "disasm": machine code with the cost of each
 * instruction.
 *
 * Functions are chosen by a name, mangled or not, or by an address in them. For
 * a function that exists only inlined into others, its instructions there are
 * shown.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/path.h"
#include "base/units.h"
#include "regex/regex.h"
#include "report/core/formats.h"
#include "report/graph/graph.h"
#include "report/source/code.h"
#include "symbol/demangle/demangle.h"
#include "symbol/object.h"
#include "symbol/table/frame.h"
#include "symbol/table/routines.h"

#define MAX_NAME 4096
#define CODE_COLUMNS 40
#define BATCH 256       /* functions read at once */
#define PLACE_COLUMN 74 /* column of the source location */

/* A function to show: the places from `from` to `to` are in it. */
struct routine {
    const char *name,
        *inlined; /* inlined: shown part, or NULL for the whole function */
    const struct cp_routine *symbol;
    size_t from, to;
    int64_t flat, cum;
};

struct lister {
    const struct cp_report *r;
    struct cp_frames frames;
    struct cp_graph graph;
    struct cp_code code;
    struct cp_regex *re;
    bool has_address;
    uint64_t address; /* the argument, if it is an address */
    struct routine *routines;
    size_t n_routines;
    struct cp_out *out;
    struct cp_error *err;
};

static bool matches(struct lister *l, const char *name)
{
    return cp_regex_match(l->re, name, strlen(name));
}

/* Returns the form of the name that matches, to be shown, or NULL. */
static const char *match_name(struct lister *l, const char *name)
{
    static const enum cp_demangle_mode modes[] = { CP_DEMANGLE_SIMPLE,
                                                   CP_DEMANGLE_TEMPLATES,
                                                   CP_DEMANGLE_FULL };
    char text[MAX_NAME];

    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
        if (cp_demangle(name, modes[i], text, sizeof(text)) && matches(l, text))
            return cp_arena_copy(&l->code.arena, text, strlen(text), l->err);
    return matches(l, name) ? cp_code_name(&l->code, name, l->err) : NULL;
}

/* Returns the matching name of a profile's function, or NULL. */
static const char *match_line(struct lister *l, const struct cp_line *line)
{
    const struct cp_profile *p = l->r->profile;
    const struct cp_function *f = &p->functions[line->function];
    const char *name = cp_profile_cstr(p, f->name);

    if (matches(l, name) || matches(l, cp_profile_cstr(p, f->system_name)))
        return *name ? name : NULL;
    return NULL;
}

/* Matches the functions that the profile has at a place. */
static void match_place(struct lister *l, const struct cp_code_place *place,
                        struct routine *routine)
{
    const struct cp_profile *p = l->r->profile;
    const struct cp_location *location = &p->locations[place->location];
    uint32_t n = location->n_lines;
    const char *name;

    for (uint32_t i = 0; i < n; i++) {
        name = match_line(l, &p->lines[location->lines + i]);
        if (name && i + 1 == n && !routine->name)
            routine->name = name;
        else if (name && i + 1 < n && !routine->inlined)
            routine->inlined = name;
    }
}

/* Whether the function contains the address of the argument. */
static bool has_address(const struct lister *l, const struct routine *r)
{
    const struct cp_code_place *first = &l->code.places[r->from];
    uint64_t shift =
        l->r->profile->locations[first->location].address - first->address;

    return l->has_address &&
           ((l->address >= r->symbol->start && l->address < r->symbol->end) ||
            (l->address - shift >= r->symbol->start &&
             l->address - shift < r->symbol->end));
}

/* Decides whether a function is shown, and under which name. */
static void choose_routine(struct lister *l, struct routine r)
{
    const struct cp_code_place *places = l->code.places;
    const struct cp_routines *all = cp_object_routines(places[r.from].object);

    for (const struct cp_routine *s = r.symbol; s && !r.name;
         s = cp_routines_alias(all, s))
        r.name = match_name(l, s->name);
    for (size_t i = r.from; i < r.to && !r.name; i++)
        match_place(l, &places[i], &r);
    if (!r.name && has_address(l, &r))
        r.name = cp_code_name(&l->code, r.symbol->name, l->err);
    if (!r.name && !r.inlined)
        return;
    if (r.name)
        r.inlined = NULL;
    else
        r.name = cp_code_name(&l->code, r.symbol->name, l->err);
    l->routines[l->n_routines++] = r;
}

static int compare_routines(const void *a, const void *b)
{
    const struct routine *x = a, *y = b;
    int order = strcmp(x->inlined ? x->inlined : x->name,
                       y->inlined ? y->inlined : y->name);

    if (order == 0)
        order = strcmp(x->name, y->name);
    if (order == 0)
        order = (x->symbol->start > y->symbol->start) -
                (x->symbol->start < y->symbol->start);
    return order;
}

/* Sets the error for an empty result. */
static enum cp_status nothing_found(const struct lister *l)
{
    const char *why = l->code.problem.status != CP_OK ? "; " : "";

    if (l->has_address)
        return cp_error_set(l->err, CP_EUSAGE,
                            "no matches found for address 0x%" PRIx64 "%s%s",
                            l->address, why, l->code.problem.msg);
    return cp_error_set(l->err, CP_EUSAGE, "no matches found for regexp %s%s%s",
                        l->r->options.argument, why, l->code.problem.msg);
}

/* Groups the places by function and chooses the functions to show. */
static enum cp_status choose(struct lister *l)
{
    const struct cp_code_place *places = l->code.places;
    size_t n = l->code.n_places, next;

    l->routines = cp_alloc(n, sizeof(*l->routines), l->err);
    if (!l->routines)
        return CP_ENOMEM;
    for (size_t i = 0; i < n; i = next) {
        for (next = i + 1; next < n; next++)
            if (places[next].routine != places[i].routine)
                break;
        if (places[i].routine)
            choose_routine(l, (struct routine){ .symbol = places[i].routine,
                                                .from = i,
                                                .to = next });
    }
    if (cp_regex_check(l->re, l->err) != CP_OK)
        return CP_EUSAGE;
    if (l->n_routines == 0)
        return nothing_found(l);
    qsort(l->routines, l->n_routines, sizeof(*l->routines), compare_routines);
    return CP_OK;
}

/* Writes "function file:line", then its inlined callers. */
static void describe(struct lister *l, const struct cp_object_insn *insn,
                     struct cp_out *out)
{
    for (size_t i = 0; i < insn->n_frames; i++) {
        const struct cp_symbol_frame *f = &insn->frames[i];
        const char *name =
            f->function ? cp_code_name(&l->code, f->function, l->err) : "??";

        cp_out_printf(out, "%s%s", i ? " (inlined by) " : "", name ? name : "");
        if (f->file) {
            struct cp_str file = { f->file, (uint32_t)strlen(f->file) };

            cp_out_char(out, ' ');
            cp_out_str(out, cp_path_base(file));
        }
        if (f->file && f->line)
            cp_out_printf(out, ":%" PRIu32, f->line);
    }
}

static void write_place(struct lister *l, size_t width, const char *text,
                        size_t len)
{
    if (width >= CODE_COLUMNS) {
        cp_out_char(l->out, '\n');
        cp_out_fill(l->out, ' ', PLACE_COLUMN);
    } else {
        cp_out_fill(l->out, ' ', CODE_COLUMNS - width);
    }
    cp_out_char(l->out, ';');
    cp_out_bytes(l->out, text, len);
}

/* Whether an instruction belongs to the function or its chosen inlined part. */
static bool is_wanted(struct lister *l, const struct routine *r,
                      const struct cp_object_insn *insn)
{
    if (!r->inlined)
        return true;
    for (size_t i = 0; i + 1 < insn->n_frames; i++)
        if (insn->frames[i].function && match_name(l, insn->frames[i].function))
            return true;
    return false;
}

/* Adds up the costs of an instruction; advances *at over its places. */
static void add_cost(const struct lister *l, const struct routine *r,
                     const struct cp_object_insn *insn, size_t *at,
                     int64_t *flat, int64_t *cum)
{
    const struct cp_code_place *places = l->code.places;

    *flat = *cum = 0;
    for (; *at < r->to && places[*at].address < insn->address + insn->size;
         (*at)++) {
        *flat = cp_add(*flat, places[*at].flat);
        *cum = cp_add(*cum, places[*at].cum);
    }
}

static enum cp_status write_insns(struct lister *l, const struct routine *r,
                                  const struct cp_object_insn *insns, size_t n)
{
    struct cp_out last = { .fd = -1 }, now = { .fd = -1 };
    bool has_gap = false;
    size_t at = r->from;
    int64_t flat, cum;

    for (size_t i = 0; i < n; i++) {
        add_cost(l, r, &insns[i], &at, &flat, &cum);
        if (!is_wanted(l, r, &insns[i])) {
            has_gap = true;
            continue;
        }
        if (has_gap && i > 0)
            cp_out_cstr(l->out, "                              ...\n");
        has_gap = false;
        cp_report_column(l->r, flat, l->out);
        cp_out_char(l->out, ' ');
        cp_report_column(l->r, cum, l->out);
        cp_out_char(l->out, ' ');
        cp_out_printf(l->out, "%10" PRIx64 ": %s", insns[i].address,
                      insns[i].text);
        describe(l, &insns[i], &now);
        if (now.len > 0 &&
            (now.len != last.len || memcmp(now.buf, last.buf, now.len) != 0))
            write_place(l, strlen(insns[i].text), now.buf, now.len);
        cp_out_char(l->out, '\n');
        last.len = 0;
        cp_out_join(&last, &now);
    }
    cp_out_release(&last);
    cp_out_release(&now);
    return CP_OK;
}

/* Adds up the costs of the instructions to show. */
static void sum(struct lister *l, struct routine *r,
                const struct cp_object_insn *insns, size_t n)
{
    size_t at = r->from;
    int64_t flat, cum;

    for (size_t i = 0; i < n; i++) {
        add_cost(l, r, &insns[i], &at, &flat, &cum);
        if ((flat || cum) && is_wanted(l, r, &insns[i])) {
            r->flat = cp_add(r->flat, flat);
            r->cum = cp_add(r->cum, cum);
        }
    }
}

static void write_header(struct lister *l, const struct routine *r)
{
    const struct cp_routines *all =
        cp_object_routines(l->code.places[r->from].object);
    const struct cp_routine *s = r->symbol;
    char text[CP_LABEL_BYTES];

    if (r->inlined)
        cp_out_printf(l->out,
                      "ROUTINE ======================== %s (inlined into "
                      "%s)\n",
                      r->inlined, r->name);
    else
        cp_out_printf(l->out, "ROUTINE ======================== %s\n", r->name);
    while (!r->inlined && (s = cp_routines_alias(all, s)))
        cp_out_printf(l->out, "    AKA ======================== %s\n", s->name);
    cp_report_value(l->r, r->flat, text);
    cp_out_right(l->out, text, 10);
    cp_out_char(l->out, ' ');
    cp_report_value(l->r, r->cum, text);
    cp_out_right(l->out, text, 10);
    cp_percentage(r->cum, l->r->total, text);
    cp_out_printf(l->out, " (flat, cum) %s of Total\n", text);
}

static struct cp_object *object_of(const struct lister *l,
                                   const struct routine *r)
{
    return l->code.places[r->from].object;
}

/* Writes the routines from `from` to `to`, which are in one file. */
static enum cp_status write_batch(struct lister *l, size_t from, size_t to)
{
    struct cp_object *object = object_of(l, &l->routines[from]);
    struct cp_object_range ranges[BATCH];
    enum cp_status status;

    for (size_t i = from; i < to; i++)
        ranges[i - from] = (struct cp_object_range){
            .start = l->routines[i].symbol->start,
            .end = l->routines[i].symbol->end,
        };
    status = cp_object_read(object, ranges, to - from, l->err);
    for (size_t i = from; status == CP_OK && i < to; i++) {
        const struct cp_object_range *range = &ranges[i - from];

        sum(l, &l->routines[i], range->insns, range->n);
        write_header(l, &l->routines[i]);
        status = write_insns(l, &l->routines[i], range->insns, range->n);
    }
    cp_object_drop(object);
    cp_code_clear_names(&l->code);
    return status;
}

static enum cp_status write_all(struct lister *l)
{
    enum cp_status status = CP_OK;
    char total[CP_LABEL_BYTES];
    size_t next;

    cp_report_value(l->r, l->r->total, total);
    cp_out_printf(l->out, "Total: %s\n", total);
    for (size_t i = 0; status == CP_OK && i < l->n_routines; i = next) {
        for (next = i + 1; next < l->n_routines && next - i < BATCH; next++)
            if (object_of(l, &l->routines[next]) !=
                object_of(l, &l->routines[i]))
                break;
        status = write_batch(l, i, next);
    }
    return status;
}

/* Parses a numeric argument as an address. */
static void read_address(struct lister *l)
{
    const char *text = l->r->options.argument;
    char *end;

    l->address = strtoull(text, &end, 0);
    l->has_address = *text >= '0' && *text <= '9' && *end == '\0';
}

enum cp_status cp_write_disasm(struct cp_report *r, struct cp_out *out,
                               struct cp_error *err)
{
    const char *pattern = r->options.argument;
    struct lister l = { .r = r, .out = out, .err = err };
    enum cp_status status = cp_frames_init(&l.frames, r, CP_KEEP_OBJECT, err);

    if (status != CP_OK)
        return status;
    read_address(&l);
    l.re = cp_regex_new(pattern, strlen(pattern), err);
    status = l.re ? cp_graph_build(&l.graph, r, &l.frames,
                                   (struct cp_graph_want){ 0 }, err)
                  : CP_EUSAGE;
    if (status == CP_OK)
        status = cp_code_init(&l.code, &l.frames, &l.graph, err);
    if (status == CP_OK)
        status = choose(&l);
    if (status == CP_OK)
        status = write_all(&l);
    cp_free(l.routines);
    cp_code_release(&l.code);
    cp_regex_free(l.re);
    cp_graph_release(&l.graph);
    cp_frames_release(&l.frames);
    return status;
}
