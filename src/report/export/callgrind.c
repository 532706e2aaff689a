/*
 * callgrind.c - the report "callgrind", for kcachegrind.
 *
 * A name is written once with a number, and then only as that number. An
 * address is written as a difference to the previous one if that is shorter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/units.h"
#include "report/core/formats.h"
#include "report/graph/trim.h"

/* Numbers of names, in the order of first use. */
struct numbering {
    uint32_t *number; /* indexed by string, 0 if not used yet */
    uint32_t n;
};

struct callgrind_writer {
    const struct cp_report *r;
    struct cp_graph *g;
    struct cp_out *out;
    struct cp_strtab names; /* function names, with the suffixes of callees */
    uint32_t *callee_name;  /* indexed by node, a string of `names` */
    uint32_t *own_name;     /* indexed by node, a string of `names` */
    struct numbering objects, files, functions;
    struct cp_scale scale;
    const struct cp_node_info *previous;
    struct cp_arena arena;
    struct cp_error *err;
};

static const struct cp_node_info *info_of(const struct callgrind_writer *w,
                                          uint32_t node)
{
    return &w->g->frames->infos[w->g->nodes[node].info];
}

/*
 * A function as readers of callgrind files see it. Nodes with the same file and
 * name may differ in object (or parent, in a tree). A column distinguishes them
 * only without address and line, as in google/pprof.
 */
struct variant {
    uint32_t file, name, object, parent;
    int64_t start_line, column;
    uint32_t node, place; /* place: index in the order of the report */
    uint32_t number, of;
};

static int by_function(const void *a, const void *b)
{
    const struct variant *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return 0;
}

static bool same_variant(const struct variant *x, const struct variant *y)
{
    return x->object == y->object && x->parent == y->parent &&
           x->start_line == y->start_line && x->column == y->column;
}

static int by_variant(const void *a, const void *b)
{
    const struct variant *x = a, *y = b;
    int order = by_function(a, b);

    if (order != 0)
        return order;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->start_line != y->start_line)
        return x->start_line < y->start_line ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

static int by_first_place(const void *a, const void *b)
{
    const struct variant *x = *(struct variant *const *)a;
    const struct variant *y = *(struct variant *const *)b;

    return x->place < y->place ? -1 : 1;
}

/* Numbers the variants of one function by their first occurrence. */
static enum cp_status number_function(struct variant *list, uint32_t n,
                                      struct cp_error *err)
{
    struct variant **firsts = cp_alloc(n, sizeof(*firsts), err);
    uint32_t n_firsts = 0;

    if (!firsts)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || !same_variant(&list[i], &list[i - 1]))
            firsts[n_firsts++] = &list[i];
    qsort(firsts, n_firsts, sizeof(*firsts), by_first_place);
    for (uint32_t i = 0; i < n_firsts; i++)
        firsts[i]->number = i + 1;
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && same_variant(&list[i], &list[i - 1]))
            list[i].number = list[i - 1].number;
        list[i].of = n_firsts;
    }
    cp_free(firsts);
    return CP_OK;
}

static void fill_variants(const struct callgrind_writer *w,
                          struct variant *list)
{
    const struct cp_graph *g = w->g;

    for (uint32_t i = 0; i < g->n_order; i++) {
        const struct cp_node_info *info = info_of(w, g->order[i]);

        list[i] = (struct variant){ .file = info->file,
                                    .name = info->name,
                                    .object = info->objfile,
                                    .start_line = info->start_line,
                                    .node = g->order[i],
                                    .place = i };
        if (info->address == 0 && info->line == 0)
            list[i].column = info->column;
        if (g->tree_parent)
            list[i].parent = g->tree_parent[g->order[i]];
    }
}

