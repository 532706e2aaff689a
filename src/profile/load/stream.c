/*
 * stream.c - the buffer ring, its producer and its consumers.
 *
 *   source -> free buffer -> filled, cut after a field -> queue -> decoded ->
 *   free buffer
 *
 * The producer cuts each buffer after its last complete field and copies the
 * rest to the next buffer. It collects all fields other than samples and
 * decodes them at the end, while other threads still decode samples. If no
 * buffer is free, the producer decodes one itself, so a single thread makes
 * progress too.
 *
 * The locations follow the samples, so their ids cannot be resolved yet. Stacks
 * hold id - 1, as if locations were numbered 1, 2, 3 in file order. They
 * usually are, and then the stacks are final; otherwise all stacks are
 * rewritten at the end.
 *
 * Samples are stored in file order. Stacks are not: each worker allocates a
 * chunk of the stack array and fills it.
 *
 * Locking: `lock` protects the queue, the free list and the counters below it
 * in struct stream; `changed` is signalled when a buffer is queued or freed.
 * Decoding holds no lock.
 */
#include "profile/load/stream.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "profile/codec/decode.h"
#include "profile/codec/decode_samples.h"
#include "profile/codec/decode_scan.h"
#include "profile/codec/sample_reader.h"
#include "profile/codec/varints.h"
#include "profile/load/stream_source.h"
#include "profile/model/idmap.h"
#include "profile/model/profile.h"
#include "profile/model/stack_pool.h"

#define N_BUFFERS 8
#define CHUNK_BUFFERS 16 /* buffers whose stacks fit one chunk */

/* A part of the message: complete fields, most of them samples. */
struct buffer {
    uint8_t *bytes;
    size_t len;
    uint32_t first_sample, n_samples;
    struct buffer *next; /* link of the queue or the free list */
};

struct worker {
    struct cp_sample_reader reader;
    uint64_t next_loc, end_loc; /* unused part of the worker's chunk */
};

struct stream {
    struct cp_stream_source *source;
    struct cp_profile *profile;
    struct cp_stack_pool *pool;
    size_t buffer_bytes;
    /* sample types so far; the profile's are decoded at the end */
    uint32_t n_types;
    uint64_t cap_samples, cap_locs;
    uint64_t chunk;
    atomic_uint_fast64_t next_loc; /* start of the next chunk */
    struct buffer buffers[N_BUFFERS];
    struct worker workers[CP_PARALLEL_MAX];
    size_t n_workers;
    struct cp_varints varints;
    uint8_t *tables; /* all fields except samples */
    size_t tables_len, tables_cap;

    pthread_mutex_t lock; /* protects the fields below */
    pthread_cond_t changed;
    struct buffer *free, *first, *last;
    size_t n_decoding; /* number of buffers being decoded */
    bool is_closed, has_failed;
    struct cp_raw_run *runs; /* which worker decoded which samples */
    size_t n_runs, cap_runs;
};

