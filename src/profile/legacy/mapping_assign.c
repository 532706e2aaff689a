/*
 * mapping_assign.c - sorts mappings and finds the mapping of each address.
 *
 * The steps, in this order:
 *   1. Adjacent parts of one file become one mapping.
 *   2. The main program moves to the front: the first mapping with a name that
 *      is neither a shared library's nor in brackets.
 *   3. A huge-page copy of the program's beginning is removed if the rest
 *      follows.
 *   4. A program linked at 0x400000 gets the start that the map omits.
 *   5. An address gets the first mapping that contains it. Otherwise it gets
 *      the first mapping whose missing head would contain it (the file offset
 *      gives the size of the head), and that head is added. Otherwise it gets
 *      a new mapping that contains all addresses. Address 0 has no mapping.
 */
#include "profile/legacy/mapping_assign.h"

#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "base/text_lines.h"
#include "profile/model/build.h"
#include "profile/model/range_index.h"

#define USUAL_START 0x400000u
#define HUGE_PAGE "/anon_hugepage"
#define DELETED "(deleted)"

/* Whether y starts at the end of x and may belong to the same file. */
static bool is_continued(const struct cp_mapping *x, const struct cp_mapping *y)
{
    if (x->limit != y->start)
        return false;
    if (x->offset && y->offset &&
        x->offset + (x->limit - x->start) != y->offset)
        return false;
    if (x->file && y->file && x->file != y->file)
        return false;
    return !x->build_id || !y->build_id || x->build_id == y->build_id;
}

static void join_neighbours(struct cp_profile *p)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n_mappings; i++) {
        struct cp_mapping *m = &p->mappings[i], *last = m;

        if (n)
            last = &p->mappings[n - 1];
        if (n == 0 || !is_continued(last, m)) {
            p->mappings[n++] = *m;
            continue;
        }
        last->limit = m->limit;
        if (!last->file)
            last->file = m->file;
        if (!last->build_id)
            last->build_id = m->build_id;
    }
    p->n_mappings = n;
}

/* Whether the name ends in .so, or in .so and a version: .so.6, .so_6. */
static bool is_library_name(struct cp_text name)
{
    for (; (name.pos = cp_text_find(name, ".so")) != NULL; name.pos++) {
        const char *after = name.pos + 3;

        if (after == name.end)
            return true;
        if (name.end - after >= 2 && (*after == '.' || *after == '_') &&
            cp_text_is_digit(after[1]))
            return true;
    }
    return false;
}

static struct cp_text file_name(const struct cp_profile *p,
                                const struct cp_mapping *m)
{
    struct cp_str file = cp_profile_str(p, m->file);

    return cp_text_of(file.ptr, file.len);
}

static bool may_be_program(const struct cp_profile *p,
                           const struct cp_mapping *m)
{
    struct cp_text name = cp_text_trim(file_name(p, m));
    const char *deleted = cp_text_find(name, DELETED);

    /* Strips " (deleted)" only at the end of the name. */
    if (deleted && deleted + strlen(DELETED) == name.end)
        name.end = deleted;
    name = cp_text_trim(name);
    return cp_text_len(name) && *name.pos != '[' && !is_library_name(name);
}

static void put_program_first(struct cp_profile *p)
{
    for (uint32_t i = 0; i < p->n_mappings; i++) {
        struct cp_mapping first = p->mappings[0];

        if (!may_be_program(p, &p->mappings[i]))
            continue;
        p->mappings[0] = p->mappings[i];
        p->mappings[i] = first;
        return;
    }
}

static void drop_huge_page(struct cp_profile *p)
{
    struct cp_mapping *m = p->mappings;

    if (p->n_mappings < 2 || !cp_text_starts(file_name(p, m), HUGE_PAGE) ||
        m[0].limit != m[1].start)
        return;
    p->n_mappings--;
    memmove(m, m + 1, p->n_mappings * sizeof(*m));
}

