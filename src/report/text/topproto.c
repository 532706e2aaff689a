/*
 * topproto.c - the report "topproto": the rows of top as a profile, one sample
 * with one frame for each row.
 */

#include <string.h>

#include "base/index.h"
#include "base/number.h"
#include "base/units.h"
#include "profile/codec/encode.h"
#include "report/core/formats.h"
#include "report/graph/trim.h"

struct copier {
    const struct cp_report *r;
    const struct cp_trimmed *t;
    struct cp_profile *to;
    struct cp_strtab
        functions; /* struct function_key as bytes; numbers start at 1 */
    struct cp_scale scale;
    struct cp_error *err;
};

struct function_key {
    uint32_t name, system_name, file, zero;
    int64_t start_line;
};

static uint32_t copy_string(struct copier *c, uint32_t id)
{
    struct cp_str text = cp_profile_str(c->r->profile, id);

    return cp_strtab_add(&c->to->strings, text.ptr, text.len, c->err);
}

/* Returns the function of a node, added if new; CP_NONE on failure. */
static uint32_t function_of(struct copier *c, const struct cp_node_info *info)
{
    struct function_key key = { info->name, info->system_name, info->file, 0,
                                info->start_line };
    uint32_t number =
        cp_strtab_add(&c->functions, (const char *)&key, sizeof(key), c->err);
    struct cp_profile *to = c->to;

    if (number == CP_NO_STR)
        return CP_NONE;
    if (number > to->n_functions) {
        struct cp_function f = { .id = number,
                                 .name = copy_string(c, info->name),
                                 .system_name =
                                     copy_string(c, info->system_name),
                                 .filename = copy_string(c, info->file),
                                 .start_line = info->start_line };

        if (f.name == CP_NO_STR || f.system_name == CP_NO_STR ||
            f.filename == CP_NO_STR)
            return CP_NONE;
        to->functions[to->n_functions++] = f;
    }
    return number - 1;
}

static int64_t scaled(const struct copier *c, int64_t value)
{
    const char *unit;
    double v = cp_scale_value(&c->scale, value, &unit);

    return cp_to_int64(v);
}

/* Adds row i as sample, stack, location and line i. */
static enum cp_status copy_row(struct copier *c, uint32_t i)
{
    const struct cp_node *n = &c->t->graph.nodes[c->t->graph.order[i]];
    const struct cp_node_info *info = &c->t->frames.infos[n->info];
    struct cp_profile *to = c->to;
    uint32_t function = function_of(c, info);

    if (function == CP_NONE)
        return CP_ENOMEM;
    to->lines[i] = (struct cp_line){ function, info->line, info->column };
    to->locations[i] = (struct cp_location){ .id = (uint64_t)i + 1,
                                             .address = info->address,
                                             .mapping = CP_NONE,
                                             .lines = i,
                                             .n_lines = 1 };
    to->locs[i] = i;
    to->samples[i] = (struct cp_sample){ .locs = i, .n_locs = 1 };
    to->values[2 * (size_t)i] = scaled(c, cp_node_cum(n));
    to->values[2 * (size_t)i + 1] = scaled(c, cp_node_flat(n));
    return CP_OK;
}

static enum cp_status make_room(struct copier *c, uint32_t n)
{
    struct cp_profile *to = c->to;
    struct cp_arena *arena = &to->arena;

    to->types = cp_arena_alloc(arena, 2, sizeof(*to->types), c->err);
    to->samples = cp_arena_alloc(arena, n, sizeof(*to->samples), c->err);
    to->values =
        cp_arena_alloc(arena, 2 * (size_t)n, sizeof(*to->values), c->err);
    to->locs = cp_arena_alloc(arena, n, sizeof(*to->locs), c->err);
    to->locations = cp_arena_alloc(arena, n, sizeof(*to->locations), c->err);
    to->lines = cp_arena_alloc(arena, n, sizeof(*to->lines), c->err);
    to->functions = cp_arena_alloc(arena, n, sizeof(*to->functions), c->err);
    if (!to->types || !to->samples || !to->values || !to->locs ||
        !to->locations || !to->lines || !to->functions)
        return CP_ENOMEM;
    to->n_types = 2;
    to->n_samples = to->n_locations = to->n_lines = n;
    to->n_locs = n;
    return cp_strtab_init(&c->functions, arena, n, c->err);
}

static enum cp_status copy_head(struct copier *c)
{
    const struct cp_profile *p = c->r->profile;
    struct cp_profile *to = c->to;
    const char *unit = c->r->out_unit;

    to->types[0].type = cp_strtab_add(&to->strings, "cum", 3, c->err);
    to->types[1].type = cp_strtab_add(&to->strings, "flat", 4, c->err);
    to->types[0].unit = to->types[1].unit =
        cp_strtab_add(&to->strings, unit, strlen(unit), c->err);
    to->period_type.type = copy_string(c, p->period_type.type);
    to->period_type.unit = copy_string(c, p->period_type.unit);
    to->period = p->period;
    to->time_ns = p->time_ns;
    to->duration_ns = p->duration_ns;
    return to->types[0].type == CP_NO_STR || to->types[1].type == CP_NO_STR ||
                   to->types[0].unit == CP_NO_STR ||
                   to->period_type.type == CP_NO_STR ||
                   to->period_type.unit == CP_NO_STR
               ? CP_ENOMEM
               : CP_OK;
}

static enum cp_status copy_all(struct copier *c)
{
    uint32_t n = c->t->graph.n_order;
    enum cp_status status = make_room(c, n);

    if (status == CP_OK)
        status = copy_head(c);
    for (uint32_t i = 0; status == CP_OK && i < n; i++)
        status = copy_row(c, i);
    return status;
}

enum cp_status cp_write_topproto(struct cp_report *r, struct cp_out *out,
                                 struct cp_error *err)
{
    struct cp_trimmed t = { 0 };
    struct copier c = { .r = r, .t = &t, .err = err };
    enum cp_status status = cp_trim_build(&t, r, err);

    if (status != CP_OK)
        return status;
    cp_scale_init(&c.scale, r->sample_unit, r->out_unit);
    c.to = cp_profile_new(err);
    status = c.to ? copy_all(&c) : CP_ENOMEM;
    if (status == CP_OK)
        status = cp_encode_gzip(c.to, out, err);
    cp_profile_free(c.to);
    cp_trim_release(&t);
    return status;
}
