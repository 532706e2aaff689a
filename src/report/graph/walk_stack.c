/*
 * walk_stack.c - the inner loop: counts the nodes and calls of each stack.
 *
 * A stamp (the sample's number) marks what this sample has already counted, so
 * nothing is cleared between samples. Usually one pass over a stack counts
 * nodes, and a second pass counts calls, only for stacks with wanted edges.
 */
#include "report/graph/walk_stack.h"

#include "report/graph/walk.h"

#define N_CALLS 128 /* calls listed at once */

/*
 * Calls of a stack, by node index. Separate arrays, because gcc would combine
 * two adjacent members before the store, which is slower.
 */
struct calls {
    uint32_t n;
    uint32_t dst[N_CALLS], site[N_CALLS];
    uint8_t marks[N_CALLS];
};

/* State of the walk of a sample from root to leaf. */
struct step {
    uint32_t src, stamp; /* src is n_kept before the first node */
    uint32_t site;       /* location of src if src is its only node */
    int64_t value, div;
    bool is_residual;
};

/* Counts a node, unless its sums are known. */
static inline void count_node(const struct cp_walk_share *s,
                              const struct step *at, uint32_t place)
{
    struct cp_walk_hot *node;
    int64_t is_new;

    if (!s->hot)
        return;
    node = &s->hot[place];
    is_new = -(int64_t)(node->stamp != at->stamp);
    node->stamp = at->stamp;
    node->cum = cp_add(node->cum, at->value & is_new);
    if (s->divs)
        s->divs[place].cum = cp_add(s->divs[place].cum, at->div & is_new);
}

static inline bool is_wanted(const struct cp_walk_job *job, uint32_t src,
                             uint32_t dst)
{
    return src != job->n_kept && src != dst &&
           (job->wants_all || (job->wanted[src] & CP_WANT_OUT) ||
            (job->wanted[dst] & CP_WANT_IN));
}

/*
 * Counts the call from the current node. Returns false if memory is exhausted.
 */
static bool count_call(struct cp_walk_share *s, const struct step *at,
                       uint32_t dst, uint8_t marks)
{
    struct cp_edge_table *t = &s->edges;
    size_t place = t->square
                       ? (size_t)at->src * t->n_nodes + dst
                       : cp_edge_find_call(t, at->site, at->src, dst, &s->err);

    if (!t->square && place == CP_NONE)
        return false;
    cp_edge_count_div(t, place, t->square ? &t->square[place] : &t->sums[place],
                      at->stamp, at->value, at->div, marks);
    return true;
}

/* Moves to a node. Returns false if memory is exhausted. */
static bool move_to(const struct cp_walk_job *job, struct cp_walk_share *s,
                    struct step *at, uint32_t dst, bool is_inline)
{
    uint8_t marks = (at->is_residual ? CP_EDGE_RESIDUAL : 0) |
                    (is_inline ? 0 : CP_EDGE_CALLED);

    count_node(s, at, dst);
    if ((s->edges.square || (job->wanted && is_wanted(job, at->src, dst))) &&
        !count_call(s, at, dst, marks))
        return false;
    at->src = dst;
    at->is_residual = false;
    return true;
}

/* Counts the nodes of a location with several nodes, without calls. */
static void count_several(const struct cp_walk_job *job,
                          const struct cp_walk_share *s, struct step *at,
                          uint32_t location)
{
    uint32_t from = job->f->first[location], to = job->f->first[location + 1];

    for (uint32_t j = to; j > from; j--) {
        uint32_t dst = job->index_of[job->f->nodes[j - 1]];

        at->is_residual = dst == CP_NONE;
        if (at->is_residual)
            continue;
        count_node(s, at, dst);
        at->src = dst;
    }
}

static bool visit_several(const struct cp_walk_job *job,
                          struct cp_walk_share *s, struct step *at,
                          uint32_t location)
{
    uint32_t from = job->f->first[location], to = job->f->first[location + 1];

    at->site = CP_NONE;
    for (uint32_t j = to; j > from; j--) {
        uint32_t dst = job->index_of[job->f->nodes[j - 1]];

        if (dst == CP_NONE)
            at->is_residual = true;
        else if (!move_to(job, s, at, dst, j != to))
            return false;
    }
    return true;
}

