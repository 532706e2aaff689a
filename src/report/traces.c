/*
 * traces.c - the report "traces": every sample with its stack.
 *
 * The line of each frame and the label lines of each label set are made once;
 * a sample is then little more than copies.
 */
#include <stdlib.h>
#include <string.h>

#include "report/formats.h"
#include "report/frames.h"
#include "report/legend.h"
#include "base/pieces.h"

#define PIECE_SAMPLES 2048
#define VALUE_WIDTH 10

static const char separator[] =
    "-----------+-------------------------------------------------------\n";

struct tracer {
    const struct cp_report *r;
    struct cp_frames frames;
    struct cp_str *lines;  /* by place in frames.nodes: "   name\n" */
    struct cp_str *labels; /* by label set: its lines */
    struct cp_scale scale;
    struct cp_arena arena;
};

/* "   name" and its end; ptr is NULL when memory runs out. */
static struct cp_str frame_line(struct cp_arena *arena, struct cp_str name,
                                const char *end, struct cp_error *err)
{
    size_t n_end = strlen(end), len = 3 + (size_t)name.len + n_end;
    char *line = cp_arena_alloc(arena, len, 1, err);

    if (!line)
        return (struct cp_str){ NULL, 0 };
    memcpy(line, "   ", 3);
    memcpy(line + 3, name.ptr, name.len);
    memcpy(line + 3 + name.len, end, n_end);
    return (struct cp_str){ line, (uint32_t)len };
}

static enum cp_status make_lines(struct tracer *t, struct cp_error *err)
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

/* One line for the labels from *i on that share a key and a kind. */
static void label_line(const struct tracer *t, const struct cp_label_set *set,
                       uint32_t *i, struct cp_out *out)
{
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

/* Sorts the lines of text labels and those of numeric ones, apart. */
static void sort_lines(struct cp_str *lines, uint32_t n_text, uint32_t n)
{
    qsort(lines, n_text, sizeof(*lines), cp_str_by_text);
    qsort(lines + n_text, n - n_text, sizeof(*lines), cp_str_by_text);
}

/* The lines of a set; ptr is NULL when memory runs out. */
static struct cp_str label_text(struct tracer *t,
                                const struct cp_label_set *set,
                                struct cp_error *err)
{
    const struct cp_label *labels = t->r->profile->labels + set->labels;
    struct cp_out text = { .fd = -1 };
    struct cp_arena arena = { 0 };
    struct cp_str *lines =
        cp_arena_alloc(&arena, set->n_labels, sizeof(*lines), err);
    struct cp_str all = { NULL, 0 };
    uint32_t n = 0, n_text = 0;
    bool is_ok = lines != NULL;

    for (uint32_t i = 0; is_ok && i < set->n_labels; n++) {
        n_text += labels[i].str != CP_NONE;
        text.len = 0;
        label_line(t, set, &i, &text);
        lines[n].ptr =
            cp_arena_copy(&arena, text.buf ? text.buf : "", text.len, err);
        lines[n].len = (uint32_t)text.len;
        is_ok = lines[n].ptr != NULL && text.err.status == CP_OK;
    }
    text.len = 0;
    if (is_ok)
        sort_lines(lines, n_text, n);
    for (uint32_t i = 0; is_ok && i < n; i++)
        cp_out_str(&text, lines[i]);
    if (is_ok && cp_out_finish(&text, err) == CP_OK)
        all.ptr =
            cp_arena_copy(&t->arena, text.buf ? text.buf : "", text.len, err);
    all.len = (uint32_t)text.len;
    cp_out_release(&text);
    cp_arena_release(&arena);
    return all;
}

static enum cp_status make_labels(struct tracer *t, struct cp_error *err)
{
    uint32_t n = t->r->profile->n_label_sets;

    t->labels = cp_arena_alloc(&t->arena, n, sizeof(*t->labels), err);
    if (!t->labels)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        t->labels[i] = label_text(t, &t->r->profile->label_sets[i], err);
        if (!t->labels[i].ptr)
            return CP_ENOMEM;
    }
    return CP_OK;
}

static void write_sample(const struct tracer *t, uint32_t number,
                         struct cp_out *out)
{
    const struct cp_profile *p = t->r->profile;
    const struct cp_sample *s = &p->samples[number];
    const uint32_t *stack = p->locs + s->locs;
    int64_t div, value = cp_report_sample(t->r, number, &div);
    char text[CP_LABEL_BYTES];
    bool is_first = true;

    if (s->n_locs == 0)
        return;
    cp_out_bytes(out, separator, sizeof(separator) - 1);
    cp_out_str(out, t->labels[s->label_set]);
    value = cp_report_divide(t->r, cp_report_mean(value, div));
    cp_scale_label(&t->scale, value, text);
    for (uint32_t k = 0; k < s->n_locs; k++) {
        for (uint32_t j = t->frames.first[stack[k]];
             j < t->frames.first[stack[k] + 1]; j++) {
            if (is_first)
                cp_out_right(out, text, VALUE_WIDTH);
            else
                cp_out_bytes(out, "          ", VALUE_WIDTH);
            cp_out_str(out, t->lines[j]);
            is_first = false;
        }
    }
}

static void write_some(const void *context, struct cp_piece piece,
                       struct cp_out *out)
{
    for (uint32_t i = piece.from; i < piece.to; i++)
        write_sample(context, i, out);
}

/* The legend, or an empty line where there is nothing to say. */
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
    struct tracer t = { .r = r };
    enum cp_status status = cp_frames_init(&t.frames, r, 0, err);

    if (status != CP_OK)
        return status;
    cp_scale_init(&t.scale, r->sample_unit, r->out_unit);
    status = make_lines(&t, err);
    if (status == CP_OK)
        status = make_labels(&t, err);
    if (status == CP_OK) {
        write_head(r, out);
        status = cp_pieces_write(r->profile->n_samples, PIECE_SAMPLES,
                                 write_some, &t, out, err);
        cp_out_cstr(out, separator);
    }
    cp_arena_release(&t.arena);
    cp_frames_release(&t.frames);
    return status;
}
