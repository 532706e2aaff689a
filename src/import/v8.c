/*
 * v8.c - reads profiles of V8: .cpuprofile and .heapprofile of Chrome and Node.
 *
 * New CPU profiles have a flat list of nodes (id, callFrame, hitCount, and
 * children or parent), the node of each sample, and the microseconds between
 * samples. Old ones have a tree under "head", and "timestamps" or no times.
 * Heap profiles have a tree with a selfSize per node.
 *
 * A sample lasts until the next one, the last until endTime; negative intervals
 * count as 0. Without times only samples are counted; without samples the
 * counts of the nodes are used. The node "(root)" is ignored. Line numbers are
 * the first lines of functions; new profiles count them from 0.
 */
#include "base/alloc.h"
#include "import/gather.h"
#include "import/readers.h"
#include "profile/model/idmap.h"

#include <string.h>

struct node {
    uint32_t parent;   /* index, or CP_NONE */
    uint32_t location; /* CP_NONE for (root) */
    uint32_t stack;    /* node of the gatherer, or CP_NONE */
    int64_t self;      /* hitCount or selfSize */
};

struct reader {
    struct cp_gather g;
    struct cp_arena arena;
    struct node *nodes;
    uint64_t *ids;
    size_t cap_nodes, cap_ids;
    uint32_t n_nodes;
    struct cp_idmap by_id;
    bool is_heap;
    struct cp_error *err;
};

/* A reference to a node by id, resolved when all nodes are read. */
struct link {
    uint32_t node;
    uint64_t id;
};

struct links {
    struct link *items;
    size_t n, cap;
};

/* A node being read. */
struct draft {
    struct cp_text name, url;
    int64_t line, self;
    uint64_t id;
    uint32_t index; /* index in reader.nodes */
    bool has_frame; /* new form, with a callFrame */
    bool in_children;
};

/* Reads name, url and line, which are members of a callFrame or of the node. */
static void read_frame_member(struct reader *r, struct draft *d,
                              struct cp_text key, struct cp_json *j)
{
    enum cp_json_kind kind = cp_json_kind(j);

    if (kind == CP_JSON_STRING && cp_text_equals(key, "functionName"))
        d->name = cp_json_text(j, &r->arena);
    else if (kind == CP_JSON_STRING && cp_text_equals(key, "url"))
        d->url = cp_json_text(j, &r->arena);
    else if (kind == CP_JSON_NUMBER && cp_text_equals(key, "lineNumber"))
        d->line = cp_json_int(j);
    else
        cp_json_skip(j);
}

static void read_member(struct reader *r, struct draft *d, struct cp_text key,
                        struct cp_json *j)
{
    bool is_number = cp_json_kind(j) == CP_JSON_NUMBER;

    if (cp_text_equals(key, "callFrame")) {
        d->has_frame = cp_json_enter(j, CP_JSON_OBJECT);
        while (d->has_frame && cp_json_member(j, &key))
            read_frame_member(r, d, key, j);
    } else if (is_number && cp_text_equals(key, "id")) {
        d->id = (uint64_t)cp_json_int(j);
    } else if (is_number && cp_text_equals(key, "hitCount")) {
        d->self = cp_json_int(j);
    } else if (is_number && cp_text_equals(key, "selfSize")) {
        d->self = cp_json_int(j);
        r->is_heap = true;
    } else {
        read_frame_member(r, d, key, j);
    }
}

/* Adds a node before its contents are read. */
static enum cp_status begin_node(struct reader *r, struct draft *d,
                                 uint32_t parent)
{
    uint32_t n = r->n_nodes;

    if (n >= CP_NONE - 1 ||
        cp_reserve(&r->nodes, &r->cap_nodes, (size_t)n + 1, sizeof(*r->nodes),
                   r->err) != CP_OK ||
        cp_reserve(&r->ids, &r->cap_ids, (size_t)n + 1, sizeof(*r->ids),
                   r->err) != CP_OK)
        return CP_ENOMEM;
    *d = (struct draft){ .id = (uint64_t)n + 1, .index = n };
    r->nodes[n] = (struct node){ .parent = parent,
                                 .location = CP_NONE,
                                 .stack = CP_NONE };
    r->n_nodes++;
    return CP_OK;
}

static enum cp_status end_node(struct reader *r, const struct draft *d)
{
    struct cp_gather_frame f = { .mapping = CP_NONE, .line = d->line };
    struct cp_text name = d->name;
    struct node *n = &r->nodes[d->index];

