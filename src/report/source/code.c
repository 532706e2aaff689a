/*
 * code.c - opens the object files of mappings and finds the sampled addresses.
 */
#include "report/source/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "report/graph/graph.h"
#include "symbol/demangle/demangle.h"
#include "symbol/object.h"
#include "symbol/table/routines.h"

#define MAX_NAME 4096

struct cp_code_file {
    struct cp_object *object; /* NULL if unusable */
    struct cp_address_map map;
    bool is_known, is_shared; /* whether a different mapping frees it */
};

/* Returns the object of a different mapping with the same file, or NULL. */
static struct cp_object *find_open(const struct cp_code *c, uint32_t mapping)
{
    const struct cp_mapping *all = c->report->profile->mappings;

    for (uint32_t i = 0; i < c->report->profile->n_mappings; i++)
        if (c->files[i].object && all[i].file == all[mapping].file &&
            all[i].build_id == all[mapping].build_id)
            return c->files[i].object;
    return NULL;
}

static void open_file(struct cp_code *c, uint32_t mapping)
{
    const struct cp_profile *p = c->report->profile;
    const struct cp_mapping *m = &p->mappings[mapping];
    struct cp_code_file *file = &c->files[mapping];
    struct cp_address_range range = { m->start, m->limit, m->offset };
    const char *path = cp_profile_cstr(p, m->file);
    struct cp_object_options options = {
        .build_id = cp_profile_cstr(p, m->build_id),
        .is_intel = c->report->options.intel_syntax,
        .find_debug = c->report->find_debug,
        .context = c->report->warn_context,
    };
    struct cp_error err = { 0 };

    file->is_known = true;
    if (*path != '/' && !strchr(path, '/') && *path == '[')
        return; /* mapping without a file */
    file->object = find_open(c, mapping);
    file->is_shared = file->object != NULL;
    if (!file->object && *path)
        file->object = cp_object_new(path, &options, &err);
    if (file->object)
        file->map = cp_object_map(file->object, range, path);
    else if (c->problem.status == CP_OK && *path) {
        c->problem = err;
        cp_error_prefix(&c->problem, "%s: ", path);
    }
}

static int by_address(const void *a, const void *b)
{
    const struct cp_code_place *x = a, *y = b;

    if (x->object != y->object)
        return (uintptr_t)x->object < (uintptr_t)y->object ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

static void add_place(struct cp_code *c, uint32_t location,
                      const struct cp_node *node)
{
    const struct cp_location *l = &c->report->profile->locations[location];
    struct cp_code_place place = { .location = location,
                                   .flat = cp_node_flat(node),
                                   .cum = cp_node_cum(node) };
    struct cp_code_file *file;

    if (l->mapping == CP_NONE)
        return;
    file = &c->files[l->mapping];
    if (!file->is_known)
        open_file(c, l->mapping);
    if (!file->object ||
        !cp_address_map_to_file(&file->map, l->address, &place.address))
        return;
    place.object = file->object;
    place.routine =
        cp_routines_find(cp_object_routines(file->object), place.address);
    c->places[c->n_places++] = place;
}

enum cp_status cp_code_init(struct cp_code *c, const struct cp_frames *f,
                            const struct cp_graph *g, struct cp_error *err)
{
    const struct cp_profile *p = g->report->profile;
    bool *is_used = cp_alloc(f->n_infos, sizeof(*is_used), err);

    *c = (struct cp_code){ .report = g->report };
    c->files = cp_alloc(p->n_mappings, sizeof(*c->files), err);
    c->places = cp_alloc(p->n_locations, sizeof(*c->places), err);
    if (!is_used || !c->files || !c->places) {
        cp_free(is_used);
        cp_code_release(c);
        return CP_ENOMEM;
    }
    for (uint32_t i = 0; i < p->n_locations; i++) {
        uint32_t info = f->nodes[f->first[i + 1] - 1];
        const struct cp_node *node = &g->nodes[info];

        if (is_used[info] || (node->flat == 0 && node->cum == 0))
            continue;
        is_used[info] = true;
        add_place(c, i, node);
    }
    if (c->n_places > 0)
        qsort(c->places, c->n_places, sizeof(*c->places), by_address);
    cp_free(is_used);
    return CP_OK;
}

void cp_code_release(struct cp_code *c)
{
    uint32_t n = c->files ? c->report->profile->n_mappings : 0;

    for (uint32_t i = 0; i < n; i++)
        if (!c->files[i].is_shared)
            cp_object_free(c->files[i].object);
    cp_free(c->files);
    cp_free(c->places);
    cp_arena_release(&c->arena);
    *c = (struct cp_code){ 0 };
}

const char *cp_code_name(struct cp_code *c, const char *name,
                         struct cp_error *err)
{
    size_t slot = cp_hash_mix((uintptr_t)name, 0) % CP_CODE_NAMES;
    const char *shown = name;
    char readable[MAX_NAME];

    if (c->names[slot].raw == name)
        return c->names[slot].readable;
    if (cp_demangle(name, CP_DEMANGLE_SIMPLE, readable, sizeof(readable)))
        shown = cp_arena_copy(&c->arena, readable, strlen(readable), err);
    if (shown) {
        c->names[slot].raw = name;
        c->names[slot].readable = shown;
    }
    return shown;
}

void cp_code_clear_names(struct cp_code *c)
{
    memset(c->names, 0, sizeof(c->names));
}