/* Adds a sample's value to the flat sum of its last node. */
static void count_flat(const struct cp_walk_job *job,
                       const struct cp_walk_share *s, const struct step *at)
{
    if (at->src == job->n_kept || at->is_residual)
        return;
    s->flat[at->src] = cp_add(s->flat[at->src], at->value);
    if (s->divs)
        s->divs[at->src].flat = cp_add(s->divs[at->src].flat, at->div);
}

/*
 * Counts the nodes of a stack, without calls. Returns whether one of its edges
 * may be wanted.
 */
static bool walk_nodes(const struct cp_walk_job *job,
                       const struct cp_walk_share *s, struct step *at,
                       const uint32_t *stack, uint32_t n)
{
    const uint32_t *single = job->single;
    uint32_t has_wanted_edges = job->wants_all;
    struct cp_walk_hot *hot = s->hot;
    uint32_t stamp = at->stamp, last = CP_NONE;
    int64_t value = at->value;

    for (uint32_t k = n; k > 0; k--) {
        uint32_t dst = single[stack[k - 1]];

        last = dst;
        if (dst >= CP_WALK_SEVERAL) {
            if (job->has_wanted)
                has_wanted_edges |= job->has_wanted[stack[k - 1]];
            if (dst == CP_WALK_SEVERAL)
                count_several(job, s, at, stack[k - 1]);
            continue;
        }
        has_wanted_edges |= hot[dst].is_wanted;
        hot[dst].cum =
            cp_add(hot[dst].cum, value & -(int64_t)(hot[dst].stamp != stamp));
        hot[dst].stamp = stamp;
    }
    if (last != CP_WALK_SEVERAL) { /* otherwise `at` holds the last node */
        at->is_residual = last == CP_NONE;
        at->src = at->is_residual ? job->n_kept : last;
    }
    count_flat(job, s, at);
    return has_wanted_edges != 0;
}

/* Counts the listed calls in the matrix. */
static void count_dense(struct cp_walk_share *s, struct step *at,
                        const struct calls *calls)
{
    struct cp_edge_sum *square = s->edges.square;
    size_t width = s->edges.n_nodes;
    uint32_t src = at->src, stamp = at->stamp;
    int64_t value = at->value;

    for (uint32_t i = 0; i < calls->n; i++) {
        cp_edge_count(&square[src * width + calls->dst[i]], stamp, value,
                      calls->marks[i]);
        src = calls->dst[i];
    }
    at->src = src;
}

/*
 * Counts the listed calls in the hash table. Returns false if memory is
 * exhausted.
 */
static bool count_sparse(const struct cp_walk_job *job, struct cp_walk_share *s,
                         struct step *at, const struct calls *calls)
{
    const struct step first = *at;
    uint32_t src = at->src, site = at->site;

    for (uint32_t i = 0; i < calls->n; i++) {
        uint32_t dst = calls->dst[i], edge;

        if (src != dst && src != job->n_kept) {
            edge = cp_edge_find_call(&s->edges, site, src, dst, &s->err);
            if (edge == CP_NONE)
                return false;
            cp_edge_count(&s->edges.sums[edge], first.stamp, first.value,
                          calls->marks[i]);
        }
        src = dst;
        site = calls->site[i];
    }
    at->src = src;
    at->site = site;
    return true;
}

/* Counts the wanted ones of the listed calls; most are skipped. */
static bool count_wanted(const struct cp_walk_job *job, struct cp_walk_share *s,
                         struct step *at, const struct calls *calls)
{
    for (uint32_t i = 0; i < calls->n; i++) {
        if (is_wanted(job, at->src, calls->dst[i]) &&
            !count_call(s, at, calls->dst[i], calls->marks[i]))
            return false;
        at->src = calls->dst[i];
        at->site = calls->site[i];
    }
    return true;
}

static bool count_calls(const struct cp_walk_job *job, struct cp_walk_share *s,
                        struct step *at, const struct calls *calls)
{
    if (!s->edges.square)
        return job->wants_all ? count_sparse(job, s, at, calls)
                              : count_wanted(job, s, at, calls);
    count_dense(s, at, calls);
    return true;
}

/*
 * Lists the calls from position *k of a stack towards its leaf, until the list
 * is full or a location has several nodes. Has no branch on whether a node is
 * kept, because it would be mispredicted.
 */