    r->ids[d->index] = d->id;
    n->self = d->self;
    if (cp_text_equals(name, "(root)"))
        return CP_OK;
    if (name.pos == name.end)
        name = cp_text_of("(anonymous)", 11);
    f.line = f.line < 0 || f.line > INT32_MAX ? 0 : f.line + d->has_frame;
    f.function = cp_gather_function(&r->g, name, d->url, f.line, r->err);
    n->location =
        f.function == CP_NONE ? CP_NONE : cp_gather_frame(&r->g, &f, r->err);
    return n->location == CP_NONE ? CP_ENOMEM : CP_OK;
}

static enum cp_status index_nodes(struct reader *r)
{
    if (cp_idmap_init(&r->by_id, &r->arena, r->ids, r->n_nodes, r->err) !=
        CP_OK)
        return CP_ENOMEM;
    if (!r->by_id.has_duplicate)
        return CP_OK;
    return cp_error_set(r->err, CP_EFORMAT, "two nodes have the id %llu",
                        (unsigned long long)r->by_id.duplicate);
}

static enum cp_status add_link(struct links *l, uint32_t node, uint64_t id,
                               struct cp_error *err)
{
    if (cp_reserve(&l->items, &l->cap, l->n + 1, sizeof(*l->items), err) !=
        CP_OK)
        return CP_ENOMEM;
    l->items[l->n++] = (struct link){ node, id };
    return CP_OK;
}

/* Reads one node of the flat list; stores references for later. */
static enum cp_status read_flat_node(struct reader *r, struct cp_json *j,
                                     struct links *children,
                                     struct links *parents)
{
    enum cp_status status = CP_OK;
    struct cp_text key;
    struct draft d;

    if (begin_node(r, &d, CP_NONE) != CP_OK ||
        !cp_json_enter(j, CP_JSON_OBJECT))
        return CP_EFORMAT;
    while (status == CP_OK && cp_json_member(j, &key)) {
        if (cp_text_equals(key, "children") &&
            cp_json_enter(j, CP_JSON_ARRAY)) {
            while (status == CP_OK && cp_json_item(j))
                status = add_link(children, d.index, (uint64_t)cp_json_int(j),
                                  r->err);
        } else if (cp_text_equals(key, "parent") &&
                   cp_json_kind(j) == CP_JSON_NUMBER) {
            status =
                add_link(parents, d.index, (uint64_t)cp_json_int(j), r->err);
        } else {
            read_member(r, &d, key, j);
        }
    }
    if (status != CP_OK || j->doc->err.status != CP_OK)
        return CP_EFORMAT;
    return end_node(r, &d);
}

/* Resolves references to parents (`is_up`) or children. */
static enum cp_status link_nodes(struct reader *r, const struct links *l,
                                 bool is_up)
{
    for (size_t i = 0; i < l->n; i++) {
        uint32_t other = cp_idmap_find(&r->by_id, l->items[i].id);
        uint32_t node = l->items[i].node;

        if (other == CP_NONE)
            return cp_error_set(r->err, CP_EFORMAT, "node %llu does not exist",
                                (unsigned long long)l->items[i].id);
        if (is_up)
            r->nodes[node].parent = other;
        else
            r->nodes[other].parent = node;
    }
    return CP_OK;
}

static enum cp_status read_flat(struct reader *r, struct cp_json j)
{
    struct links children = { 0 }, parents = { 0 };
    enum cp_status status = CP_EFORMAT;

    if (cp_json_enter(&j, CP_JSON_ARRAY))
        status = CP_OK;
    while (status == CP_OK && cp_json_item(&j))
        status = read_flat_node(r, &j, &children, &parents);
    if (status == CP_OK)
        status = j.doc->err.status;
    if (status == CP_OK)
        status = index_nodes(r);
    if (status == CP_OK)
        status = link_nodes(r, &children, false);
    if (status == CP_OK)
        status = link_nodes(r, &parents, true);
    cp_free(children.items);
    cp_free(parents.items);
    return status;
}

/* The nodes being read, outermost first. */
struct path {
    struct draft *items;
    size_t n, cap;
};

static enum cp_status read_child(struct reader *r, struct path *path,
                                 struct cp_json *j)
{
    uint32_t parent = path->n ? path->items[path->n - 1].index : CP_NONE;