static void restore_usual_start(struct cp_profile *p)
{
    struct cp_mapping *m = p->mappings;

    if (p->n_mappings && m->start - m->offset == USUAL_START) {
        m->start = USUAL_START;
        m->offset = 0;
    }
}

/* Range indexes of the mappings and of their missing heads. */
struct finder {
    uint64_t *bounds;
    struct cp_range_index whole, heads;
};

/*
 * Returns the start of the mapping with its head; m->start if no head is
 * missing.
 */
static uint64_t head_start(const struct cp_mapping *m)
{
    return m->offset <= m->start ? m->start - m->offset : m->start;
}

static enum cp_status finder_init(struct finder *f, const struct cp_profile *p,
                                  struct cp_error *err)
{
    size_t n = 0;

    f->bounds = cp_alloc(p->n_mappings, 3 * sizeof(*f->bounds), err);
    if (!f->bounds)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < p->n_mappings; i++) {
        f->bounds[n++] = head_start(&p->mappings[i]);
        f->bounds[n++] = p->mappings[i].start;
        f->bounds[n++] = p->mappings[i].limit;
    }
    if (cp_range_index_init(&f->whole, f->bounds, n, err) != CP_OK ||
        cp_range_index_init(&f->heads, f->bounds, f->whole.n_bounds, err) !=
            CP_OK)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < p->n_mappings; i++) {
        const struct cp_mapping *m = &p->mappings[i];

        cp_range_index_add(&f->whole, m->start, m->limit, i);
        cp_range_index_add(&f->heads, head_start(m), m->start, i);
    }
    return CP_OK;
}

static void finder_release(struct finder *f)
{
    cp_range_index_release(&f->whole);
    cp_range_index_release(&f->heads);
    cp_free(f->bounds);
}

/*
 * Returns the mapping whose missing head contains the address, extended by that
 * head; or CP_NONE. A mapping that ends before it starts does not contain its
 * head either.
 */
static uint32_t restore_head(struct finder *f, struct cp_profile *p,
                             uint64_t address)
{
    uint32_t found = cp_range_index_find(&f->heads, address);
    struct cp_mapping *m;

    if (found == CP_NO_RANGE || p->mappings[found].offset == 0)
        return CP_NONE;
    m = &p->mappings[found];
    cp_range_index_add(&f->whole, head_start(m),
                       m->start < m->limit ? m->start : m->limit, found);
    m->start = head_start(m);
    m->offset = 0;
    return found;
}

static enum cp_status assign_all(struct cp_builder *b, struct finder *f,
                                 struct cp_error *err)
{
    struct cp_profile *p = b->profile;
    uint32_t catch_all = CP_NONE;

    for (uint32_t i = 0; i < p->n_locations; i++) {
        uint64_t address = p->locations[i].address;
        uint32_t found;

        if (address == 0)
            continue;
        found = cp_range_index_find(&f->whole, address);
        if (found == CP_NO_RANGE)
            found = catch_all;
        if (found == CP_NONE)
            found = restore_head(f, p, address);
        if (found == CP_NONE) {
            struct cp_mapping everything = { .limit = UINT64_MAX };

            found = catch_all = cp_builder_mapping(b, everything, err);
            if (found == CP_NONE)
                return CP_ENOMEM;
        }
        p->locations[i].mapping = found;
    }
    return CP_OK;
}

enum cp_status cp_mapping_assign(struct cp_builder *b, struct cp_error *err)
{
    struct cp_profile *p = b->profile;
    struct finder f = { 0 };
    enum cp_status status;

    join_neighbours(p);
    put_program_first(p);
    drop_huge_page(p);
    restore_usual_start(p);
    status = finder_init(&f, p, err);
    if (status == CP_OK)
        status = assign_all(b, &f, err);
    finder_release(&f);
    for (uint32_t i = 0; i < p->n_mappings; i++)
        p->mappings[i].id = (uint64_t)i + 1;
    return status;
}
