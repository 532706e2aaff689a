/* merge_samples.c - surveys, writes and deduplicates samples in parallel. */
#include "profile/transform/merge_samples.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/parallel.h"
#include "profile/model/profile.h"
#include "profile/model/stack_pool.h"
#include "profile/transform/filter_names.h"

#define PIECE_SAMPLES 8192
#define RUN_SAMPLES 64    /* samples mapped per batch, sized for the L1 cache */
#define PREFETCH_AHEAD 12 /* samples to prefetch in advance */

/*
 * A range of samples of one source, and the index of its first merged sample.
 */
struct cp_merge_piece {
    uint32_t source, from, to;
    uint32_t first_sample, n_samples;
    uint64_t first_loc, n_locs;
};

bool cp_merge_is_zero(const struct cp_profile *p, uint32_t sample)
{
    const int64_t *values = p->values + (size_t)sample * p->n_types;

    for (uint32_t k = 0; k < p->n_types; k++)
        if (values[k] != 0)
            return false;
    return true;
}

/* Appends locations to the list when they are used for the first time. */
static void note_locations(struct cp_merge_source *s, uint8_t *is_known,
                           const uint32_t *locs, uint64_t n)
{
    for (uint64_t k = 0; k < n; k++) {
        if (is_known[locs[k]])
            continue;
        is_known[locs[k]] = 1;
        s->locations[s->n_locations++] = locs[k];
    }
}

static void note_set(struct cp_merge_source *s, uint32_t set)
{
    if (s->set_of[set])
        return;
    s->set_of[set] = 1;
    s->sets[s->n_sets++] = set;
}

/*
 * Stacks are usually contiguous. Scanning several as one avoids a mispredicted
 * branch at the end of each.
 */
static void survey_piece(struct cp_merge_source *s, uint8_t *is_known,
                         struct cp_merge_piece *e)
{
    const struct cp_profile *p = *s->profile;
    uint64_t first = 0, n = 0; /* contiguous stacks not scanned yet */

    for (uint32_t i = e->from; i < e->to; i++) {
        const struct cp_sample *sample = &p->samples[i];

        if (cp_merge_is_zero(p, i))
            continue;
        if (sample->locs != first + n) {
            note_locations(s, is_known, p->locs + first, n);
            first = sample->locs;
            n = 0;
        }
        n += sample->n_locs;
        note_set(s, sample->label_set);
        e->n_samples++;
        e->n_locs += sample->n_locs;
    }
    note_locations(s, is_known, p->locs + first, n);
}

static void survey_source(void *context, size_t number)
{
    struct cp_merge_samples *m = context;
    struct cp_merge_source *s = &m->sources[number];
    const struct cp_profile *p = *s->profile;
    uint8_t *is_known = cp_alloc(p->n_locations, 1, &s->err);

    s->n_label_sets = p->n_label_sets;
    s->locations = cp_alloc(p->n_locations, sizeof(uint32_t), &s->err);
    s->location_of = cp_alloc(p->n_locations, sizeof(uint32_t), &s->err);
    s->sets = cp_alloc(p->n_label_sets, sizeof(uint32_t), &s->err);
    s->set_of = cp_alloc_table(p->n_label_sets, sizeof(uint32_t), &s->err);
    if (is_known && s->locations && s->location_of && s->sets && s->set_of)
        for (size_t i = s->first_piece; i < s->first_piece + s->n_left; i++)
            survey_piece(s, is_known, &m->pieces[i]);
    cp_free(is_known);
}

static enum cp_status list_pieces(struct cp_merge_samples *m,
                                  struct cp_profile **profiles,
                                  struct cp_error *err)
{
    size_t cap = 0, n = 0;

    for (size_t i = 0; i < m->n_sources; i++)
        cap += profiles[i]->n_samples / PIECE_SAMPLES + 1;
    m->pieces = cp_alloc(cap, sizeof(*m->pieces), err);
    if (!m->pieces)
        return CP_ENOMEM;
    for (size_t i = 0; i < m->n_sources; i++) {
        uint32_t from = 0, all = profiles[i]->n_samples;

        m->sources[i].profile = &profiles[i];
        m->sources[i].first_piece = n;
        do {
            uint32_t to =
                all - from < PIECE_SAMPLES ? all : from + PIECE_SAMPLES;

            m->pieces[n++] = (struct cp_merge_piece){ .source = (uint32_t)i,
                                                      .from = from,
                                                      .to = to };
            m->sources[i].n_left++;
            from = to;
        } while (from < all);
    }
    m->n_pieces = n;
    return CP_OK;
}