    if (!cp_json_enter(j, CP_JSON_OBJECT))
        return CP_EFORMAT;
    if (path->n >= CP_MAX_DEPTH) {
        cp_json_fail(j, "the stack is too deep");
        return CP_EFORMAT;
    }
    if (cp_reserve(&path->items, &path->cap, path->n + 1, sizeof(*path->items),
                   r->err) != CP_OK)
        return CP_ENOMEM;
    return begin_node(r, &path->items[path->n++], parent);
}

/* Reads the next member or the next child of the innermost node. */
static enum cp_status step(struct reader *r, struct path *path,
                           struct cp_json *j)
{
    struct draft *d = &path->items[path->n - 1];
    struct cp_text key;

    if (d->in_children) {
        if (cp_json_item(j))
            return read_child(r, path, j);
        d->in_children = false;
        return j->doc->err.status;
    }
    if (!cp_json_member(j, &key)) {
        path->n--;
        return j->doc->err.status == CP_OK ? end_node(r, d) : CP_EFORMAT;
    }
    if (cp_text_equals(key, "children") && cp_json_kind(j) == CP_JSON_ARRAY)
        d->in_children = cp_json_enter(j, CP_JSON_ARRAY);
    else
        read_member(r, d, key, j);
    return j->doc->err.status;
}

static enum cp_status read_tree(struct reader *r, struct cp_json j)
{
    struct path path = { 0 };
    enum cp_status status = read_child(r, &path, &j);

    while (status == CP_OK && path.n > 0)
        status = step(r, &path, &j);
    cp_free(path.items);
    return status == CP_OK ? index_nodes(r) : status;
}

/*
 * Returns the gatherer's stack of a node. Walks up to the first known ancestor
 * and reverses the parent links, then walks down again.
 */
static enum cp_status find_stack(struct reader *r, uint32_t i, uint32_t *out)
{
    uint32_t below = CP_NONE, at = i, above, stack = CP_GATHER_ROOT;
    uint32_t n = 0;

    while (at != CP_NONE && r->nodes[at].stack == CP_NONE) {
        n++;
        above = r->nodes[at].parent;
        r->nodes[at].parent = below;
        below = at;
        at = above;
    }
    if (at == CP_NONE && below == i && n > 1) /* a cycle */
        return cp_error_set(r->err, CP_EFORMAT, "the nodes form a cycle");
    if (at != CP_NONE)
        stack = r->nodes[at].stack;
    for (; below != CP_NONE; below = above) {
        struct node *node = &r->nodes[below];

        above = node->parent;
        node->parent = at;
        at = below;
        if (node->location != CP_NONE)
            stack = cp_gather_call(&r->g, stack, node->location, r->err);
        if (stack == CP_NONE)
            return CP_ENOMEM;
        node->stack = stack;
    }
    *out = stack;
    return CP_OK;
}

/* Adds to the columns `count` and, if it is not CP_NONE, `wall`. */
static enum cp_status add_sample(struct reader *r, uint32_t node,
                                 const uint32_t columns[2], int64_t count,
                                 double us)
{
    uint32_t stack = CP_GATHER_ROOT, row;
    enum cp_status status = find_stack(r, node, &stack);

    if (status != CP_OK)
        return status;
    row = cp_gather_row(&r->g, stack, 0, r->err);
    if (row == CP_NONE ||
        cp_gather_add(&r->g, row, columns[0], count, r->err) != CP_OK)
        return CP_ENOMEM;
    if (columns[1] == CP_NONE)
        return CP_OK;
    return cp_gather_add_real(&r->g, row, columns[1], us * 1e3, r->err);
}

/* Adds the counts of the nodes. */
static enum cp_status add_own(struct reader *r)
{
    uint32_t columns[2] = { CP_NONE, CP_NONE };
    enum cp_status status = CP_OK;

    columns[0] = r->is_heap
                     ? cp_gather_column(&r->g, cp_text_of("inuse_space", 11),
                                        "bytes", r->err)
                     : cp_gather_column(&r->g, cp_text_of("samples", 7),
                                        "count", r->err);
    if (columns[0] == CP_NONE)
        return CP_ENOMEM;
    for (uint32_t i = 0; status == CP_OK && i < r->n_nodes; i++)
        if (r->nodes[i].self != 0)
            status = add_sample(r, i, columns, r->nodes[i].self, 0);
    return status;
}

/* Members of the document. */
enum { NODES, HEAD, SAMPLES, DELTAS, TIMESTAMPS, START, END, N_PARTS };

/* Times of the samples, in microseconds. */
struct clock {
    struct cp_json *times; /* NULL if the file has no times */
    bool is_delta;
    double now, end;
};

