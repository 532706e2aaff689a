/*
 * encode.c - encodes a profile as profile.proto.
 *
 * The bytes of each location id and of each label set are encoded once, then
 * copied into every sample that uses them. All cores encode samples; for a
 * large profile they compress them too. Tables precede samples, because a
 * streaming reader needs the sample types first.
 */
#include "profile/codec/encode.h"

#include <string.h>

#include "base/assert/assert.h"
#include "base/index.h"
#include "base/out.h"
#include "base/parallel.h"
#include "base/pieces.h"
#include "profile/codec/gzip.h"
#include "profile/model/profile.h"

#define PIECE_SAMPLES 8192
/* bytes encoded before they are compressed */
#define PART_BYTES ((size_t)64 << 10)
#define HEAD_MAX 24 /* maximum bytes of the sample fields before the stack */
/* bytes of those fields if the sample is shorter than 128 bytes */
#define HEAD_USUAL 4
/* frames; above this, compression favours speed over size */
#define LARGE_FRAMES ((uint64_t)1 << 20)

/* An encoded id, padded so that copying 8 bytes is always valid. */
struct short_bytes {
    uint8_t bytes[11];
    uint8_t n;
};

/* Compression state of one worker. */
struct compressor {
    struct cp_gzip_compressor *packer;
    struct cp_out plain; /* encoded samples, not compressed yet */
};

struct encoder {
    const struct cp_profile *p;
    struct cp_out *out;
    /* index in the file + 1, by string number; 0 if not used yet */
    uint32_t *number;
    uint32_t *used; /* string numbers in the order of their index in the file */
    uint32_t n_used;
    struct short_bytes *ids;        /* encoded ids, by location index */
    struct cp_str *labels;          /* encoded Label fields, by label set */
    struct cp_gzip_sum *sums;       /* checksum of each compressed piece */
    struct compressor *compressors; /* compression state of each worker */
    struct cp_arena arena;
};

static size_t put_varint_at(uint64_t value, uint8_t *to)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        to[n++] = (uint8_t)(value | 0x80);
    to[n++] = (uint8_t)value;
    return n;
}

static size_t varint_len(uint64_t value)
{
    size_t n = 1;

    for (; value >= 0x80; value >>= 7)
        n++;
    return n;
}

static void put_varint(struct cp_out *out, uint64_t value)
{
    uint8_t bytes[10];

    cp_out_bytes(out, (const char *)bytes, put_varint_at(value, bytes));
}

/* Writes a number field; proto3 omits zero. */
static void put_number(struct cp_out *out, uint32_t field, uint64_t value)
{
    if (value == 0)
        return;
    put_varint(out, (uint64_t)field << 3);
    put_varint(out, value);
}

static void put_bytes(struct cp_out *out, uint32_t field, const char *bytes,
                      size_t len)
{
    put_varint(out, (uint64_t)field << 3 | 2);
    put_varint(out, len);
    cp_out_bytes(out, bytes, len);
}

/*
 * Returns the file's index of a string; assigns the next free index on first
 * use.
 */
static uint64_t string_index(struct encoder *e, uint32_t id)
{
    CP_ASSERT(id < e->p->strings.n);
    if (!e->number[id]) {
        CP_ASSERT(e->n_used < e->p->strings.n);
        e->used[e->n_used++] = id;
        e->number[id] = e->n_used;
    }
    return e->number[id] - 1;
}

/* Writes `body` as a message field, then clears body. */
static void put_message(struct encoder *e, uint32_t field, struct cp_out *body)
{
    put_bytes(e->out, field, body->buf ? body->buf : "", body->len);
    if (body->err.status != CP_OK)
        e->out->err = body->err;
    body->len = 0;
}

static void put_type(struct encoder *e, uint32_t field,
                     struct cp_value_type type, struct cp_out *body)
{
    put_number(body, 1, string_index(e, type.type));
    put_number(body, 2, string_index(e, type.unit));
    put_message(e, field, body);
}

static enum cp_status encode_ids(struct encoder *e, struct cp_error *err)
{
    const struct cp_profile *p = e->p;

    e->ids = cp_arena_alloc(&e->arena, p->n_locations, sizeof(*e->ids), err);
    if (!e->ids)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < p->n_locations; i++)
        e->ids[i].n =
            (uint8_t)put_varint_at(p->locations[i].id, e->ids[i].bytes);
    return CP_OK;
}

static void put_label(struct encoder *e, const struct cp_label *l,
                      struct cp_out *body, struct cp_out *set)
{
    put_number(body, 1, string_index(e, l->key));
    if (l->str != CP_NONE) {
        put_number(body, 2, string_index(e, l->str));
    } else {
        put_number(body, 3, (uint64_t)l->num);
        put_number(body, 4, string_index(e, l->unit));
    }
    put_bytes(set, 3, body->buf ? body->buf : "", body->len);
    body->len = 0;
}

