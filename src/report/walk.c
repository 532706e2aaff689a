/*
 * walk.c - the inner loop; see walk.h.
 *
 * Each thread takes a share of the samples and sums into tables of its own;
 * sums do not depend on order, so joining the tables gives the same result
 * for any number of threads. "Seen in this sample" is a stamp, so nothing is
 * cleared between samples.
 *
 * Nodes that are left out have no place in the tables: what is kept is
 * numbered anew, so that few nodes mean small tables. Up to DENSE_MOST nodes
 * the edges are a square (walk_edges.h) and a step needs no search and no
 * guess; beyond, they are a hash table.
 */
#include "report/walk.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "report/walk_edges.h"

#define SHARE_LEAST 4096      /* samples below which a thread is not worth it */
#define DENSE_MOST 256        /* 1 MB of edges a thread */
#define N_CALLS 128           /* listed at once */
#define SEVERAL (CP_NONE - 1) /* a location of more than one node */

/* The part of a node that every frame touches. */
struct hot {
    int64_t cum;
    uint32_t stamp; /* last sample counted in cum */
};

/* A place on the way through a stack. */
struct call {
    uint32_t dst, site;
    uint32_t is_residual;
};

struct share {
    struct hot *hot; /* by place, as all below; NULL if the sums are known */
    int64_t *flat;
    struct cp_walk_sums *divs; /* NULL without -mean */
    struct cp_edge_table edges;
    uint32_t from, to;
    struct cp_error err;
};

struct job {
    const struct cp_report *r;
    const struct cp_frames *f;
    struct cp_graph_want want;
    uint32_t n_places;  /* nodes that are kept */
    uint32_t *place_of; /* by info; CP_NONE for those left out */
    uint32_t *info_of;  /* by place */
    uint8_t *wanted;    /* by place: want.edges */
    bool wants_all;     /* every edge, that is */
    uint32_t *single;   /* by location: its place, CP_NONE or SEVERAL */
    bool *has_wanted;   /* by location: a node of it has wanted edges */
    struct share shares[CP_PARALLEL_MOST];
};

/* A sample on its way from root to leaf. */
struct step {
    uint32_t src, stamp; /* src is n_places before the first node */
    uint32_t site;       /* location of src, where it has no other node */
    int64_t value, div;
    bool is_residual;
};

/* Counts a node, unless its sums are known already. */
static inline void count_node(const struct share *s, const struct step *at,
                              uint32_t place)
{
    struct hot *node = &s->hot[place];
    int64_t is_new;

    if (!s->hot)
        return;
    is_new = -(int64_t)(node->stamp != at->stamp);
    node->stamp = at->stamp;
    node->cum = cp_add(node->cum, at->value & is_new);
    if (s->divs)
        s->divs[place].cum = cp_add(s->divs[place].cum, at->div & is_new);
}

static inline bool is_wanted(const struct job *job, uint32_t src, uint32_t dst)
{
    return src != job->n_places && src != dst &&
           (job->wants_all || (job->wanted[src] & CP_WANT_OUT) ||
            (job->wanted[dst] & CP_WANT_IN));
}

/* Goes on to a place. False when out of memory. */
static inline bool visit(const struct job *job, struct share *s,
                         struct step *at, uint32_t dst, bool is_inline)
{
    count_node(s, at, dst);
    if (s->edges.square) {
        cp_edge_add_dense(&s->edges, at->src, dst, at->stamp, at->value,
                          at->div, at->is_residual, is_inline);
    } else if (job->wanted && is_wanted(job, at->src, dst)) {
        uint32_t slot =
            cp_edge_find_call(&s->edges, at->site, at->src, dst, &s->err);

        if (slot == CP_NONE)
            return false;
        cp_edge_add_sparse(&s->edges, slot, at->stamp, at->value, at->div,
                           at->is_residual, is_inline);
    }
    at->src = dst;
    at->is_residual = false;
    return true;
}

/* Counts the nodes of a location of several, and none of its calls. */
static void count_several(const struct job *job, const struct share *s,
                          struct step *at, uint32_t location)
{
    uint32_t from = job->f->first[location], to = job->f->first[location + 1];

    for (uint32_t j = to; j > from; j--) {
        uint32_t dst = job->place_of[job->f->nodes[j - 1]];

        at->is_residual = dst == CP_NONE;
        if (at->is_residual)
            continue;
        count_node(s, at, dst);
        at->src = dst;
    }
}

static bool visit_several(const struct job *job, struct share *s,
                          struct step *at, uint32_t location)
{
    uint32_t from = job->f->first[location], to = job->f->first[location + 1];

