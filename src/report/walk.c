/*
 * walk.c - the inner loop; see walk.h.
 *
 * Each thread takes a share of the samples and sums into tables of its own;
 * sums do not depend on order, so joining the tables gives the same result
 * for any number of threads. "Seen in this sample" is a stamp, so nothing is
 * cleared between samples.
 *
 * What a frame touches is kept small: one number for a location that is one
 * node (nearly all are), then 32 bytes for the node. An edge is first looked
 * for where the last two edges from the same node were found.
 */
#include "report/walk.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/parallel.h"

#define SHARE_LEAST 4096      /* samples below which a thread is not worth it */
#define SEVERAL (CP_NONE - 1) /* a location of more than one node */

/* The part of a node that every frame touches. */
struct cp_walk_hot {
    int64_t cum;
    uint32_t stamp;   /* last sample counted in cum */
    uint32_t dst[2];  /* where the edges used last from here lead, ... */
    uint32_t edge[2]; /* ... and their places */
};

struct share {
    struct cp_walk walk;
    uint32_t n_nodes;
    uint32_t from, to;
    struct cp_error err;
};

struct job {
    const struct cp_report *r;
    const struct cp_frames *f;
    struct cp_graph_want want;
    uint32_t *single; /* by location: its node, CP_NONE if that is left out */
    struct share shares[CP_PARALLEL_MOST];
};

/* A sample on its way from root to leaf. */
struct step {
    uint32_t src, dst, stamp;
    int64_t value, div;
    bool is_residual, is_inline;
};

/* The place of an edge in the table, or the free one where it belongs. */
static uint32_t find_place(const struct cp_walk *w, uint32_t src, uint32_t dst)
{
    uint32_t mask = w->n_places - 1;
    uint32_t i = (uint32_t)cp_hash_mix(src, dst) & mask;

    while (w->edges[i].src != CP_NONE &&
           (w->edges[i].src != src || w->edges[i].dst != dst))
        i = (i + 1) & mask;
    return i;
}

static enum cp_status new_table(struct cp_walk *w, uint32_t n, bool has_divs,
                                struct cp_error *err)
{
    if (n == 0)
        return cp_error_nomem(err);
    w->n_places = n;
    w->edges = cp_alloc(n, sizeof(*w->edges), err);
    w->edge_divs = has_divs ? cp_alloc(n, sizeof(*w->edge_divs), err) : NULL;
    if (!w->edges || (has_divs && !w->edge_divs))
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        w->edges[i].src = CP_NONE;
    return CP_OK;
}

/* Doubles the table; edges move, so nodes forget where theirs were. */
static enum cp_status grow_table(struct cp_walk *w, uint32_t n_nodes,
                                 struct cp_error *err)
{
    struct cp_walk old = *w;
    enum cp_status status = new_table(w, old.n_places ? old.n_places * 2 : 1024,
                                      w->divs != NULL, err);

    for (uint32_t i = 0; status == CP_OK && i < old.n_places; i++) {
        if (old.edges[i].src == CP_NONE)
            continue;
        uint32_t to = find_place(w, old.edges[i].src, old.edges[i].dst);

        w->edges[to] = old.edges[i];
        if (w->edge_divs)
            w->edge_divs[to] = old.edge_divs[i];
    }
    cp_free(old.edges);
    cp_free(old.edge_divs);
    for (uint32_t i = 0; i < n_nodes; i++)
        w->hot[i].dst[0] = w->hot[i].dst[1] = CP_NONE;
    return status;
}

/* The place of the edge, made with no weight if new; CP_NONE on failure. */
static uint32_t find_edge(struct share *s, uint32_t src, uint32_t dst)
{
    struct cp_walk *w = &s->walk;
    struct cp_walk_hot *from = &w->hot[src];
    uint32_t place;

    if (from->dst[0] == dst)
        return from->edge[0];
    if (from->dst[1] == dst)
        return from->edge[1];
    if (w->n_edges >= w->n_places / 2 &&
        grow_table(w, s->n_nodes, &s->err) != CP_OK)
        return CP_NONE;
    place = find_place(w, src, dst);
    if (w->edges[place].src == CP_NONE) {
        w->edges[place] =
            (struct cp_walk_edge){ .src = src, .dst = dst, .is_inline = true };
        w->n_edges++;
    }
    from->dst[1] = from->dst[0];
    from->edge[1] = from->edge[0];
    from->dst[0] = dst;
    from->edge[0] = place;
    return place;
}

