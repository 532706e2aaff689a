/*
 * flamegraph_layout.c - chooses and lays out the boxes.
 *
 * A box stands for the range of stacks that start with its path. The heaviest
 * box that is not drawn yet is always drawn next, which splits its range by the
 * next frame of each stack. A child is never heavier than its parent, so this
 * finds the heaviest paths without building the whole call tree. That tree has
 * tens of millions of nodes for a large profile.
 */
#include "base/alloc.h"
#include "base/number.h"
#include "report/picture/flamegraph.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BOXES 6000
#define MIN_SHARE 0.001

struct splitter {
    struct cp_flame *f;
    struct cp_cursor *cursors; /* cursors of all stacks, grouped by box */
    struct cp_cursor *moved;
    int64_t *values; /* indexed by stack */
    double *weights; /* indexed by stack */
    struct cp_flame_box *heap;
    size_t n_heap, cap_heap;
    struct cp_flame_box *children; /* children of the box being split */
    size_t n_children, cap_children;
    uint32_t *child_of; /* indexed by name: child + 1; all 0 between splits */
    struct cp_error *err;
};

static bool is_heavier(const struct cp_flame_box *a,
                       const struct cp_flame_box *b)
{
    if (a->weight > b->weight || a->weight < b->weight)
        return a->weight > b->weight;
    return a->depth != b->depth ? a->depth < b->depth : a->start < b->start;
}

static enum cp_status push(struct splitter *s, struct cp_flame_box box)
{
    size_t i = s->n_heap;