static enum cp_status encode_labels(struct encoder *e, struct cp_out *body,
                                    struct cp_error *err)
{
    const struct cp_profile *p = e->p;
    struct cp_out set = { .fd = -1 };

    e->labels =
        cp_arena_alloc(&e->arena, p->n_label_sets, sizeof(*e->labels), err);
    for (uint32_t i = 1; e->labels && i < p->n_label_sets; i++) {
        const struct cp_label_set *s = &p->label_sets[i];

        set.len = 0;
        for (uint32_t k = 0; k < s->n_labels; k++)
            put_label(e, &p->labels[s->labels + k], body, &set);
        e->labels[i].ptr =
            cp_arena_copy(&e->arena, set.buf ? set.buf : "", set.len, err);
        e->labels[i].len = (uint32_t)set.len;
        if (!e->labels[i].ptr || cp_out_finish(&set, err) != CP_OK)
            e->labels = NULL;
    }
    cp_out_release(&set);
    return e->labels ? CP_OK : CP_ENOMEM;
}

/* Copies the ids of a stack to `at`; returns the end of the copy. */
static char *put_stack(const struct encoder *e, const uint32_t *stack,
                       uint32_t n, char *at)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct short_bytes *id = &e->ids[stack[i]];

        CP_ASSERT(stack[i] < e->p->n_locations);
        CP_ASSERT(id->n > 0 && id->n <= 10);
        memcpy(at, id->bytes, 8);
        if (id->n > 8)
            memcpy(at + 8, id->bytes + 8, 2);
        at += id->n;
    }
    return at;
}

/*
 * Writes the fields before the stack of a sample with `len` bytes, of which
 * n_locs are the stack.
 */
static size_t sample_head(char *to, size_t len, size_t n_locs)
{
    uint8_t *at = (uint8_t *)to;

    *at++ = 2 << 3 | 2;
    at += put_varint_at(len + (n_locs ? 1 + varint_len(n_locs) : 0), at);
    if (n_locs) {
        *at++ = 1 << 3 | 2;
        at += put_varint_at(n_locs, at);
    }
    CP_ASSERT(at - (uint8_t *)to <= HEAD_MAX);
    return (size_t)(at - (uint8_t *)to);
}

/*
 * Encodes a sample. The length precedes a sample but is known only at its end.
 * So the sample is encoded behind HEAD_USUAL bytes, and moved if its head turns
 * out to have a different length.
 */
static void put_sample(const struct encoder *e, uint32_t number,
                       struct cp_out *out)
{
    const struct cp_profile *p = e->p;
    const struct cp_sample *s = &p->samples[number];
    const int64_t *values = p->values + (size_t)number * p->n_types;
    struct cp_str labels = e->labels[s->label_set];
    size_t space =
        HEAD_MAX + ((size_t)s->n_locs + p->n_types) * 10 + 16 + labels.len;
    size_t n_values = 0, n_head;
    char head[HEAD_MAX], *from, *at, *stack_end;

    CP_ASSERT(s->label_set < p->n_label_sets);
    CP_ASSERT(s->locs + s->n_locs <= p->n_locs);
    if (out->cap - out->len < space && !cp_out_reserve(out, space))
        return;
    from = out->buf + out->len + HEAD_USUAL;
    at = stack_end = put_stack(e, p->locs + s->locs, s->n_locs, from);
    for (uint32_t i = 0; i < p->n_types; i++)
        n_values += varint_len((uint64_t)values[i]);
    *at++ = 2 << 3 | 2;
    at += put_varint_at(n_values, (uint8_t *)at);
    for (uint32_t i = 0; i < p->n_types; i++)
        at += put_varint_at((uint64_t)values[i], (uint8_t *)at);
    if (labels.len)
        memcpy(at, labels.ptr, labels.len);
    at += labels.len;
    n_head = sample_head(head, (size_t)(at - from), (size_t)(stack_end - from));
    if (n_head != HEAD_USUAL)
        memmove(from - HEAD_USUAL + n_head, from, (size_t)(at - from));
    memcpy(from - HEAD_USUAL, head, n_head);
    out->len += n_head + (size_t)(at - from);
    CP_ASSERT(out->len <= out->cap);
}

static void put_samples(const void *context, struct cp_piece piece,
                        struct cp_out *out)
{
    for (uint32_t i = piece.from; i < piece.to; i++)
        put_sample(context, i, out);
}