static bool add_edge(struct share *s, const struct step *at)
{
    struct cp_walk *w = &s->walk;
    uint32_t place = find_edge(s, at->src, at->dst);
    struct cp_walk_edge *e;

    if (place == CP_NONE)
        return false;
    e = &w->edges[place];
    if (e->stamp == at->stamp)
        return true;
    e->stamp = at->stamp;
    e->weight = cp_add(e->weight, at->value);
    e->is_residual |= at->is_residual;
    e->is_inline &= at->is_inline;
    if (w->edge_divs)
        w->edge_divs[place] = cp_add(w->edge_divs[place], at->div);
    return true;
}

/* Goes on to node at->dst. False when out of memory. */
static inline bool visit(const struct job *job, struct share *s,
                         struct step *at)
{
    struct cp_walk_hot *node = &s->walk.hot[at->dst];
    const uint8_t *edges = job->want.edges;

    if (node->stamp != at->stamp) {
        node->stamp = at->stamp;
        node->cum = cp_add(node->cum, at->value);
        if (s->walk.divs)
            s->walk.divs[at->dst].cum =
                cp_add(s->walk.divs[at->dst].cum, at->div);
    }
    if (edges && at->src != CP_NONE && at->src != at->dst &&
        ((edges[at->src] & CP_WANT_OUT) || (edges[at->dst] & CP_WANT_IN)) &&
        !add_edge(s, at))
        return false;
    at->src = at->dst;
    at->is_residual = false;
    return true;
}

static bool visit_several(const struct job *job, struct share *s,
                          struct step *at, uint32_t location)
{
    uint32_t from = job->f->first[location], to = job->f->first[location + 1];
    const bool *kept = job->want.kept;

    for (uint32_t j = to; j > from; j--) {
        at->dst = job->f->nodes[j - 1];
        at->is_inline = j != to;
        if (kept && !kept[at->dst])
            at->is_residual = true;
        else if (!visit(job, s, at))
            return false;
    }
    at->is_inline = false;
    return true;
}

static bool walk_sample(const struct job *job, struct share *s, uint32_t number)
{
    const struct cp_sample *sample = &job->r->profile->samples[number];
    const uint32_t *stack = job->r->profile->locs + sample->locs;
    struct step at = { .src = CP_NONE, .stamp = number + 1 };

    at.value = cp_report_sample(job->r, number, &at.div);
    if (at.value == 0 && at.div == 0)
        return true;
    for (uint32_t k = sample->n_locs; k > 0; k--) {
        at.dst = job->single[stack[k - 1]];
        if (at.dst == CP_NONE)
            at.is_residual = true;
        else if (at.dst == SEVERAL) {
            if (!visit_several(job, s, &at, stack[k - 1]))
                return false;
        } else if (!visit(job, s, &at))
            return false;
    }
    if (at.src != CP_NONE && !at.is_residual) {
        struct cp_walk *w = &s->walk;

        w->values[at.src].flat = cp_add(w->values[at.src].flat, at.value);
        if (w->divs)
            w->divs[at.src].flat = cp_add(w->divs[at.src].flat, at.div);
    }
    return true;
}

static bool make_tables(const struct job *job, struct share *s)
{
    struct cp_walk *w = &s->walk;
    uint32_t n = job->f->n_infos;

    w->hot = cp_alloc(n, sizeof(*w->hot), &s->err);
    w->values = cp_alloc(n, sizeof(*w->values), &s->err);
    if (job->r->options.mean)
        w->divs = cp_alloc(n, sizeof(*w->divs), &s->err);
    if (!w->hot || !w->values || s->err.status != CP_OK)
        return false;
    for (uint32_t i = 0; i < n; i++)
        w->hot[i].dst[0] = w->hot[i].dst[1] = CP_NONE;
    s->n_nodes = n;
    return true;
}