    if (cp_reserve(&s->heap, &s->cap_heap, s->n_heap + 1, sizeof(*s->heap),
                   s->err) != CP_OK)
        return CP_ENOMEM;
    s->n_heap++;
    for (; i > 0 && is_heavier(&box, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = box;
    return CP_OK;
}

static struct cp_flame_box pop(struct splitter *s)
{
    struct cp_flame_box top = s->heap[0], last = s->heap[--s->n_heap];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < s->n_heap) {
        if (child + 1 < s->n_heap &&
            is_heavier(&s->heap[child + 1], &s->heap[child]))
            child++;
        if (!is_heavier(&s->heap[child], &last))
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = last;
    return top;
}

/* Finds the children of a box and their weights. */
static enum cp_status count_children(struct splitter *s,
                                     struct cp_flame_box *box)
{
    s->n_children = 0;
    for (uint32_t i = box->from; i < box->from + box->n; i++) {
        const struct cp_cursor *at = &s->cursors[i];
        struct cp_flame_box *child;

        if (at->name == CP_NONE) {
            box->self = cp_add(box->self, s->values[at->stack]);
            continue;
        }
        if (s->child_of[at->name] == 0) {
            if (cp_reserve(&s->children, &s->cap_children, s->n_children + 1,
                           sizeof(*s->children), s->err) != CP_OK)
                return CP_ENOMEM;
            s->children[s->n_children++] =
                (struct cp_flame_box){ .name = at->name,
                                       .depth = box->depth + 1 };
            s->child_of[at->name] = (uint32_t)s->n_children;
        }
        child = &s->children[s->child_of[at->name] - 1];
        child->n++;
        child->weight += s->weights[at->stack];
        child->value = cp_add(child->value, s->values[at->stack]);
    }
    return CP_OK;
}

static int by_weight(const void *x, const void *y, void *context)
{
    const struct cp_flame_box *a = x, *b = y;
    const struct cp_strtab *names = context;

    if (a->weight > b->weight || a->weight < b->weight)
        return a->weight > b->weight ? -1 : 1;
    return cp_str_cmp(names->items[a->name], names->items[b->name]);
}

/* Assigns positions to the visible children; returns their number. */
static size_t position_children(struct splitter *s,
                                const struct cp_flame_box *box)
{
    double at = box->start, least = s->f->total_weight * MIN_SHARE;
    uint32_t from = box->from;
    size_t n = 0;

    qsort_r(s->children, s->n_children, sizeof(*s->children), by_weight,
            &s->f->stacks.names);
    for (size_t i = 0; i < s->n_children; i++) {
        struct cp_flame_box *child = &s->children[i];

        s->child_of[child->name] = (uint32_t)i + 1;
        child->start = at;
        child->from = from;
        at += child->weight;
        if (child->weight < least)
            continue;
        from += child->n;
        n = i + 1;
    }
    return n;
}

/* Groups the box's cursors by child, and moves each one frame on. */
static void move_cursors(struct splitter *s, const struct cp_flame_box *box,
                         size_t n_seen)
{
    uint32_t n = 0;

    for (uint32_t i = box->from; i < box->from + box->n; i++) {
        struct cp_cursor at = s->cursors[i];
        uint32_t child = at.name == CP_NONE ? 0 : s->child_of[at.name];

        if (child == 0 || child > n_seen)
            continue;
        cp_cursor_next(&s->f->stacks, &at);
        s->moved[s->children[child - 1].from++ - box->from] = at;
        n++;
    }
    if (n > 0)
        memcpy(s->cursors + box->from, s->moved, n * sizeof(*s->moved));
    for (size_t i = 0; i < n_seen; i++)
        s->children[i].from -= s->children[i].n;
}

static enum cp_status split(struct splitter *s, struct cp_flame_box *box)
{
    size_t n_seen;

    if (count_children(s, box) != CP_OK)
        return CP_ENOMEM;
    n_seen = position_children(s, box);
    move_cursors(s, box, n_seen);
    for (size_t i = 0; i < s->n_children; i++)
        s->child_of[s->children[i].name] = 0;
    s->f->n_omitted += (uint32_t)(s->n_children - n_seen);
    for (size_t i = 0; i < n_seen; i++)
        if (push(s, s->children[i]) != CP_OK)
            return CP_ENOMEM;
    return CP_OK;
}

static enum cp_status draw(struct splitter *s)
{
    struct cp_flame *f = s->f;

    while (s->n_heap > 0 && f->n_boxes < MAX_BOXES) {
        struct cp_flame_box *box = &f->boxes[f->n_boxes++];

        *box = pop(s);
        if (box->depth + 1 > f->n_rows)
            f->n_rows = box->depth + 1;
        if (split(s, box) != CP_OK)
            return CP_ENOMEM;
    }
    f->min_share = MIN_SHARE;
    if (s->n_heap > 0)
        f->min_share = s->heap[0].weight / f->total_weight;
    f->n_omitted += (uint32_t)s->n_heap;
    return CP_OK;
}

/* Puts all stacks with a weight under the root box. */
static enum cp_status add_root(struct splitter *s)
{
    struct cp_flame_box root = { .name = CP_NONE };

    for (uint32_t i = 0; i < s->f->stacks.n_stacks; i++) {
        s->weights[i] = cp_stacks_weight(&s->f->stacks, i);
        s->values[i] = cp_stacks_value(&s->f->stacks, i);
        if (!(s->weights[i] > 0))
            continue;
        s->cursors[root.n++] = cp_cursor_at_root(&s->f->stacks, i);
        root.weight += s->weights[i];
        root.value = cp_add(root.value, s->values[i]);
    }
    s->f->total_weight = root.weight;
    return root.n > 0 ? push(s, root) : CP_OK;
}

/* Orders boxes left to right, parents before children. */
static int by_place(const void *x, const void *y)
{
    const struct cp_flame_box *a = x, *b = y;

    if (a->start > b->start || a->start < b->start)
        return a->start < b->start ? -1 : 1;
    return a->depth < b->depth ? -1 : a->depth > b->depth;
}

static enum cp_status lay_out(struct cp_flame *f, struct cp_error *err)
{
    struct splitter s = { .f = f, .err = err };
    size_t n = f->stacks.n_stacks;
    enum cp_status status = CP_ENOMEM;

    s.cursors = cp_alloc(n, sizeof(*s.cursors), err);
    s.moved = cp_alloc(n, sizeof(*s.moved), err);
    s.values = cp_alloc(n, sizeof(*s.values), err);
    s.weights = cp_alloc(n, sizeof(*s.weights), err);
    s.child_of = cp_alloc(f->stacks.names.n, sizeof(*s.child_of), err);
    f->boxes =
        cp_arena_alloc(&f->stacks.arena, MAX_BOXES, sizeof(*f->boxes), err);
    if (s.cursors && s.moved && s.values && s.weights && s.child_of && f->boxes)
        status = add_root(&s);
    if (status == CP_OK)
        status = draw(&s);
    if (status == CP_OK)
        qsort(f->boxes, f->n_boxes, sizeof(*f->boxes), by_place);
    cp_free(s.cursors);
    cp_free(s.moved);
    cp_free(s.values);
    cp_free(s.weights);
    cp_free(s.child_of);
    cp_free(s.heap);
    cp_free(s.children);
    return status;
}

enum cp_status cp_flame_init(struct cp_flame *f, const struct cp_report *r,
                             struct cp_error *err)
{
    enum cp_status status;

    *f = (struct cp_flame){ 0 };
    status = cp_stacks_init(&f->stacks, r, NULL, err);
    if (status == CP_OK)
        status = lay_out(f, err);
    if (status != CP_OK)
        cp_flame_release(f);
    return status;
}

void cp_flame_release(struct cp_flame *f)
{
    cp_stacks_release(&f->stacks);
    *f = (struct cp_flame){ 0 };
}