    at->site = CP_NONE;
    for (uint32_t j = to; j > from; j--) {
        uint32_t dst = job->place_of[job->f->nodes[j - 1]];

        if (dst == CP_NONE)
            at->is_residual = true;
        else if (!visit(job, s, at, dst, j != to))
            return false;
    }
    return true;
}

/* Adds a sample to where it was taken: the node that is its last. */
static void count_flat(const struct job *job, const struct share *s,
                       const struct step *at)
{
    if (at->src == job->n_places || at->is_residual)
        return;
    s->flat[at->src] = cp_add(s->flat[at->src], at->value);
    if (s->divs)
        s->divs[at->src].flat = cp_add(s->divs[at->src].flat, at->div);
}

/*
 * The way through a stack on which only nodes are counted. Tells whether any
 * edge of it could be wanted.
 */
static bool walk_nodes(const struct job *job, const struct share *s,
                       struct step *at, const uint32_t *stack, uint32_t n)
{
    const uint32_t *single = job->single;
    const bool *has_wanted = job->has_wanted;
    bool is_of_interest = job->wants_all;
    struct hot *hot = s->hot;
    uint32_t stamp = at->stamp, last = CP_NONE;
    int64_t value = at->value;

    for (uint32_t k = n; k > 0; k--) {
        uint32_t dst = single[stack[k - 1]];

        if (has_wanted)
            is_of_interest |= has_wanted[stack[k - 1]];
        last = dst;
        if (dst >= SEVERAL) {
            if (dst == SEVERAL)
                count_several(job, s, at, stack[k - 1]);
            continue;
        }
        hot[dst].cum =
            cp_add(hot[dst].cum, value & -(int64_t)(hot[dst].stamp != stamp));
        hot[dst].stamp = stamp;
    }
    if (last != SEVERAL) { /* else `at` tells how that went */
        at->is_residual = last == CP_NONE;
        at->src = at->is_residual ? job->n_places : last;
    }
    count_flat(job, s, at);
    return is_of_interest;
}

/* Counts the calls between n places that were listed. */
static void count_dense(struct share *s, struct step *at,
                        const struct call *calls, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        cp_edge_add_dense(&s->edges, at->src, calls[i].dst, at->stamp,
                          at->value, 0, calls[i].is_residual, false);
        at->src = calls[i].dst;
    }
}

/* Counts one call, from where `at` is, in the hash table. */
static inline bool count_call(struct share *s, const struct step *at,
                              const struct call *c)
{
    uint32_t slot =
        cp_edge_find_call(&s->edges, at->site, at->src, c->dst, &s->err);

    if (slot == CP_NONE)
        return false;
    cp_edge_add_sparse(&s->edges, slot, at->stamp, at->value, 0, c->is_residual,
                       false);
    return true;
}

/* The same for more nodes than a square can have. False when out of memory. */
static bool count_sparse(const struct job *job, struct share *s,
                         struct step *at, const struct call *calls, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (at->src != calls[i].dst && at->src != job->n_places &&
            !count_call(s, at, &calls[i]))
            return false;
        at->src = calls[i].dst;
        at->site = calls[i].site;
    }
    return true;
}

/* The same where only some are wanted: mostly it is on to the next. */
static bool count_few(const struct job *job, struct share *s, struct step *at,
                      const struct call *calls, uint32_t n)
{
    const uint8_t *wanted = job->wanted;
    uint8_t before = at->src == job->n_places ? 0 : wanted[at->src];

    for (uint32_t i = 0; i < n; i++) {
        uint8_t here = wanted[calls[i].dst];

        if (((before & CP_WANT_OUT) || (here & CP_WANT_IN)) &&
            at->src != calls[i].dst && at->src != job->n_places &&
            !count_call(s, at, &calls[i]))
            return false;
        before = here;
        at->src = calls[i].dst;
        at->site = calls[i].site;
    }
    return true;
}

static bool count_calls(const struct job *job, struct share *s, struct step *at,
                        const struct call *calls, uint32_t n)
{
    if (!s->edges.square)
        return job->wants_all ? count_sparse(job, s, at, calls, n)
                              : count_few(job, s, at, calls, n);
    count_dense(s, at, calls, n);
    return true;
}

/*
 * The way through a stack when only calls are counted. Which nodes are kept
 * cannot be guessed, so they are first listed without a branch.
 */
static bool walk_calls(const struct job *job, struct share *s, struct step *at,
                       const uint32_t *stack, uint32_t n)
{
    const uint32_t *single = job->single;
    struct call calls[N_CALLS];
    uint32_t n_calls = 0, is_residual = at->is_residual;

    for (uint32_t k = n; k > 0; k--) {
        uint32_t site = stack[k - 1], dst = single[site];

        if (n_calls == N_CALLS || dst == SEVERAL) {
            if (!count_calls(job, s, at, calls, n_calls))
                return false;
            n_calls = 0;
        }
        if (dst == SEVERAL) {
            at->is_residual = is_residual;
            if (!visit_several(job, s, at, site))
                return false;
            is_residual = at->is_residual;
            continue;
        }
        calls[n_calls] = (struct call){ dst, site, is_residual };
        is_residual = dst == CP_NONE;
        n_calls += !is_residual;
    }
    return count_calls(job, s, at, calls, n_calls);
}

