/*
 * walk.c - distributes samples over threads and joins their sums.
 *
 * Each thread repeatedly claims a range of samples and sums into its own
 * tables. Sums do not depend on order, so joining the tables gives the same
 * result for any number of threads. walk_stack.c holds the work of a thread.
 *
 * Dropped nodes have no index in the tables. Kept nodes get new, dense indexes,
 * so that few nodes mean small tables. Up to MAX_DENSE_NODES nodes the edges
 * are a square matrix (walk_edges.h), which needs no search and no
 * unpredictable branch; above that they are a hash table.
 */
#include "report/graph/walk.h"

#include "base/alloc.h"
#include "report/graph/walk_stack.h"

#define MIN_SHARE_SAMPLES 4096 /* minimum samples for a thread */
#define CLAIM_SAMPLES                                                          \
    1024 /* samples claimed at a time; a slower core claims fewer ranges */
#define MAX_DENSE_NODES 256 /* nodes; 1 MB of edges per thread */

static bool make_sums(const struct cp_walk_job *job, struct cp_walk_share *s,
                      bool has_divs)
{
    uint32_t n = job->n_kept;

    s->hot = cp_alloc(n, sizeof(*s->hot), &s->err);
    s->flat = cp_alloc(n, sizeof(*s->flat), &s->err);
    if (has_divs)
        s->divs = cp_alloc(n, sizeof(*s->divs), &s->err);
    for (uint32_t i = 0; s->hot && job->has_wanted && i < n; i++)
        s->hot[i].is_wanted = job->wanted[i] != 0;
    return s->hot && s->flat && (!has_divs || s->divs);
}

static bool make_tables(const struct cp_walk_job *job, struct cp_walk_share *s)
{
    uint32_t n = job->n_kept;
    bool has_divs = job->r->options.mean;
    enum cp_status status = CP_OK;

    if (!job->want.known && !make_sums(job, s, has_divs))
        return false;
    if (job->wanted && n <= MAX_DENSE_NODES)
        status = cp_edge_table_init_dense(&s->edges, n, has_divs, &s->err);
    else if (job->wanted)
        status = cp_edge_table_init(&s->edges, job->r->profile->n_locations,
                                    has_divs, &s->err);
    return status == CP_OK;
}

/* Claims the next samples for a share; false if none are left. */
static bool claim_samples(struct cp_walk_job *job, struct cp_walk_share *s)
{
    uint32_t n = job->r->profile->n_samples;
    uint64_t from = atomic_fetch_add(&job->next, CLAIM_SAMPLES);

    if (from >= n)
        return false;
    s->from = (uint32_t)from;
    s->to = n - s->from > CLAIM_SAMPLES ? s->from + CLAIM_SAMPLES : n;
    return true;
}

static void walk_share(void *context, size_t piece)
{
    struct cp_walk_job *job = context;
    struct cp_walk_share *s = &job->shares[piece];

    if (!make_tables(job, s))
        return;
    while (s->err.status == CP_OK && claim_samples(job, s))
        cp_walk_stacks(job, s);
}

static void release_share(struct cp_walk_share *s)
{
    cp_free(s->hot);
    cp_free(s->flat);
    cp_free(s->divs);
    cp_edge_table_release(&s->edges);
}

/* Adds the sums of a share to the result, which is by info. */
static void add_nodes(const struct cp_walk_job *job,
                      const struct cp_walk_share *s, struct cp_walk *w)
{
    for (uint32_t i = 0; w->values && i < job->n_kept; i++) {
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
static enum cp_status list_edges(const struct cp_walk_job *job,
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

static enum cp_status join_shares(struct cp_walk_job *job, size_t n,
                                  struct cp_walk *w, struct cp_error *err)
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
    return job->wanted ? list_edges(job, &job->shares[0].edges, w, err) : CP_OK;
}

static size_t count_shares(const struct cp_profile *p)
{
    size_t max_threads = p->n_samples / MIN_SHARE_SAMPLES,
           n = cp_parallel_width();

    if (max_threads == 0)
        return 1;
    return n < max_threads ? n : max_threads;
}

/* Assigns indexes to the kept nodes. */
static enum cp_status number_nodes(struct cp_walk_job *job,
                                   struct cp_error *err)
{
    uint32_t n = job->f->n_infos;
    const bool *kept = job->want.kept;

    job->index_of = cp_alloc(n, sizeof(*job->index_of), err);
    job->info_of = cp_alloc(n, sizeof(*job->info_of), err);
    if (!job->index_of || !job->info_of)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        job->index_of[i] = CP_NONE;
        if (kept && !kept[i])
            continue;
        job->info_of[job->n_kept] = i;
        job->index_of[i] = job->n_kept++;
    }
    if (!job->want.edges)
        return CP_OK;
    job->wanted = cp_alloc(job->n_kept, sizeof(*job->wanted), err);
    job->wants_all = true;
    for (uint32_t i = 0; job->wanted && i < job->n_kept; i++) {
        job->wanted[i] = job->want.edges[job->info_of[i]];
        job->wants_all &= job->wanted[i] == CP_WANT_EDGES;
    }
    return job->wanted ? CP_OK : CP_ENOMEM;
}

static enum cp_status find_singles(struct cp_walk_job *job,
                                   struct cp_error *err)
{
    const struct cp_frames *f = job->f;
    uint32_t n = job->r->profile->n_locations;

    job->single = cp_alloc(n, sizeof(*job->single), err);
    job->is_plain = true;
    for (uint32_t i = 0; job->single && i < n; i++) {
        job->single[i] = f->first[i + 1] - f->first[i] > 1
                             ? CP_WALK_SEVERAL
                             : job->index_of[f->nodes[f->first[i]]];
        job->is_plain &= job->single[i] < CP_WALK_SEVERAL;
    }
    return job->single ? CP_OK : CP_ENOMEM;
}

static enum cp_status find_wanted(struct cp_walk_job *job, struct cp_error *err)
{
    const struct cp_frames *f = job->f;
    uint32_t n = job->r->profile->n_locations;

    if (!job->wanted || job->wants_all)
        return CP_OK;
    job->has_wanted = cp_alloc(n, sizeof(*job->has_wanted), err);
    for (uint32_t l = 0; job->has_wanted && l < n; l++)
        for (uint32_t j = f->first[l]; j < f->first[l + 1]; j++) {
            uint32_t place = job->index_of[f->nodes[j]];

            job->has_wanted[l] |= place != CP_NONE && job->wanted[place];
        }
    return job->has_wanted ? CP_OK : CP_ENOMEM;
}

enum cp_status cp_walk(struct cp_walk *w, const struct cp_report *r,
                       const struct cp_frames *f, struct cp_graph_want want,
                       struct cp_error *err)
{
    struct cp_walk_job job = { .r = r, .f = f, .want = want };
    size_t n_shares = count_shares(r->profile);
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
    cp_free(job.index_of);
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
