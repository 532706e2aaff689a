/*
 * stream.c - the ring, its producer and its consumers; see stream.h.
 *
 *   source -> buffer (free) -> filled, cut at a field -> queue -> decoded ->
 * free
 *
 * The producer cuts each buffer behind its last whole field; what is left goes
 * to the front of the next one. Fields other than samples are gathered, and
 * the producer reads them when the end has come, while others still decode. A
 * producer that finds no free buffer decodes one itself, so that one thread
 * alone gets through as well.
 *
 * Where the ids of locations point is not known before the end. They are kept,
 * less one, as if locations were numbered 1, 2, 3 in the order of the file.
 * They mostly are, and then the stacks are finished; else all are mapped.
 *
 * Samples lie in the order of the file, stacks do not: each worker fills
 * stretches of the array that it has taken for itself.
 */
#include "profile/load/stream.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/index.h"
#include "base/parallel.h"
#include "profile/codec/decode.h"
#include "profile/codec/decode_samples.h"
#include "profile/codec/decode_scan.h"
#include "profile/codec/raw_labels.h"
#include "profile/codec/sample_reader.h"
#include "profile/codec/varints.h"
#include "profile/codec/wire.h"
#include "profile/load/stream_source.h"
#include "profile/model/idmap.h"
#include "profile/model/profile.h"
#include "profile/model/stack_room.h"

#define N_BUFFERS 8
#define STRETCH_BUFFERS 16 /* a stretch of stacks, in buffers */

/* A part of the message: whole fields, most of them samples. */
struct buffer {
    uint8_t *bytes;
    size_t len;
    uint32_t first_sample, n_samples;
    struct buffer *next; /* in the queue, or free */
};

struct worker {
    struct cp_sample_reader reader;
    uint64_t next_loc, end_loc; /* what is left of its stretch */
};

struct stream {
    struct cp_stream_source *source;
    struct cp_profile *profile;
    struct cp_stack_room *room;
    size_t buffer_bytes;
    uint32_t n_types; /* so far; the profile's are read at the end */
    uint64_t cap_samples, cap_locs;
    uint64_t stretch;
    atomic_uint_fast64_t next_loc; /* where the next stretch begins */
    struct buffer buffers[N_BUFFERS];
    struct worker workers[CP_PARALLEL_MAX];
    size_t n_workers;
    struct cp_varints varints;
    uint8_t *tables; /* all fields but samples */
    size_t tables_len, tables_cap;

    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t changed;
    struct buffer *free, *first, *last;
    size_t n_taken; /* buffers being decoded */
    bool is_closed, has_failed;
    struct cp_raw_run *runs; /* which worker decoded what */
    size_t n_runs, cap_runs;
};

static void fail(struct stream *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->has_failed = true;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

/* Takes the first of the queue for a worker. With the lock; NULL for none. */
static struct buffer *pop(struct stream *s, size_t worker)
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
    s->n_taken++;
    s->runs[s->n_runs++] =
        (struct cp_raw_run){ b->first_sample, b->first_sample + b->n_samples,
                             (uint32_t)worker };
    return b;
}

