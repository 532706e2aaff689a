/*
 * traces.c - the report "traces": every sample with its stack.
 *
 * The line of each frame and the lines of each label set are formatted once; a
 * sample is then a sequence of copies.
 */
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/pieces.h"
#include "base/units.h"
#include "report/core/formats.h"
#include "report/core/frames.h"
#include "report/core/label_texts.h"
#include "report/core/report.h"
#include "report/graph/legend.h"

#define PIECE_SAMPLES 2048
#define VALUE_WIDTH 10
#define BEFORE_NAME (VALUE_WIDTH + 3)
#define LINE_BLOCK ((size_t)32)
#define KNOWN_BITS 6

static const char separator[] =
    "-----------+-------------------------------------------------------\n";

struct trace_writer {
    const struct cp_report *r;
    struct cp_frames frames;
    struct cp_str *lines; /* indexed by index in frames.nodes */
    struct cp_label_texts labels;
    struct cp_scale scale;
    struct cp_arena arena;
};

/*
 * Formats blanks for the value, "   name" and its end, padded to a whole block
 * for put_line. ptr is NULL if memory is exhausted.
 */
static struct cp_str frame_line(struct cp_arena *arena, struct cp_str name,
                                const char *end, struct cp_error *err)
{
    size_t n_end = strlen(end), len = BEFORE_NAME + (size_t)name.len + n_end;
    char *line = cp_arena_alloc(arena, len + LINE_BLOCK, 1, err);

    if (!line)
        return (struct cp_str){ NULL, 0 };
    memset(line, ' ', BEFORE_NAME);
    memcpy(line + BEFORE_NAME, name.ptr, name.len);
    memcpy(line + BEFORE_NAME + name.len, end, n_end);
    return (struct cp_str){ line, (uint32_t)len };
}

static enum cp_status make_lines(struct trace_writer *t, struct cp_error *err)
{
    const struct cp_profile *p = t->r->profile;
    const struct cp_frames *f = &t->frames;
    uint32_t n = f->first[p->n_locations];
    struct cp_str *names =
        cp_arena_alloc(&t->arena, f->n_infos, sizeof(*names), err);

    t->lines = cp_arena_alloc(&t->arena, n, sizeof(*t->lines), err);
    if (!names || !t->lines)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < f->n_infos; i++) {
        names[i] = cp_frames_name(p, &f->infos[i], &t->arena, err);
        if (!names[i].ptr)
            return CP_ENOMEM;
    }
    for (uint32_t l = 0; l < p->n_locations; l++)
        for (uint32_t j = f->first[l]; j < f->first[l + 1]; j++) {
            bool is_inline = j + 1 != f->first[l + 1];

            t->lines[j] = frame_line(&t->arena, names[f->nodes[j]],
                                     is_inline ? " (inline)\n" : "\n", err);
            if (!t->lines[j].ptr)
                return CP_ENOMEM;
        }
    return CP_OK;
}

/* Writes one line for the labels from *i that share a key and a kind. */
static void label_line(const void *context, const struct cp_label_set *set,
                       uint32_t *i, struct cp_out *out)
{
    const struct trace_writer *t = context;
    const struct cp_profile *p = t->r->profile;
    const struct cp_label *first = &p->labels[set->labels + *i];
    char number[CP_LABEL_BYTES];

    cp_out_right(out, cp_profile_cstr(p, first->key), VALUE_WIDTH);
    cp_out_cstr(out, ": ");
    for (; *i < set->n_labels; (*i)++) {
        const struct cp_label *l = &p->labels[set->labels + *i];

        if (l->key != first->key ||
            (l->str == CP_NONE) != (first->str == CP_NONE))
            break;
        cp_out_char(out, ' ');
        if (l->str != CP_NONE) {
            cp_out_str(out, cp_profile_str(p, l->str));
        } else {
            cp_unit_label(l->num,
                          cp_profile_cstr(p, t->r->label_units.unit[l->key]),
                          "auto", number);
            cp_out_cstr(out, number);
        }
    }
    cp_out_char(out, '\n');
}