static void walk_share(void *context, size_t piece)
{
    struct job *job = context;
    struct share *s = &job->shares[piece];
    struct cp_walk *w = &s->walk;

    if (!make_tables(job, s))
        return;
    for (uint32_t i = s->from; i < s->to; i++)
        if (!walk_sample(job, s, i))
            return;
    for (uint32_t i = 0; i < job->f->n_infos; i++)
        w->values[i].cum = w->hot[i].cum;
}

static void add_sums(struct cp_walk_sums *to, const struct cp_walk_sums *from,
                     uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i].flat = cp_add(to[i].flat, from[i].flat);
        to[i].cum = cp_add(to[i].cum, from[i].cum);
    }
}

/* Adds what `from` has to `to`. */
static bool join(struct share *to, const struct cp_walk *from)
{
    struct cp_walk *w = &to->walk;

    add_sums(w->values, from->values, to->n_nodes);
    if (w->divs)
        add_sums(w->divs, from->divs, to->n_nodes);
    for (uint32_t i = 0; i < from->n_places; i++) {
        struct step at = { .src = from->edges[i].src,
                           .dst = from->edges[i].dst,
                           .stamp = CP_NONE,
                           .value = from->edges[i].weight,
                           .div = from->edge_divs ? from->edge_divs[i] : 0,
                           .is_residual = from->edges[i].is_residual,
                           .is_inline = from->edges[i].is_inline };

        if (at.src == CP_NONE)
            continue;
        if (!add_edge(to, &at))
            return false;
        w->edges[find_edge(to, at.src, at.dst)].stamp = 0;
    }
    return true;
}

static size_t share_out(struct job *job)
{
    uint32_t n = job->r->profile->n_samples;
    size_t n_shares = cp_parallel_width();

    if (n_shares > n / SHARE_LEAST)
        n_shares = n / SHARE_LEAST ? n / SHARE_LEAST : 1;
    for (size_t i = 0; i < n_shares; i++) {
        job->shares[i].from = (uint32_t)((uint64_t)n * i / n_shares);
        job->shares[i].to = (uint32_t)((uint64_t)n * (i + 1) / n_shares);
    }
    return n_shares;
}

static enum cp_status find_singles(struct job *job, struct cp_error *err)
{
    const struct cp_frames *f = job->f;
    uint32_t n = job->r->profile->n_locations;
    const bool *kept = job->want.kept;

    job->single = cp_alloc(n, sizeof(*job->single), err);
    if (!job->single)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = f->nodes[f->first[i]];

        if (f->first[i + 1] - f->first[i] > 1)
            job->single[i] = SEVERAL;
        else
            job->single[i] = kept && !kept[node] ? CP_NONE : node;
    }
    return CP_OK;
}

enum cp_status cp_walk(struct cp_walk *w, const struct cp_report *r,
                       const struct cp_frames *f, struct cp_graph_want want,
                       struct cp_error *err)
{
    struct job job = { .r = r, .f = f, .want = want };
    enum cp_status status = find_singles(&job, err);
    size_t n_shares = share_out(&job);

    if (status == CP_OK)
        cp_parallel_run(n_shares, walk_share, &job);
    for (size_t i = 0; i < n_shares; i++) {
        if (status == CP_OK && job.shares[i].err.status != CP_OK)
            status = cp_error_nomem(err);
        if (status == CP_OK && i > 0 &&
            !join(&job.shares[0], &job.shares[i].walk))
            status = cp_error_nomem(err);
        if (i > 0)
            cp_walk_release(&job.shares[i].walk);
    }
    cp_free(job.single);
    *w = job.shares[0].walk;
    if (status != CP_OK)
        cp_walk_release(w);
    return status;
}

void cp_walk_release(struct cp_walk *w)
{
    cp_free(w->values);
    cp_free(w->divs);
    cp_free(w->hot);
    cp_free(w->edges);
    cp_free(w->edge_divs);
    *w = (struct cp_walk){ 0 };
}