static void put_mappings(struct encoder *e, struct cp_out *body)
{
    for (uint32_t i = 0; i < e->p->n_mappings; i++) {
        const struct cp_mapping *m = &e->p->mappings[i];

        put_number(body, 1, m->id);
        put_number(body, 2, m->start);
        put_number(body, 3, m->limit);
        put_number(body, 4, m->offset);
        put_number(body, 5, string_index(e, m->file));
        put_number(body, 6, string_index(e, m->build_id));
        put_number(body, 7, m->has_functions);
        put_number(body, 8, m->has_filenames);
        put_number(body, 9, m->has_line_numbers);
        put_number(body, 10, m->has_inline_frames);
        put_message(e, 3, body);
    }
}

static void put_locations(struct encoder *e, struct cp_out *body)
{
    const struct cp_profile *p = e->p;
    struct cp_out line = { .fd = -1 };

    for (uint32_t i = 0; i < p->n_locations; i++) {
        const struct cp_location *l = &p->locations[i];

        put_number(body, 1, l->id);
        if (l->mapping != CP_NONE)
            put_number(body, 2, p->mappings[l->mapping].id);
        put_number(body, 3, l->address);
        for (uint32_t k = 0; k < l->n_lines; k++) {
            const struct cp_line *from = &p->lines[l->lines + k];

            CP_ASSERT(from->function < p->n_functions);
            put_number(&line, 1, p->functions[from->function].id);
            put_number(&line, 2, (uint64_t)from->line);
            put_number(&line, 3, (uint64_t)from->column);
            put_bytes(body, 4, line.buf ? line.buf : "", line.len);
            line.len = 0;
        }
        put_number(body, 5, l->is_folded);
        put_message(e, 4, body);
    }
    if (line.err.status != CP_OK)
        e->out->err = line.err;
    cp_out_release(&line);
}

static void put_functions(struct encoder *e, struct cp_out *body)
{
    for (uint32_t i = 0; i < e->p->n_functions; i++) {
        const struct cp_function *f = &e->p->functions[i];

        put_number(body, 1, f->id);
        put_number(body, 2, string_index(e, f->name));
        put_number(body, 3, string_index(e, f->system_name));
        put_number(body, 4, string_index(e, f->filename));
        put_number(body, 5, (uint64_t)f->start_line);
        put_message(e, 5, body);
    }
}

/*
 * Writes the scalar fields, then the string table, which is complete only now.
 */
static void put_rest(struct encoder *e, struct cp_out *body)
{
    const struct cp_profile *p = e->p;
    struct cp_out *out = e->out;

    put_number(out, 7, string_index(e, p->drop_frames));
    put_number(out, 8, string_index(e, p->keep_frames));
    put_number(out, 9, (uint64_t)p->time_ns);
    put_number(out, 10, (uint64_t)p->duration_ns);
    put_type(e, 11, p->period_type, body);
    put_number(out, 12, (uint64_t)p->period);
    for (uint32_t i = 0; i < p->n_comments; i++) {
        put_varint(out, 13 << 3);
        put_varint(out, string_index(e, p->comments[i]));
    }
    put_varint(out, 14 << 3);
    put_varint(out, string_index(e, p->default_type));
    put_number(out, 15, string_index(e, p->doc_url));
    for (uint32_t i = 0; i < e->n_used; i++) {
        struct cp_str text = cp_profile_str(p, e->used[i]);

        put_bytes(out, 6, text.ptr, text.len);
    }
}

static enum cp_status prepare(struct encoder *e, struct cp_out *body,
                              struct cp_error *err)
{
    const struct cp_profile *p = e->p;

    e->number = cp_arena_alloc(&e->arena, p->strings.n, sizeof(uint32_t), err);
    e->used = cp_arena_alloc(&e->arena, p->strings.n, sizeof(uint32_t), err);
    if (!e->number || !e->used || encode_ids(e, err) != CP_OK)
        return CP_ENOMEM;
    (void)string_index(e, 0);
    return encode_labels(e, body, err);
}

/* Writes everything except the samples. */
static void put_tables(struct encoder *e, struct cp_out *body)
{
    for (uint32_t i = 0; i < e->p->n_types; i++)
        put_type(e, 1, e->p->types[i], body);
    put_mappings(e, body);
    put_locations(e, body);
    put_functions(e, body);
    put_rest(e, body);
}

static enum cp_status encode(struct encoder *e, struct cp_out *body,
                             struct cp_error *err)
{
    enum cp_status status = prepare(e, body, err);

    if (status != CP_OK)
        return status;
    put_tables(e, body);
    status = cp_pieces_write(e->p->n_samples, PIECE_SAMPLES, put_samples, e,
                             e->out, err);
    return status == CP_OK ? cp_out_finish(e->out, err) : status;
}

enum cp_status cp_encode(const struct cp_profile *p, struct cp_out *out,
                         struct cp_error *err)
{
    struct encoder e = { .p = p, .out = out };
    struct cp_out body = { .fd = -1 };
    enum cp_status status = encode(&e, &body, err);