/* Returns the time of the next sample; never before the previous one. */
static double next_time(struct clock *c)
{
    double value;

    if (!cp_json_item(c->times)) {
        c->times = NULL;
        return c->end > c->now ? c->end : c->now;
    }
    value = cp_json_number(c->times);
    return c->is_delta ? c->now + value : value;
}

static enum cp_status start_clock(struct clock *c, struct cp_json at[N_PARTS])
{
    c->is_delta = cp_json_is(&at[DELTAS], CP_JSON_ARRAY);
    if (!c->is_delta && !cp_json_is(&at[TIMESTAMPS], CP_JSON_ARRAY))
        return CP_OK;
    c->times = c->is_delta ? &at[DELTAS] : &at[TIMESTAMPS];
    if (!cp_json_enter(c->times, CP_JSON_ARRAY))
        return CP_EFORMAT;
    if (c->is_delta && cp_json_is(&at[START], CP_JSON_NUMBER))
        c->now = cp_json_number(&at[START]);
    if (c->is_delta && cp_json_is(&at[END], CP_JSON_NUMBER))
        c->end = cp_json_number(&at[END]);
    c->now = next_time(c);
    return CP_OK;
}

static enum cp_status read_samples(struct reader *r, struct cp_json at[N_PARTS],
                                   struct clock *c)
{
    uint32_t columns[2] = {
        cp_gather_column(&r->g, cp_text_of("samples", 7), "count", r->err),
        CP_NONE,
    };
    double latest = c->now;
    enum cp_status status = columns[0] == CP_NONE ? CP_ENOMEM : CP_OK;

    if (c->times) {
        columns[1] = cp_gather_column(&r->g, cp_text_of("wall", 4),
                                      "nanoseconds", r->err);
        status = columns[1] == CP_NONE ? CP_ENOMEM : status;
    }
    while (status == CP_OK && cp_json_item(&at[SAMPLES])) {
        uint64_t id = (uint64_t)cp_json_int(&at[SAMPLES]);
        uint32_t node = cp_idmap_find(&r->by_id, id);
        double us = 0;

        if (c->times) {
            c->now = next_time(c);
            us = c->now > latest ? c->now - latest : 0;
            latest += us;
        }
        if (at[SAMPLES].doc->err.status != CP_OK)
            return CP_EFORMAT;
        if (node == CP_NONE)
            return cp_error_set(r->err, CP_EFORMAT, "node %llu does not exist",
                                (unsigned long long)id);
        status = add_sample(r, node, columns, 1, us);
    }
    return status;
}

static enum cp_status read_all(struct reader *r, struct cp_json top)
{
    static const char *const names[N_PARTS] = {
        [NODES] = "nodes",           [HEAD] = "head",
        [SAMPLES] = "samples",       [DELTAS] = "timeDeltas",
        [TIMESTAMPS] = "timestamps", [START] = "startTime",
        [END] = "endTime",
    };
    struct cp_json at[N_PARTS];
    struct clock c = { 0 };
    enum cp_status status;

    cp_json_pick(&top, names, N_PARTS, at);
    if (!at[NODES].doc && !at[HEAD].doc)
        cp_json_fail(&top, "the profile has neither nodes nor a head; it ends");
    if (top.doc->err.status != CP_OK)
        return CP_EFORMAT;
    status = at[NODES].doc ? read_flat(r, at[NODES]) : read_tree(r, at[HEAD]);
    if (status != CP_OK)
        return status;
    if (r->is_heap || !cp_json_is(&at[SAMPLES], CP_JSON_ARRAY))
        return add_own(r);
    if (start_clock(&c, at) != CP_OK ||
        !cp_json_enter(&at[SAMPLES], CP_JSON_ARRAY))
        return CP_EFORMAT;
    return read_samples(r, at, &c);
}

struct cp_profile *cp_import_v8(struct cp_json top, struct cp_error *err)
{
    size_t len = (size_t)(top.doc->end - top.doc->begin);
    struct reader r = { .err = err };
    struct cp_profile *p = NULL;
    enum cp_status status;

    if (cp_gather_init(&r.g, len, err) != CP_OK)
        return NULL;
    status = read_all(&r, top);
    if (cp_json_status(top.doc, err) == CP_OK && status == CP_OK)
        p = cp_gather_take(&r.g, err);
    else
        cp_error_prefix(err, "V8 profile: ");
    cp_gather_release(&r.g);
    cp_arena_release(&r.arena);
    cp_free(r.nodes);
    cp_free(r.ids);
    return p;
}