enum cp_status cp_merge_scan(struct cp_merge_samples *m,
                             struct cp_profile **profiles, size_t n,
                             struct cp_error *err)
{
    m->n_sources = n;
    m->sources = cp_alloc(n, sizeof(*m->sources), err);
    if (!m->sources || list_pieces(m, profiles, err) != CP_OK)
        return CP_ENOMEM;
    cp_parallel_run(n, survey_source, m);
    for (size_t i = 0; i < n; i++)
        if (m->sources[i].err.status != CP_OK)
            return cp_error_nomem(err);
    return CP_OK;
}

/* Assigns offsets to the stacks of sources that are not in the pool. */
static uint64_t place_stacks(struct cp_merge_samples *m, uint64_t first)
{
    uint64_t n = 0;

    for (size_t i = 0; i < m->n_pieces; i++) {
        m->pieces[i].first_loc = first + n;
        if (!m->sources[m->pieces[i].source].is_in_pool)
            n += m->pieces[i].n_locs;
    }
    return n;
}

/* Whether stacks can stay in the pool and the remaining stacks fit too. */
static bool stay_in_pool(struct cp_merge_samples *m)
{
    const uint32_t *more;
    bool any = false;

    for (size_t i = 0; m->pool && i < m->n_sources; i++) {
        struct cp_merge_source *s = &m->sources[i];

        s->is_in_pool = cp_stack_pool_contains(m->pool, (*s->profile)->locs);
        any |= s->is_in_pool;
    }
    more = any ? cp_stack_pool_alloc(m->pool, place_stacks(m, 0)) : NULL;
    for (size_t i = 0; !more && i < m->n_sources; i++)
        m->sources[i].is_in_pool = false;
    if (!more)
        return false;
    (void)place_stacks(m, (uint64_t)(more - m->pool->locs));
    m->to->locs = m->pool->locs;
    m->to->n_locs = atomic_load(&m->pool->next);
    return true;
}

static enum cp_status make_stack_pool(struct cp_merge_samples *m,
                                      struct cp_error *err)
{
    struct cp_profile *to = m->to;

    if (stay_in_pool(m))
        return CP_OK;
    to->n_locs = place_stacks(m, 0);
    to->locs = cp_arena_alloc(&to->arena, to->n_locs, sizeof(*to->locs), err);
    return to->locs ? CP_OK : CP_ENOMEM;
}

static enum cp_status alloc_samples(struct cp_merge_samples *m,
                                    struct cp_error *err)
{
    struct cp_profile *to = m->to;
    uint64_t n_samples = 0;

    for (size_t i = 0; i < m->n_pieces; i++) {
        m->pieces[i].first_sample = (uint32_t)n_samples;
        n_samples += m->pieces[i].n_samples;
        if (n_samples >= CP_NONE / 4)
            return cp_error_set(err, CP_EFORMAT, "too many samples to merge");
    }
    to->n_samples = (uint32_t)n_samples;
    to->samples =
        cp_arena_alloc(&to->arena, n_samples, sizeof(*to->samples), err);
    to->values = cp_arena_alloc(&to->arena, n_samples * to->n_types,
                                sizeof(*to->values), err);
    m->hashes = cp_alloc(n_samples, sizeof(*m->hashes), err);
    return to->samples && to->values && m->hashes ? make_stack_pool(m, err)
                                                  : CP_ENOMEM;
}

static uint64_t hash_stack(const uint32_t *locs, uint32_t n, uint32_t set)
{
    uint64_t h = (uint64_t)n << 32 | set, a, b;

    for (; n >= 4; n -= 4, locs += 4) {
        memcpy(&a, locs, 8);
        memcpy(&b, locs + 2, 8);
        h = cp_hash_mix(h ^ a, b);
    }
    for (; n > 0; n--)
        h = cp_hash_mix(h, *locs++);
    return h;
}

/* Copies one sample to merged sample g with the stack at `locs`. */
static void write_sample(struct cp_merge_samples *m,
                         const struct cp_merge_source *s, uint32_t number,
                         uint32_t g, const uint32_t *locs)
{
    const struct cp_profile *from = *s->profile;
    const struct cp_sample *sample = &from->samples[number];
    struct cp_profile *to = m->to;
    uint32_t set = s->set_of[sample->label_set];

    to->samples[g] =
        (struct cp_sample){ (uint64_t)(locs - to->locs), sample->n_locs, set };
    m->hashes[g] = hash_stack(locs, sample->n_locs, set);
    memcpy(to->values + (size_t)g * to->n_types,
           from->values + (size_t)number * from->n_types,
           to->n_types * sizeof(*to->values));
}