/* Whether any edge of a stack could be wanted. */
static bool is_of_interest(const struct job *job, const uint32_t *stack,
                           uint32_t n)
{
    bool found = job->wants_all;

    for (uint32_t k = 0; !found && k < n; k++)
        found = job->has_wanted[stack[k]];
    return found;
}

/* The way through a stack on which everything is counted, means too. */
static bool walk_both(const struct job *job, struct share *s, struct step *at,
                      const uint32_t *stack, uint32_t n)
{
    for (uint32_t k = n; k > 0; k--) {
        uint32_t dst = job->single[stack[k - 1]];
        bool is_ok = true;

        if (dst < SEVERAL) {
            is_ok = visit(job, s, at, dst, false);
            at->site = stack[k - 1];
        } else if (dst == SEVERAL)
            is_ok = visit_several(job, s, at, stack[k - 1]);
        else
            at->is_residual = true;
        if (!is_ok)
            return false;
    }
    if (s->flat)
        count_flat(job, s, at);
    return true;
}

static bool walk_sample(const struct job *job, struct share *s, uint32_t number)
{
    const struct cp_sample *sample = &job->r->profile->samples[number];
    const uint32_t *stack = job->r->profile->locs + sample->locs;
    uint32_t n = sample->n_locs;
    struct step at = { .src = job->n_places,
                       .stamp = number + 1,
                       .site = CP_NONE };
    struct step first = at;
    bool found;

    at.value = cp_report_sample(job->r, number, &at.div);
    if (at.value == 0 && at.div == 0)
        return true;
    if (s->divs || s->edges.divs)
        return walk_both(job, s, &at, stack, n);
    first.value = at.value;
    found = s->hot ? walk_nodes(job, s, &first, stack, n)
                   : is_of_interest(job, stack, n);
    return !job->wanted || !found || walk_calls(job, s, &at, stack, n);
}

static bool make_sums(const struct job *job, struct share *s, bool has_divs)
{
    uint32_t n = job->n_places;

    s->hot = cp_alloc(n, sizeof(*s->hot), &s->err);
    s->flat = cp_alloc(n, sizeof(*s->flat), &s->err);
    if (has_divs)
        s->divs = cp_alloc(n, sizeof(*s->divs), &s->err);
    return s->hot && s->flat && (!has_divs || s->divs);
}

static bool make_tables(const struct job *job, struct share *s)
{
    uint32_t n = job->n_places;
    bool has_divs = job->r->options.mean;
    enum cp_status status = CP_OK;

    if (!job->want.known && !make_sums(job, s, has_divs))
        return false;
    if (job->wanted && n <= DENSE_MOST)
        status = cp_edge_table_init_dense(&s->edges, n, has_divs, &s->err);
    else if (job->wanted)
        status = cp_edge_table_init(&s->edges, job->r->profile->n_locations,
                                    has_divs, &s->err);
    return status == CP_OK;
}

static void walk_share(void *context, size_t piece)
{
    struct job *job = context;
    struct share *s = &job->shares[piece];

    if (!make_tables(job, s))
        return;
    for (uint32_t i = s->from; i < s->to; i++)
        if (!walk_sample(job, s, i))
            return;
}

static void release_share(struct share *s)
{
    cp_free(s->hot);
    cp_free(s->flat);
    cp_free(s->divs);
    cp_edge_table_release(&s->edges);
}

/* Adds the sums of a share to the result, which is by info. */
static void add_nodes(const struct job *job, const struct share *s,
                      struct cp_walk *w)
{
    for (uint32_t i = 0; w->values && i < job->n_places; i++) {
        uint32_t info = job->info_of[i];
        struct cp_walk_sums *to = &w->values[info];

        to->flat = cp_add(to->flat, s->flat[i]);
        to->cum = cp_add(to->cum, s->hot[i].cum);
        if (!w->divs)
            continue;
        w->divs[info].flat = cp_add(w->divs[info].flat, s->divs[i].flat);
        w->divs[info].cum = cp_add(w->divs[info].cum, s->divs[i].cum);
    }
}

/* Lists the edges of the joined table by info. */
static enum cp_status take_edges(const struct job *job,
                                 const struct cp_edge_table *t,
                                 struct cp_walk *w, struct cp_error *err)
{
    enum cp_status status = cp_edge_table_list(t, &w->edges, &w->n_edges, err);