static void give_back(struct stream *s, struct buffer *b, bool is_decoded)
{
    (void)pthread_mutex_lock(&s->lock);
    s->n_taken -= is_decoded;
    b->next = s->free;
    s->free = b;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

/* Makes sure that a buffer's stacks find room. */
static bool have_room(struct stream *s, struct worker *w, size_t len)
{
    if (w->end_loc - w->next_loc >= len)
        return true;
    w->next_loc = atomic_fetch_add(&s->next_loc, s->stretch);
    w->end_loc = w->next_loc + s->stretch;
    return w->end_loc <= s->cap_locs;
}

static bool decode(struct stream *s, size_t worker, const struct buffer *b)
{
    struct worker *w = &s->workers[worker];
    struct cp_wire wire = { b->bytes, b->bytes + b->len };
    struct cp_wire_field f;
    uint32_t number = b->first_sample;

    if (!have_room(s, w, b->len))
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
    give_back(s, b, true);
}

static void consume(struct stream *s, size_t worker)
{
    struct buffer *b;

    do {
        (void)pthread_mutex_lock(&s->lock);
        while (!s->first && !s->is_closed && !s->has_failed)
            (void)pthread_cond_wait(&s->changed, &s->lock);
        b = s->has_failed ? NULL : pop(s, worker);
        (void)pthread_mutex_unlock(&s->lock);
        if (b)
            decode_and_free(s, worker, b);
    } while (b);
}

/* A buffer to fill; the producer is worker 0. NULL when all has failed. */
static struct buffer *take_free(struct stream *s)
{
    struct buffer *b = NULL, *work = NULL;

    do {
        (void)pthread_mutex_lock(&s->lock);
        while (!s->free && !s->first && !s->has_failed)
            (void)pthread_cond_wait(&s->changed, &s->lock);
        b = s->has_failed ? NULL : s->free;
        if (b)
            s->free = b->next;
        work = b || s->has_failed ? NULL : pop(s, 0);
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

/* Room for stacks; one thread alone has all in one stretch. */
static bool make_stack_room(struct stream *s, size_t len)
{
    struct cp_profile *p = s->profile;

    s->stretch = s->n_workers > 1 ? s->buffer_bytes * STRETCH_BUFFERS
                                  : len + s->buffer_bytes;
    s->cap_locs = s->stretch;
    if (s->n_workers > 1)
        s->cap_locs *= len / (s->stretch - s->buffer_bytes) + 1 + s->n_workers;
    p->locs = s->room ? cp_stack_room_take(s->room, s->cap_locs) : NULL;
    if (!p->locs)
        p->locs =
            cp_arena_alloc(&p->arena, s->cap_locs, sizeof(*p->locs), NULL);
    return p->locs != NULL;
}

/*
 * Room for as many samples as the bytes can hold, untouched until used. A
 * sample has a key, a length, and at least a byte a value with a key before
 * each, or a key and a length before all.
 */
static bool make_room(struct stream *s)
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
           make_stack_room(s, len);
}

/* A field that is no sample is kept for the end. */
static bool keep_field(struct stream *s, const uint8_t *from, const uint8_t *to,
                       uint64_t field)
{
    size_t len = (size_t)(to - from);

    if (field == CP_SCAN_TYPE) {
        if (s->profile->n_samples > 0)
            return false; /* samples were read with fewer values */
        s->n_types++;
    }
    if (cp_reserve(&s->tables, &s->tables_cap, s->tables_len + len, 1, NULL) !=
        CP_OK)
        return false;
    memcpy(s->tables + s->tables_len, from, len);
    s->tables_len += len;
    return true;
}

/* Finds the whole fields among `have` bytes of a buffer; sets its length. */
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
        if (f.type != CP_WIRE_BYTES || (p->n_samples == 0 && !make_room(s)) ||
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
        return false; /* a field larger than a buffer */
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

    while (is_ok && !is_last && (b = take_free(s)) != NULL) {
        is_ok = fill(s, b, carry, &rest, &is_last);
        if (is_ok && b->n_samples > 0)
            push(s, b);
        else
            give_back(s, b, false);
    }
    cp_free(carry);
    if (!is_ok)
        fail(s);
    (void)pthread_mutex_lock(&s->lock);
    s->is_closed = true;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

/* Maps kept ids to indexes. */
struct mapping {
    const struct stream *s;
    const uint32_t *index_of; /* by what is kept */
    atomic_bool is_missing;
};

/* The stacks of a run follow one another, so they are mapped as one. */
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

/* Ids far beyond their number are left to the long way. */
static bool map_locations(struct stream *s, const struct cp_idmap *ids,
                          uint32_t most)
{
    struct mapping m = { .s = s };
    uint32_t *index_of;

    if (most / 16 > s->profile->n_locations)
        return false;
    index_of = cp_alloc((size_t)most + 1, sizeof(*index_of), NULL);
    for (uint32_t i = 0; index_of && i <= most; i++)
        index_of[i] = cp_idmap_find(ids, (uint64_t)i + 1);
    m.index_of = index_of;
    if (index_of && s->n_workers > 1)
        cp_parallel_run(s->n_runs, map_run, &m);
    for (size_t i = 0; index_of && s->n_workers == 1 && i < s->n_runs; i++)
        map_run(&m, i); /* other files have the other cores */
    cp_free(index_of);
    return index_of && !m.is_missing;
}

static bool settle_locations(struct stream *s, const struct cp_idmap *ids)
{
    const struct cp_profile *p = s->profile;
    uint32_t n_ordered = 0, most = 0;

    while (n_ordered < p->n_locations &&
           p->locations[n_ordered].id == (uint64_t)n_ordered + 1)
        n_ordered++;
    for (size_t i = 0; i < s->n_workers; i++)
        if (s->workers[i].reader.most > most)
            most = s->workers[i].reader.most;
    if (most < n_ordered)
        return true;
    return most != CP_NONE && map_locations(s, ids, most);
}

/* Decodes what is left, and waits for what others have. */
static bool finish_samples(struct stream *s)
{
    bool is_ok;

    consume(s, 0);
    (void)pthread_mutex_lock(&s->lock);
    while (s->n_taken > 0)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    is_ok = !s->has_failed;
    (void)pthread_mutex_unlock(&s->lock);
    s->profile->n_locs =
        s->n_workers > 1 ? atomic_load(&s->next_loc) : s->workers[0].next_loc;
    return is_ok;
}

/* The last step, when all tables are there. */
static enum cp_status settle(const struct cp_decode_samples *in, void *context,
                             struct cp_error *err)
{
    struct stream *s = context;
    struct cp_raw_labels *tables[CP_PARALLEL_MAX];

    for (size_t i = 0; i < s->n_workers; i++)
        tables[i] = &s->workers[i].reader.labels;
    if (!finish_samples(s) || !settle_locations(s, in->location_ids))
        return CP_EFORMAT;
    return cp_raw_labels_finish(tables, s->n_workers, s->runs, s->n_runs, in,
                                err);
}

static bool read_tables(struct stream *s)
{
    const struct cp_profile *p = s->profile;
    uint32_t n_samples = p->n_samples;

    return n_samples > 0 &&
           cp_decode_tables(s->profile, s->tables, s->tables_len, settle, s,
                            NULL) == CP_OK &&
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
                                  struct cp_stack_room *room)
{
    struct stream *s = cp_alloc(1, sizeof(*s), NULL);
    struct cp_profile *p = NULL;

    assert(buffer_bytes < CP_MAX_DEPTH); /* so no stack can be too deep */
    assert(n_threads > 0 && n_threads <= CP_PARALLEL_MAX);
    if (!s)
        return NULL;
    s->buffer_bytes = buffer_bytes;
    s->n_workers = n_threads;
    s->room = room;
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