/*
 * Writes a stack with merged location numbers to `to`, which may equal `stack`.
 */
static void map_stack(const struct cp_merge_source *s, const uint32_t *stack,
                      uint32_t *to, uint64_t n)
{
    const uint32_t *restrict map = s->location_of;

    for (uint64_t k = 0; k < n; k++)
        to[k] = map[stack[k]];
}

/*
 * Counts samples from i that are not all zero and whose stacks are contiguous.
 */
static uint32_t count_run(const struct cp_profile *p, uint32_t i, uint32_t to,
                          uint64_t *n_locs)
{
    uint64_t first = p->samples[i].locs;
    uint32_t n = 0;

    for (*n_locs = 0; n < RUN_SAMPLES && i + n < to; n++) {
        if (p->samples[i + n].locs != first + *n_locs ||
            cp_merge_is_zero(p, i + n))
            break;
        *n_locs += p->samples[i + n].n_locs;
    }
    return n;
}

static void write_piece(struct cp_merge_samples *m, size_t number)
{
    const struct cp_merge_piece *e = &m->pieces[number];
    struct cp_merge_source *s = &m->sources[e->source];
    const struct cp_profile *p = *s->profile;
    uint32_t g = e->first_sample, i = e->from;
    uint32_t *locs = m->to->locs + e->first_loc;

    while (i < e->to) {
        uint64_t n_locs;
        uint32_t n = count_run(p, i, e->to, &n_locs);

        if (s->is_in_pool)
            locs = cp_profile_stack(p, i);
        map_stack(s, cp_profile_stack(p, i), locs, n_locs);
        for (uint32_t end = i + n; i < end; i++) {
            write_sample(m, s, i, g++, locs);
            locs += p->samples[i].n_locs;
        }
        i += n == 0; /* skip a sample whose values are all 0 */
    }
    if (atomic_fetch_sub(&s->n_left, 1) > 1)
        return;
    cp_profile_free(*s->profile);
    *s->profile = NULL;
}

/* State shared between the table thread and the sample workers. */
struct writing {
    struct cp_merge_samples *m;
    cp_merge_step *step;
    void *context;
    atomic_size_t next_piece;
    pthread_mutex_t lock; /* protects the fields below */
    pthread_cond_t changed;
    size_t n_ready; /* number of sources whose tables are merged */
    enum cp_status status;
};

static void merge_all_tables(struct writing *w)
{
    enum cp_status status = CP_OK;

    for (size_t i = 0; status == CP_OK && i < w->m->n_sources; i++) {
        status = w->step(w->context, &w->m->sources[i]);
        (void)pthread_mutex_lock(&w->lock);
        w->n_ready = i + 1;
        w->status = status;
        (void)pthread_cond_broadcast(&w->changed);
        (void)pthread_mutex_unlock(&w->lock);
    }
}

/* Waits until the tables of a source are merged; false if merging failed. */
static bool wait_for_tables(struct writing *w, size_t source)
{
    bool is_ok;

    (void)pthread_mutex_lock(&w->lock);
    while (w->n_ready <= source && w->status == CP_OK)
        (void)pthread_cond_wait(&w->changed, &w->lock);
    is_ok = w->status == CP_OK;
    (void)pthread_mutex_unlock(&w->lock);
    return is_ok;
}

static void write_some(void *context, size_t worker)
{
    struct writing *w = context;
    struct cp_merge_samples *m = w->m;

    if (worker == 0)
        merge_all_tables(w);
    for (;;) {
        size_t piece = atomic_fetch_add(&w->next_piece, 1);

        if (piece >= m->n_pieces ||
            !wait_for_tables(w, m->pieces[piece].source))
            return;
        write_piece(m, piece);
    }
}

static enum cp_status write_all(struct cp_merge_samples *m, cp_merge_step *step,
                                void *context)
{
    struct writing w = { .m = m, .step = step, .context = context };

    (void)pthread_mutex_init(&w.lock, NULL);
    (void)pthread_cond_init(&w.changed, NULL);
    cp_parallel_run(cp_parallel_width(), write_some, &w);
    (void)pthread_cond_destroy(&w.changed);
    (void)pthread_mutex_destroy(&w.lock);
    return w.status;
}

/* Samples are sharded by hash, so that equal samples meet in one shard. */
struct slot {
    uint32_t tag, sample; /* low half of the hash; sample number + 1 */
};

struct shard {
    struct slot *slots;
    uint64_t mask;
    struct cp_error err;
};