/* Writes "name", or "name [2/3]" if the name is ambiguous. */
static enum cp_status name_callee(struct callgrind_writer *w,
                                  const struct variant *v)
{
    struct cp_str name = cp_profile_str(w->r->profile, v->name);
    char *marked;

    if (v->of > 1) {
        marked = cp_arena_printf(&w->arena, w->err, "%s [%u/%u]", name.ptr,
                                 v->number, v->of);
        if (!marked)
            return CP_ENOMEM;
        name = (struct cp_str){ marked, (uint32_t)strlen(marked) };
    }
    w->callee_name[v->node] =
        cp_strtab_add(&w->names, name.ptr, name.len, w->err);
    return w->callee_name[v->node] == CP_NO_STR ? CP_ENOMEM : CP_OK;
}

static enum cp_status name_callees(struct callgrind_writer *w)
{
    uint32_t n = w->g->n_order;
    struct variant *list = cp_alloc(n, sizeof(*list), w->err);
    enum cp_status status = list ? CP_OK : CP_ENOMEM;

    if (list) {
        fill_variants(w, list);
        qsort(list, n, sizeof(*list), by_variant);
    }
    for (uint32_t i = 0, k; status == CP_OK && i < n; i = k) {
        for (k = i + 1; k < n && by_function(&list[i], &list[k]) == 0;)
            k++;
        status = number_function(list + i, k - i, w->err);
    }
    for (uint32_t i = 0; status == CP_OK && i < n; i++)
        status = name_callee(w, &list[i]);
    cp_free(list);
    return status;
}

static enum cp_status name_nodes(struct callgrind_writer *w)
{
    const struct cp_graph *g = w->g;

    for (uint32_t i = 0; i < g->n_order; i++) {
        struct cp_str name =
            cp_profile_str(w->r->profile, info_of(w, g->order[i])->name);

        w->own_name[g->order[i]] =
            cp_strtab_add(&w->names, name.ptr, name.len, w->err);
        if (w->own_name[g->order[i]] == CP_NO_STR)
            return CP_ENOMEM;
    }
    return name_callees(w);
}

/* Writes text with line breaks replaced: a break would start a new record. */
static void write_text(struct cp_out *out, struct cp_str text)
{
    for (uint32_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        cp_out_char(out, c == '\n' || c == '\r' ? ' ' : c);
    }
}

static void write_events(const struct cp_report *r, struct cp_out *out)
{
    const char *type = r->sample_type, *unit = r->out_unit;

    cp_out_cstr(out, "positions: instr line\nevents: ");
    write_text(out, (struct cp_str){ type, (uint32_t)strlen(type) });
    cp_out_char(out, '(');
    write_text(out, (struct cp_str){ unit, (uint32_t)strlen(unit) });
    cp_out_cstr(out, ")\n");
}

/* Writes "key=(1) name" the first time, "key=(1)" later, "key=" for no name. */
static void write_name(struct callgrind_writer *w, const char *key,
                       struct numbering *numbers, uint32_t string,
                       struct cp_str text)
{
    cp_out_cstr(w->out, key);
    if (text.len > 0 && numbers->number[string]) {
        cp_out_printf(w->out, "(%u)", numbers->number[string]);
    } else if (text.len > 0) {
        numbers->number[string] = ++numbers->n;
        cp_out_printf(w->out, "(%u) ", numbers->n);
        write_text(w->out, text);
    }
    cp_out_char(w->out, '\n');
}

static void write_address(struct callgrind_writer *w, uint64_t address)
{
    char absolute[24], relative[24];

    (void)snprintf(absolute, sizeof(absolute), "0x%llx",
                   (unsigned long long)address);
    if (!w->previous) {
        cp_out_cstr(w->out, absolute);
        return;
    }
    if (w->previous->address == address) {
        cp_out_char(w->out, '*');
        return;
    }
    (void)snprintf(relative, sizeof(relative), "%+lld",
                   (long long)(address - w->previous->address));
    cp_out_cstr(w->out,
                strlen(relative) < strlen(absolute) ? relative : absolute);
}