/* A cached text of a value; most values recur. */
struct value_text {
    int64_t value;
    uint32_t len; /* 0 if empty entry */
    char text[CP_LABEL_BYTES + VALUE_WIDTH];
};

static const struct value_text *text_of(const struct trace_writer *t,
                                        int64_t value, struct value_text *known)
{
    struct value_text *v =
        &known[(uint64_t)value * 0x9e3779b97f4a7c15u >> (64 - KNOWN_BITS)];
    struct cp_out aligned = { .fd = -1 };
    char text[CP_LABEL_BYTES];

    if (v->len && v->value == value)
        return v;
    cp_scale_label(&t->scale, value, text);
    cp_out_right(&aligned, text, VALUE_WIDTH);
    v->value = value;
    v->len = (uint32_t)aligned.len;
    if (aligned.len)
        memcpy(v->text, aligned.buf, aligned.len);
    cp_out_release(&aligned);
    return v;
}

/* Copies a line in whole blocks; the next write overwrites the excess. */
static void put_line(struct cp_str line, struct cp_out *out)
{
    size_t room = (size_t)line.len + LINE_BLOCK;
    char *at;

    if (out->cap - out->len < room && !cp_out_reserve(out, room))
        return;
    at = out->buf + out->len;
    for (size_t done = 0; done < line.len; done += LINE_BLOCK)
        memcpy(at + done, line.ptr + done, LINE_BLOCK);
    out->len += line.len;
}

static void write_sample(const struct trace_writer *t, uint32_t number,
                         struct value_text *known, struct cp_out *out)
{
    const struct cp_profile *p = t->r->profile;
    const struct cp_sample *s = &p->samples[number];
    const uint32_t *stack = p->locs + s->locs, *first = t->frames.first;
    int64_t div, value = cp_report_sample(t->r, number, &div);
    const struct value_text *text;
    struct cp_str line;

    if (s->n_locs == 0)
        return;
    cp_out_bytes(out, separator, sizeof(separator) - 1);
    cp_out_str(out, t->labels.items[s->label_set]);
    text =
        text_of(t, cp_report_divide(t->r, cp_report_mean(value, div)), known);
    for (uint32_t k = 0, n = 0; k < s->n_locs; k++)
        for (uint32_t j = first[stack[k]]; j < first[stack[k] + 1]; j++) {
            line = t->lines[j];
            if (n++ == 0) { /* the value replaces the blanks */
                cp_out_bytes(out, text->text, text->len);
                line.ptr += VALUE_WIDTH;
                line.len -= VALUE_WIDTH;
            }
            put_line(line, out);
        }
}

static void write_some(const void *context, struct cp_piece piece,
                       struct cp_out *out)
{
    struct value_text known[1 << KNOWN_BITS];

    for (size_t i = 0; i < 1 << KNOWN_BITS; i++)
        known[i].len = 0;
    for (uint32_t i = piece.from; i < piece.to; i++)
        write_sample(context, i, known, out);
}

/* Writes the legend, or an empty line if the legend is empty. */
static void write_head(const struct cp_report *r, struct cp_out *out)
{
    size_t before = out->len;

    cp_legend_profile(r, out);
    if (out->len == before)
        cp_out_char(out, '\n');
}

enum cp_status cp_write_traces(struct cp_report *r, struct cp_out *out,
                               struct cp_error *err)
{
    struct trace_writer t = { .r = r };
    struct cp_label_style style = { label_line, &t, "", "", "" };
    enum cp_status status = cp_frames_init(&t.frames, r, 0, err);

    if (status != CP_OK)
        return status;
    cp_scale_init(&t.scale, r->sample_unit, r->out_unit);
    status = make_lines(&t, err);
    if (status == CP_OK)
        status = cp_label_texts_init(&t.labels, r->profile, &style, err);
    if (status == CP_OK) {
        write_head(r, out);
        status = cp_pieces_write(r->profile->n_samples, PIECE_SAMPLES,
                                 write_some, &t, out, err);
        cp_out_cstr(out, separator);
    }
    cp_label_texts_release(&t.labels);
    cp_arena_release(&t.arena);
    cp_frames_release(&t.frames);
    return status;
}