struct dedup {
    struct cp_merge_samples *m;
    /* by sample: whether it is the first with its stack and labels */
    bool *keep;
    struct shard shards[CP_PARALLEL_MAX];
    size_t n;
};

static bool belongs_to_shard(const struct dedup *d, size_t shard, uint64_t hash)
{
    return (size_t)((hash >> 32) * d->n >> 32) == shard;
}

static bool same_sample(const struct cp_profile *p, uint32_t a, uint32_t b)
{
    const struct cp_sample *x = &p->samples[a], *y = &p->samples[b];

    return x->n_locs == y->n_locs && x->label_set == y->label_set &&
           memcmp(p->locs + x->locs, p->locs + y->locs,
                  x->n_locs * sizeof(*p->locs)) == 0;
}

/* Adds the values of a sample to the equal sample before it, or inserts it. */
static void enter(struct dedup *d, struct shard *s, uint32_t number)
{
    struct cp_profile *to = d->m->to;
    uint64_t hash = d->m->hashes[number], i = hash & s->mask;
    uint32_t tag = (uint32_t)hash;

    for (; s->slots[i].sample; i = (i + 1) & s->mask)
        if (s->slots[i].tag == tag &&
            same_sample(to, s->slots[i].sample - 1, number))
            break;
    if (!s->slots[i].sample) {
        s->slots[i] = (struct slot){ tag, number + 1 };
        return;
    }
    int64_t *sum = to->values + (size_t)(s->slots[i].sample - 1) * to->n_types;
    const int64_t *more = to->values + (size_t)number * to->n_types;
    for (uint32_t k = 0; k < to->n_types; k++)
        sum[k] = (int64_t)((uint64_t)sum[k] + (uint64_t)more[k]);
    d->keep[number] = false;
}

static void find_equal(void *context, size_t number)
{
    struct dedup *d = context;
    struct shard *s = &d->shards[number];
    const uint64_t *hashes = d->m->hashes;
    uint32_t all = d->m->to->n_samples;
    uint64_t n = 0, n_slots = 64;

    for (uint32_t i = 0; i < all; i++)
        n += belongs_to_shard(d, number, hashes[i]);
    while (n_slots < n * 2)
        n_slots *= 2;
    s->slots = cp_alloc_table(n_slots, sizeof(*s->slots), &s->err);
    s->mask = n_slots - 1;
    if (!s->slots)
        return;
    for (uint32_t i = 0; i < all; i++) {
        if (i + PREFETCH_AHEAD < all &&
            belongs_to_shard(d, number, hashes[i + PREFETCH_AHEAD]))
            __builtin_prefetch(&s->slots[hashes[i + PREFETCH_AHEAD] & s->mask]);
        if (belongs_to_shard(d, number, hashes[i]))
            enter(d, s, i);
    }
    cp_free(s->slots);
}

static enum cp_status merge_equal_samples(struct cp_merge_samples *m,
                                          struct cp_error *err)
{
    struct dedup d = { .m = m, .n = cp_parallel_width() };
    uint32_t n = m->to->n_samples;
    enum cp_status status = CP_OK;

    d.keep = cp_alloc(n, sizeof(*d.keep), err);
    if (!d.keep)
        return CP_ENOMEM;
    memset(d.keep, true, n);
    if (n < PIECE_SAMPLES)
        d.n = 1;
    cp_parallel_run(d.n, find_equal, &d);
    for (size_t i = 0; i < d.n; i++)
        if (d.shards[i].err.status != CP_OK)
            status = cp_error_nomem(err);
    if (status == CP_OK)
        cp_filter_keep(m->to, d.keep);
    cp_free(d.keep);
    return status;
}

enum cp_status cp_merge_write(struct cp_merge_samples *m, struct cp_profile *to,
                              cp_merge_step *step, void *context,
                              struct cp_error *err)
{
    enum cp_status status;

    m->to = to;
    status = alloc_samples(m, err);
    if (status == CP_OK)
        status = write_all(m, step, context);
    return status == CP_OK ? merge_equal_samples(m, err) : status;
}

void cp_merge_samples_release(struct cp_merge_samples *m)
{
    for (size_t i = 0; m->sources && i < m->n_sources; i++) {
        cp_free(m->sources[i].locations);
        cp_free(m->sources[i].location_of);
        cp_free(m->sources[i].sets);
        cp_free(m->sources[i].set_of);
    }
    cp_free(m->sources);
    cp_free(m->pieces);
    cp_free(m->hashes);
    *m = (struct cp_merge_samples){ 0 };
}