    cp_out_release(&body);
    cp_arena_release(&e.arena);
    return status;
}

/*
 * Encodes a piece of samples and compresses each part while it is in the CPU
 * cache.
 */
static struct cp_gzip_sum pack_samples(const struct encoder *e, uint32_t from,
                                       struct compressor *w, struct cp_out *out)
{
    uint32_t n = e->p->n_samples, to = n;

    CP_ASSERT(from <= n);
    if (n - from > PIECE_SAMPLES)
        to = from + PIECE_SAMPLES;
    for (uint32_t i = from; i < to; i++) {
        put_sample(e, i, &w->plain);
        if (w->plain.len < PART_BYTES && i + 1 < to)
            continue;
        cp_gzip_compressor_add(w->packer, w->plain.buf, w->plain.len, out);
        w->plain.len = 0;
    }
    if (w->plain.err.status != CP_OK)
        out->err = w->plain.err;
    return cp_gzip_compressor_end(w->packer, out);
}

static struct cp_gzip_sum pack_tables(struct encoder *e, struct compressor *w,
                                      struct cp_out *body, struct cp_out *out)
{
    put_tables(e, body);
    if (e->out->err.status != CP_OK)
        out->err = e->out->err;
    cp_gzip_compressor_add(w->packer, e->out->buf, e->out->len, out);
    return cp_gzip_compressor_end(w->packer, out);
}

/* Context of pack_piece: piece 0 has all tables, the others have samples. */
struct pack_context {
    struct encoder *e;
    struct cp_out *body;
};

static void pack_piece(const void *context, struct cp_piece piece,
                       struct cp_out *out)
{
    const struct pack_context *u = context;
    struct compressor *w = &u->e->compressors[piece.worker];
    struct cp_gzip_sum *sum = &u->e->sums[piece.from];

    CP_ASSERT(piece.worker < cp_parallel_width());
    if (!w->packer)
        w->packer = cp_gzip_compressor_new(&out->err);
    if (w->packer && piece.from == 0)
        *sum = pack_tables(u->e, w, u->body, out);
    else if (w->packer)
        *sum = pack_samples(u->e, (piece.from - 1) * PIECE_SAMPLES, w, out);
}

static enum cp_status alloc_compressors(struct encoder *e, uint32_t n_pieces,
                                        struct cp_error *err)
{
    size_t n = cp_parallel_width();

    e->sums = cp_arena_alloc(&e->arena, n_pieces, sizeof(*e->sums), err);
    e->compressors = cp_arena_alloc(&e->arena, n, sizeof(*e->compressors), err);
    for (size_t i = 0; e->compressors && i < n; i++)
        e->compressors[i].plain.fd = -1;
    return e->sums && e->compressors ? CP_OK : CP_ENOMEM;
}

static void free_compressors(struct encoder *e)
{
    for (size_t i = 0; e->compressors && i < cp_parallel_width(); i++) {
        cp_gzip_compressor_free(e->compressors[i].packer);
        cp_out_release(&e->compressors[i].plain);
    }
}

static enum cp_status pack_pieces(struct encoder *e, struct cp_out *body,
                                  struct cp_out *out, struct cp_error *err)
{
    struct cp_gzip_sum all = { 0 };
    uint32_t n = (e->p->n_samples - 1) / PIECE_SAMPLES + 2;
    struct pack_context u = { e, body };
    enum cp_status status = prepare(e, body, err);

    if (status != CP_OK || alloc_compressors(e, n, err) != CP_OK)
        return CP_ENOMEM;
    cp_gzip_begin(out);
    status = cp_pieces_write(n, 1, pack_piece, &u, out, err);
    free_compressors(e);
    for (uint32_t i = 0; i < n; i++)
        all = cp_gzip_join(all, e->sums[i]);
    if (status == CP_OK)
        cp_gzip_end(all, out);
    return status;
}

static bool is_large(const struct cp_profile *p)
{
    uint64_t n_frames = 0;

    for (uint32_t i = 0; i < p->n_samples && n_frames <= LARGE_FRAMES; i++)
        n_frames += p->samples[i].n_locs;
    return n_frames > LARGE_FRAMES;
}

enum cp_status cp_encode_gzip(const struct cp_profile *p, struct cp_out *out,
                              struct cp_error *err)
{
    struct cp_out plain = { .fd = -1 }, body = { .fd = -1 };
    struct encoder e = { .p = p, .out = &plain };
    enum cp_status status;

    if (is_large(p)) {
        status = pack_pieces(&e, &body, out, err);
    } else {
        status = encode(&e, &body, err);
        if (status == CP_OK)
            status = cp_gzip_compress(plain.buf, plain.len, out, err);
    }
    cp_out_release(&body);
    cp_out_release(&plain);
    cp_arena_release(&e.arena);
    return status;
}