static int64_t scaled(const struct callgrind_writer *w, int64_t value)
{
    const char *unit;
    double v = cp_scale_value(&w->scale, value, &unit);

    return cp_to_int64(v);
}

static void write_call(struct callgrind_writer *w, const struct cp_edge *e)
{
    const struct cp_node_info *to = info_of(w, e->dst);
    uint32_t name = w->callee_name[e->dst];

    write_name(w, "cfl=", &w->files, to->file,
               cp_profile_str(w->r->profile, to->file));
    write_name(w, "cfn=", &w->functions, name, w->names.items[name]);
    cp_out_cstr(w->out, "calls=0 ");
    write_address(w, to->address);
    cp_out_printf(w->out, " %lld\n* * %lld\n", (long long)to->line,
                  (long long)scaled(w, e->weight));
}

static enum cp_status write_node(struct callgrind_writer *w, uint32_t node)
{
    const struct cp_node_info *info = info_of(w, node), *last = w->previous;
    const struct cp_profile *p = w->r->profile;
    uint32_t *edges, n;

    if (!last || info->objfile != last->objfile || info->file != last->file ||
        info->name != last->name) {
        cp_out_char(w->out, '\n');
        write_name(w, "ob=", &w->objects, info->objfile,
                   cp_profile_str(p, info->objfile));
        write_name(w, "fl=", &w->files, info->file,
                   cp_profile_str(p, info->file));
        write_name(w, "fn=", &w->functions, w->own_name[node],
                   cp_profile_str(p, info->name));
    }
    write_address(w, info->address);
    cp_out_printf(w->out, " %lld %lld\n", (long long)info->line,
                  (long long)scaled(w, cp_node_flat(&w->g->nodes[node])));
    if (cp_graph_sorted_edges(w->g, node, false, &edges, &n, w->err) != CP_OK)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        write_call(w, &w->g->edges[edges[i]]);
    w->previous = info;
    return CP_OK;
}

static enum cp_status make_tables(struct callgrind_writer *w)
{
    uint32_t n_strings = w->r->profile->strings.n, n_nodes = w->g->n_nodes;
    uint32_t **by_string[] = { &w->objects.number, &w->files.number };

    if (cp_strtab_init(&w->names, &w->arena, w->g->n_order, w->err) != CP_OK)
        return CP_ENOMEM;
    for (size_t i = 0; i < 2; i++) {
        *by_string[i] =
            cp_arena_alloc(&w->arena, n_strings, sizeof(uint32_t), w->err);
        if (!*by_string[i])
            return CP_ENOMEM;
    }
    w->own_name = cp_arena_alloc(&w->arena, n_nodes, sizeof(uint32_t), w->err);
    w->callee_name =
        cp_arena_alloc(&w->arena, n_nodes, sizeof(uint32_t), w->err);
    if (!w->own_name || !w->callee_name || name_nodes(w) != CP_OK)
        return CP_ENOMEM;
    w->functions.number =
        cp_arena_alloc(&w->arena, w->names.n, sizeof(uint32_t), w->err);
    return w->functions.number ? CP_OK : CP_ENOMEM;
}

enum cp_status cp_write_callgrind(struct cp_report *r, struct cp_out *out,
                                  struct cp_error *err)
{
    struct cp_trimmed t = { 0 };
    struct callgrind_writer w = {
        .r = r, .g = &t.graph, .out = out, .err = err
    };
    enum cp_status status = cp_trim_build(&t, r, err);

    if (status != CP_OK)
        return status;
    cp_scale_init(&w.scale, r->sample_unit, r->out_unit);
    status = make_tables(&w);
    if (status == CP_OK)
        write_events(r, out);
    for (uint32_t i = 0; status == CP_OK && i < t.graph.n_order; i++)
        status = write_node(&w, t.graph.order[i]);
    cp_arena_release(&w.arena);
    cp_trim_release(&t);
    return status;
}