static void list_calls(const uint32_t *single, const uint32_t *stack,
                       uint32_t *k, bool *is_residual, struct calls *calls)
{
    uint32_t n = 0, at = *k, is_left_out = *is_residual;

    for (; at > 0 && n < N_CALLS; at--) {
        uint32_t site = stack[at - 1], dst = single[site];

        if (dst == CP_WALK_SEVERAL)
            break;
        calls->dst[n] = dst;
        calls->site[n] = site;
        calls->marks[n] = (uint8_t)(CP_EDGE_CALLED | is_left_out);
        is_left_out = dst == CP_NONE;
        n += !is_left_out;
    }
    *k = at;
    *is_residual = is_left_out;
    calls->n = n;
}

/* Counts only the calls of a stack. */
static bool walk_calls(const struct cp_walk_job *job, struct cp_walk_share *s,
                       struct step *at, const uint32_t *stack, uint32_t n)
{
    struct calls calls;
    uint32_t k = n;

    while (k > 0) {
        list_calls(job->single, stack, &k, &at->is_residual, &calls);
        if (!count_calls(job, s, at, &calls))
            return false;
        if (k == 0 || job->single[stack[k - 1]] != CP_WALK_SEVERAL)
            continue;
        if (!visit_several(job, s, at, stack[--k]))
            return false;
    }
    return true;
}

/*
 * Like walk_calls, if few edges are wanted and every location has one kept
 * node: visits only the neighbours of wanted nodes.
 */
static bool walk_wanted(const struct cp_walk_job *job, struct cp_walk_share *s,
                        struct step *at, const uint32_t *stack, uint32_t n)
{
    for (uint32_t k = n; k > 0; k--) {
        uint32_t here;

        if (!job->has_wanted[stack[k - 1]])
            continue;
        here = job->single[stack[k - 1]];
        if (k < n) {
            at->site = stack[k];
            at->src = job->single[at->site];
            if (is_wanted(job, at->src, here) &&
                !count_call(s, at, here, CP_EDGE_CALLED))
                return false;
        }
        if (k > 1) {
            uint32_t next = job->single[stack[k - 2]];

            at->site = stack[k - 1];
            at->src = here;
            if (is_wanted(job, here, next) &&
                !count_call(s, at, next, CP_EDGE_CALLED))
                return false;
        }
    }
    return true;
}

/* Whether an edge of the stack may be wanted. */
static bool has_wanted_edges(const struct cp_walk_job *job,
                             const uint32_t *stack, uint32_t n)
{
    bool found = job->wants_all;

    for (uint32_t k = 0; !found && k < n; k++)
        found = job->has_wanted[stack[k]];
    return found;
}

/* Counts nodes and calls in one pass; supports means. */
static bool walk_both(const struct cp_walk_job *job, struct cp_walk_share *s,
                      struct step *at, const uint32_t *stack, uint32_t n)
{
    for (uint32_t k = n; k > 0; k--) {
        uint32_t dst = job->single[stack[k - 1]];
        bool is_ok = true;

        if (dst < CP_WALK_SEVERAL) {
            is_ok = move_to(job, s, at, dst, false);
            at->site = stack[k - 1];
        } else if (dst == CP_WALK_SEVERAL)
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

static bool walk_sample(const struct cp_walk_job *job, struct cp_walk_share *s,
                        uint32_t number)
{
    const struct cp_sample *sample = &job->r->profile->samples[number];
    const uint32_t *stack = job->r->profile->locs + sample->locs;
    uint32_t n = sample->n_locs;
    struct step at = { .src = job->n_kept,
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
                   : has_wanted_edges(job, stack, n);
    if (!job->wanted || !found)
        return true;
    return job->has_wanted && job->is_plain ? walk_wanted(job, s, &at, stack, n)
                                            : walk_calls(job, s, &at, stack, n);
}

void cp_walk_stacks(const struct cp_walk_job *job, struct cp_walk_share *s)
{
    const struct cp_profile *p = job->r->profile;

    for (uint32_t i = s->from; i < s->to; i++) {
        const char *ahead = (const char *)(p->locs + p->samples[i].locs) + 1024;

        __builtin_prefetch(ahead);
        __builtin_prefetch(ahead + 64);
        __builtin_prefetch(ahead + 128);
        if (!walk_sample(job, s, i))
            return;
    }
}