    for (uint32_t i = 0; status == CP_OK && i < w->n_edges; i++) {
        w->edges[i].src = job->info_of[w->edges[i].src];
        w->edges[i].dst = job->info_of[w->edges[i].dst];
    }
    return status;
}

static enum cp_status join_shares(struct job *job, size_t n, struct cp_walk *w,
                                  struct cp_error *err)
{
    uint32_t n_infos = job->f->n_infos;
    bool has_sums = !job->want.known;
    bool has_divs = has_sums && job->r->options.mean;

    for (size_t i = 0; i < n; i++)
        if (job->shares[i].err.status != CP_OK)
            return cp_error_nomem(err);
    if (has_sums)
        w->values = cp_alloc(n_infos, sizeof(*w->values), err);
    if (has_divs)
        w->divs = cp_alloc(n_infos, sizeof(*w->divs), err);
    if ((has_sums && !w->values) || (has_divs && !w->divs))
        return CP_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        add_nodes(job, &job->shares[i], w);
        if (i > 0 && job->wanted &&
            cp_edge_table_join(&job->shares[0].edges, &job->shares[i].edges,
                               err) != CP_OK)
            return CP_ENOMEM;
    }
    return job->wanted ? take_edges(job, &job->shares[0].edges, w, err) : CP_OK;
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

/* Numbers the nodes that are kept. */
static enum cp_status number_nodes(struct job *job, struct cp_error *err)
{
    uint32_t n = job->f->n_infos;
    const bool *kept = job->want.kept;

    job->place_of = cp_alloc(n, sizeof(*job->place_of), err);
    job->info_of = cp_alloc(n, sizeof(*job->info_of), err);
    if (!job->place_of || !job->info_of)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        job->place_of[i] = CP_NONE;
        if (kept && !kept[i])
            continue;
        job->info_of[job->n_places] = i;
        job->place_of[i] = job->n_places++;
    }
    if (!job->want.edges)
        return CP_OK;
    job->wanted = cp_alloc(job->n_places, sizeof(*job->wanted), err);
    job->wants_all = true;
    for (uint32_t i = 0; job->wanted && i < job->n_places; i++) {
        job->wanted[i] = job->want.edges[job->info_of[i]];
        job->wants_all &= job->wanted[i] == CP_WANT_EDGES;
    }
    return job->wanted ? CP_OK : CP_ENOMEM;
}

static enum cp_status find_singles(struct job *job, struct cp_error *err)
{
    const struct cp_frames *f = job->f;
    uint32_t n = job->r->profile->n_locations;

    job->single = cp_alloc(n, sizeof(*job->single), err);
    for (uint32_t i = 0; job->single && i < n; i++)
        job->single[i] = f->first[i + 1] - f->first[i] > 1
                             ? SEVERAL
                             : job->place_of[f->nodes[f->first[i]]];
    return job->single ? CP_OK : CP_ENOMEM;
}

static enum cp_status find_wanted(struct job *job, struct cp_error *err)
{
    const struct cp_frames *f = job->f;
    uint32_t n = job->r->profile->n_locations;

    if (!job->wanted || job->wants_all)
        return CP_OK;
    job->has_wanted = cp_alloc(n, sizeof(*job->has_wanted), err);
    for (uint32_t l = 0; job->has_wanted && l < n; l++)
        for (uint32_t j = f->first[l]; j < f->first[l + 1]; j++) {
            uint32_t place = job->place_of[f->nodes[j]];

            job->has_wanted[l] |= place != CP_NONE && job->wanted[place];
        }
    return job->has_wanted ? CP_OK : CP_ENOMEM;
}

enum cp_status cp_walk(struct cp_walk *w, const struct cp_report *r,
                       const struct cp_frames *f, struct cp_graph_want want,
                       struct cp_error *err)
{
    struct job job = { .r = r, .f = f, .want = want };
    size_t n_shares = share_out(&job);
    enum cp_status status = number_nodes(&job, err);

    if (status == CP_OK)
        status = find_singles(&job, err);
    if (status == CP_OK)
        status = find_wanted(&job, err);
    if (status == CP_OK) {
        cp_parallel_run(n_shares, walk_share, &job);
        status = join_shares(&job, n_shares, w, err);
    }
    for (size_t i = 0; i < n_shares; i++)
        release_share(&job.shares[i]);
    cp_free(job.place_of);
    cp_free(job.info_of);
    cp_free(job.wanted);
    cp_free(job.single);
    cp_free(job.has_wanted);
    if (status != CP_OK)
        cp_walk_release(w);
    return status;
}

void cp_walk_release(struct cp_walk *w)
{
    cp_free(w->values);
    cp_free(w->divs);
    cp_free(w->edges);
    *w = (struct cp_walk){ 0 };
}