static void fail(struct stream *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->has_failed = true;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

/*
 * Removes the first buffer of the queue for a worker; NULL if empty. Lock held.
 */
static struct buffer *dequeue(struct stream *s, size_t worker)
{
    struct buffer *b = s->first;

    if (!b)
        return NULL;
    if (cp_reserve(&s->runs, &s->cap_runs, s->n_runs + 1, sizeof(*s->runs),
                   NULL) != CP_OK) {
        s->has_failed = true;
        return NULL;
    }
    s->first = b->next;
    s->n_decoding++;
    s->runs[s->n_runs++] =
        (struct cp_raw_run){ b->first_sample, b->first_sample + b->n_samples,
                             (uint32_t)worker };
    return b;
}

static void free_buffer(struct stream *s, struct buffer *b, bool is_decoded)
{
    (void)pthread_mutex_lock(&s->lock);
    s->n_decoding -= is_decoded;
    b->next = s->free;
    s->free = b;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

/* Ensures that the worker's chunk has space for the stacks of `len` bytes. */
static bool reserve_stacks(struct stream *s, struct worker *w, size_t len)
{
    if (w->end_loc - w->next_loc >= len)
        return true;
    w->next_loc = atomic_fetch_add(&s->next_loc, s->chunk);
    w->end_loc = w->next_loc + s->chunk;
    return w->end_loc <= s->cap_locs;
}

static bool decode(struct stream *s, size_t worker, const struct buffer *b)
{
    struct worker *w = &s->workers[worker];
    struct cp_wire wire = { b->bytes, b->bytes + b->len };
    struct cp_wire_field f;
    uint32_t number = b->first_sample;

    if (!reserve_stacks(s, w, b->len))
        return false;
    w->reader.profile = s->profile;
    w->reader.n_types = s->n_types;
    w->reader.varints = &s->varints;
    while (wire.pos < wire.end) {
        if (!cp_wire_field(&wire, &f))
            return false;
        if (f.number == CP_SCAN_SAMPLE &&
            cp_sample_read(&w->reader, f.bytes, number++, &w->next_loc) !=
                CP_OK)
            return false;
    }
    return cp_raw_labels_flush(&w->reader.labels, &w->reader.err) == CP_OK;
}

static void decode_and_free(struct stream *s, size_t worker, struct buffer *b)
{
    if (!decode(s, worker, b))
        fail(s);
    free_buffer(s, b, true);
}

static void consume(struct stream *s, size_t worker)
{
    struct buffer *b;

    do {
        (void)pthread_mutex_lock(&s->lock);
        while (!s->first && !s->is_closed && !s->has_failed)
            (void)pthread_cond_wait(&s->changed, &s->lock);
        b = s->has_failed ? NULL : dequeue(s, worker);
        (void)pthread_mutex_unlock(&s->lock);
        if (b)
            decode_and_free(s, worker, b);
    } while (b);
}

/* Returns a buffer to fill; NULL after a failure. The producer is worker 0. */
static struct buffer *wait_for_buffer(struct stream *s)
{
    struct buffer *b = NULL, *work = NULL;

    do {
        (void)pthread_mutex_lock(&s->lock);
        while (!s->free && !s->first && !s->has_failed)
            (void)pthread_cond_wait(&s->changed, &s->lock);
        b = s->has_failed ? NULL : s->free;
        if (b)
            s->free = b->next;
        work = b || s->has_failed ? NULL : dequeue(s, 0);
        (void)pthread_mutex_unlock(&s->lock);
        if (work)
            decode_and_free(s, 0, work);
    } while (work);
    return b;
}

static void push(struct stream *s, struct buffer *b)
{
    (void)pthread_mutex_lock(&s->lock);
    b->next = NULL;
    if (s->first)
        s->last->next = b;
    else
        s->first = b;
    s->last = b;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

/* Allocates the stack array; a single thread gets one chunk. */
static bool alloc_stacks(struct stream *s, size_t len)
{
    struct cp_profile *p = s->profile;

    s->chunk = s->n_workers > 1 ? s->buffer_bytes * CHUNK_BUFFERS
                                : len + s->buffer_bytes;
    s->cap_locs = s->chunk;
    if (s->n_workers > 1)
        s->cap_locs *= len / (s->chunk - s->buffer_bytes) + 1 + s->n_workers;
    p->locs = s->pool ? cp_stack_pool_alloc(s->pool, s->cap_locs) : NULL;
    if (!p->locs)
        p->locs =
            cp_arena_alloc(&p->arena, s->cap_locs, sizeof(*p->locs), NULL);
    return p->locs != NULL;
}

/*
 * Allocates space for as many samples as the bytes can hold; untouched pages
 * cost nothing. A sample has at least a key, a length and one byte per value,
 * with a key before each, or a key and a length before all.
 */
static bool alloc_samples(struct stream *s)
{
    struct cp_profile *p = s->profile;
    size_t len = cp_stream_source_len(s->source), n = s->n_types;

    if (n == 0 || n > CP_MAX_TYPES)
        return false;
    s->cap_samples = len / (2 + (n < 2 ? 2 : n + 2)) + 1;
    p->samples =
        cp_arena_alloc(&p->arena, s->cap_samples, sizeof(*p->samples), NULL);
    p->values =
        cp_arena_alloc(&p->arena, s->cap_samples * n, sizeof(*p->values), NULL);
    return p->samples && p->values && s->cap_samples < CP_NONE &&
           alloc_stacks(s, len);
}

/* Stores a field that is not a sample until the end. */
static bool keep_field(struct stream *s, const uint8_t *from, const uint8_t *to,
                       uint64_t field)
{
    size_t len = (size_t)(to - from);

    if (field == CP_SCAN_TYPE) {
        if (s->profile->n_samples > 0)
            return false; /* earlier samples were decoded with fewer values */
        s->n_types++;
    }
    if (cp_reserve(&s->tables, &s->tables_cap, s->tables_len + len, 1, NULL) !=
        CP_OK)
        return false;
    memcpy(s->tables + s->tables_len, from, len);
    s->tables_len += len;
    return true;
}

/* Finds the complete fields among `have` bytes of a buffer; sets its length. */
static bool cut(struct stream *s, struct buffer *b, size_t have)
{
    struct cp_profile *p = s->profile;
    struct cp_wire w = { b->bytes, b->bytes + have };
    const uint8_t *from = w.pos;
    struct cp_wire_field f;

    b->first_sample = p->n_samples;
    for (; w.pos < w.end && cp_wire_field(&w, &f); from = w.pos) {
        if (f.number != CP_SCAN_SAMPLE) {
            if (!keep_field(s, from, w.pos, f.number))
                return false;
            continue;
        }
        if (f.type != CP_WIRE_BYTES ||
            (p->n_samples == 0 && !alloc_samples(s)) ||
            p->n_samples == s->cap_samples)
            return false;
        p->n_samples++;
    }
    b->len = (size_t)(from - b->bytes);
    b->n_samples = p->n_samples - b->first_sample;
    return true;
}

/* Fills one buffer; *rest bytes at its end belong to the next. */
static bool fill(struct stream *s, struct buffer *b, uint8_t *carry,
                 size_t *rest, bool *is_last)
{
    size_t room = s->buffer_bytes - *rest, got;

    if (room == 0)
        return false; /* a field is larger than a buffer */
    memcpy(b->bytes, carry, *rest);
    if (!cp_stream_source_read(s->source, b->bytes + *rest, room, &got) ||
        !cut(s, b, *rest + got))
        return false;
    *rest = *rest + got - b->len;
    memcpy(carry, b->bytes + b->len, *rest);
    *is_last = got < room;
    return !*is_last || *rest == 0;
}

static void produce(struct stream *s)
{
    uint8_t *carry = cp_alloc(s->buffer_bytes, 1, NULL);
    bool is_ok = carry != NULL, is_last = false;
    struct buffer *b = NULL;
    size_t rest = 0;

    while (is_ok && !is_last && (b = wait_for_buffer(s)) != NULL) {
        is_ok = fill(s, b, carry, &rest, &is_last);
        if (is_ok && b->n_samples > 0)
            push(s, b);
        else
            free_buffer(s, b, false);
    }
    cp_free(carry);
    if (!is_ok)
        fail(s);
    (void)pthread_mutex_lock(&s->lock);
    s->is_closed = true;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

/* Context of map_run. */
struct mapping {
    const struct stream *s;
    const uint32_t *index_of; /* location index by id - 1 */
    atomic_bool is_missing;
};

/* Maps the stacks of a run. They are contiguous, so one loop maps them all. */
static void map_run(void *context, size_t number)
{
    struct mapping *m = context;
    const struct cp_profile *p = m->s->profile;
    const struct cp_raw_run *run = &m->s->runs[number];
    const uint32_t *restrict index_of = m->index_of;
    const struct cp_sample *last = &p->samples[run->to - 1];
    uint32_t *at = cp_profile_stack(p, run->from);
    const uint32_t *end = p->locs + last->locs + last->n_locs;
    uint32_t is_missing = 0;

    for (; at < end; at++) {
        *at = index_of[*at];
        is_missing |= *at == CP_NONE;
    }
    if (is_missing)
        atomic_store(&m->is_missing, true);
}

/*
 * Resolves all ids. Fails if the ids are sparse; the caller then decodes the
 * whole file.
 */
static bool map_locations(struct stream *s, const struct cp_idmap *ids,
                          uint32_t max_loc)
{
    struct mapping m = { .s = s };
    uint32_t *index_of;

    if (max_loc / 16 > s->profile->n_locations)
        return false;
    index_of = cp_alloc((size_t)max_loc + 1, sizeof(*index_of), NULL);
    for (uint32_t i = 0; index_of && i <= max_loc; i++)
        index_of[i] = cp_idmap_find(ids, (uint64_t)i + 1);
    m.index_of = index_of;
    if (index_of && s->n_workers > 1)
        cp_parallel_run(s->n_runs, map_run, &m);
    for (size_t i = 0; index_of && s->n_workers == 1 && i < s->n_runs; i++)
        map_run(&m, i); /* other cores load other files */
    cp_free(index_of);
    return index_of && !m.is_missing;
}

static bool resolve_locations(struct stream *s, const struct cp_idmap *ids)
{
    const struct cp_profile *p = s->profile;
    uint32_t n_ordered = 0, max_loc = 0;

    while (n_ordered < p->n_locations &&
           p->locations[n_ordered].id == (uint64_t)n_ordered + 1)
        n_ordered++;
    for (size_t i = 0; i < s->n_workers; i++)
        if (s->workers[i].reader.max_loc > max_loc)
            max_loc = s->workers[i].reader.max_loc;
    if (max_loc < n_ordered)
        return true;
    return max_loc != CP_NONE && map_locations(s, ids, max_loc);
}

/* Decodes the queued buffers and waits for those that others decode. */
static bool finish_samples(struct stream *s)
{
    bool is_ok;

    consume(s, 0);
    (void)pthread_mutex_lock(&s->lock);
    while (s->n_decoding > 0)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    is_ok = !s->has_failed;
    (void)pthread_mutex_unlock(&s->lock);
    s->profile->n_locs =
        s->n_workers > 1 ? atomic_load(&s->next_loc) : s->workers[0].next_loc;
    return is_ok;
}

/* Resolves the stacks once all tables are decoded. */
static enum cp_status resolve_stacks(const struct cp_decode_samples *in,
                                     void *context, struct cp_error *err)
{
    struct stream *s = context;
    struct cp_raw_labels *tables[CP_PARALLEL_MAX];

    for (size_t i = 0; i < s->n_workers; i++)
        tables[i] = &s->workers[i].reader.labels;
    if (!finish_samples(s) || !resolve_locations(s, in->location_ids))
        return CP_EFORMAT;
    return cp_raw_labels_finish(tables, s->n_workers, s->runs, s->n_runs, in,
                                err);
}

static bool read_tables(struct stream *s)
{
    const struct cp_profile *p = s->profile;
    uint32_t n_samples = p->n_samples;

    return n_samples > 0 &&
           cp_decode_tables(s->profile, s->tables, s->tables_len,
                            resolve_stacks, s, NULL) == CP_OK &&
           p->n_types == s->n_types && p->n_samples == n_samples;
}

static void work(void *context, size_t worker)
{
    struct stream *s = context;

    if (worker != 0) {
        consume(s, worker);
        return;
    }
    produce(s);
    if (!read_tables(s))
        fail(s);
}

static bool init(struct stream *s, const struct cp_stream_input *input)
{
    size_t n_buffers = s->n_workers > 1 ? N_BUFFERS : 1;

    s->source = cp_stream_source_new(input);
    s->profile = cp_profile_new(NULL);
    cp_varints_init(&s->varints);
    for (size_t i = 0; i < n_buffers; i++) {
        s->buffers[i].bytes = cp_alloc(s->buffer_bytes, 1, NULL);
        if (!s->buffers[i].bytes)
            return false;
        s->buffers[i].next = s->free;
        s->free = &s->buffers[i];
    }
    return s->source && s->profile;
}

static void release(struct stream *s)
{
    cp_stream_source_free(s->source);
    for (size_t i = 0; i < N_BUFFERS; i++)
        cp_free(s->buffers[i].bytes);
    for (size_t i = 0; i < s->n_workers; i++)
        cp_raw_labels_release(&s->workers[i].reader.labels);
    cp_free(s->tables);
    cp_free(s->runs);
    (void)pthread_cond_destroy(&s->changed);
    (void)pthread_mutex_destroy(&s->lock);
    cp_free(s);
}

struct cp_profile *cp_stream_load(const struct cp_stream_input *input,
                                  size_t buffer_bytes, size_t n_threads,
                                  struct cp_stack_pool *pool)
{
    struct stream *s = cp_alloc(1, sizeof(*s), NULL);
    struct cp_profile *p = NULL;

    assert(buffer_bytes <
           CP_MAX_DEPTH); /* so no stack can exceed CP_MAX_DEPTH */
    assert(n_threads > 0 && n_threads <= CP_PARALLEL_MAX);
    if (!s)
        return NULL;
    s->buffer_bytes = buffer_bytes;
    s->n_workers = n_threads;
    s->pool = pool;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->changed, NULL);
    if (init(s, input)) {
        cp_parallel_run(s->n_workers, work, s);
        if (!s->has_failed) {
            p = s->profile;
            s->profile = NULL;
        }
    }
    cp_profile_free(s->profile);
    release(s);
    return p;
}
