/* raw.c - the reports "raw" (the whole profile as text) and "comments". */
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/pieces.h"
#include "base/timefmt.h"
#include "report/core/formats.h"
#include "report/core/label_texts.h"
#include "report/core/report.h"

#define PIECE_SAMPLES 1024 /* samples whose text fits in the cache */
#define PIECE_LOCATIONS 512

#define LOCATION_ID_WIDTH 6
#define ID_BYTES                                                               \
    24 /* bytes of the longest id, a space, and padding for the copy */

/* "12 ", padded so that a fixed number of bytes can be copied. */
struct id_text {
    char text[ID_BYTES - 1];
    uint8_t len;
};

struct raw_writer {
    const struct cp_profile *p;
    struct id_text *ids; /* indexed by location */
    struct cp_label_texts
        labels; /* one line for text labels, one for numbers */
    struct cp_arena arena;
};

static void hex(struct cp_out *out, uint64_t value)
{
    char text[18], *end = text + sizeof(text), *at = end;

    do
        *--at = "0123456789abcdef"[value & 15];
    while (value >>= 4);
    *--at = 'x';
    *--at = '0';
    cp_out_bytes(out, at, (size_t)(end - at));
}

/* Whether any label from i that shares its key has a unit. */
static bool key_has_units(const struct cp_profile *p,
                          const struct cp_label_set *set, uint32_t i)
{
    uint32_t key = p->labels[set->labels + i].key;

    for (; i < set->n_labels; i++) {
        const struct cp_label *l = &p->labels[set->labels + i];

        if (l->key != key || l->str != CP_NONE)
            break;
        if (l->unit != 0)
            return true;
    }
    return false;
}

/* Writes "key:[a b]" for the labels from *i that share a key and a kind. */
static void one_key(const void *context, const struct cp_label_set *set,
                    uint32_t *i, struct cp_out *out)
{
    const struct cp_profile *p = context;
    const struct cp_label *first = &p->labels[set->labels + *i];
    bool is_text = first->str != CP_NONE;
    bool has_units = !is_text && key_has_units(p, set, *i);
    const char *space = ":[";

    cp_out_str(out, cp_profile_str(p, first->key));
    for (; *i < set->n_labels; (*i)++) {
        const struct cp_label *l = &p->labels[set->labels + *i];

        if (l->key != first->key || (l->str != CP_NONE) != is_text)
            break;
        cp_out_cstr(out, space);
        space = " ";
        if (is_text)
            cp_out_str(out, cp_profile_str(p, l->str));
        else
            cp_out_i64(out, l->num);
        if (has_units) {
            cp_out_char(out, ' ');
            cp_out_str(out, cp_profile_str(p, l->unit));
        }
    }
    cp_out_char(out, ']');
}

static enum cp_status make_ids(struct raw_writer *w, struct cp_error *err)
{
    const struct cp_profile *p = w->p;

    w->ids = cp_arena_alloc(&w->arena, p->n_locations, sizeof(*w->ids), err);
    if (!w->ids)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < p->n_locations; i++) {
        struct id_text *id = &w->ids[i];
        /* An id always fits. */
        struct cp_out text = { .fd = -1,
                               .buf = id->text,
                               .cap = sizeof(id->text) };

        cp_out_u64(&text, p->locations[i].id);
        cp_out_char(&text, ' ');
        id->len = (uint8_t)text.len;
    }
    return CP_OK;
}

/* Copies eight bytes for a short id; the next write overwrites the excess. */
static void write_stack(const struct raw_writer *w, const uint32_t *stack,
                        uint32_t n, struct cp_out *out)
{
    char *at;

    if (out->cap - out->len < (size_t)n * ID_BYTES &&
        !cp_out_reserve(out, (size_t)n * ID_BYTES))
        return;
    at = out->buf + out->len;
    for (uint32_t k = 0; k < n; k++) {
        const struct id_text *id = &w->ids[stack[k]];

        memcpy(at, id->text, 8);
        if (id->len > 8)
            memcpy(at, id->text, sizeof(id->text));
        at += id->len;
    }
    out->len = (size_t)(at - out->buf);
}

static void write_samples(const void *context, struct cp_piece piece,
                          struct cp_out *out)
{
    const struct raw_writer *w = context;
    const struct cp_profile *p = w->p;

    for (uint32_t i = piece.from; i < piece.to; i++) {
        const struct cp_sample *s = &p->samples[i];
        const int64_t *values = p->values + (size_t)i * p->n_types;
        const uint32_t *stack = p->locs + s->locs;

        for (uint32_t k = 0; k < p->n_types; k++) {
            cp_out_char(out, ' ');
            cp_out_i64_right(out, values[k], 10);
        }
        cp_out_bytes(out, ": ", 2);
        write_stack(w, stack, s->n_locs, out);
        cp_out_char(out, '\n');
        if (s->label_set)
            cp_out_str(out, w->labels.items[s->label_set]);
    }
}

static void write_head(const struct cp_profile *p, struct cp_out *out)
{
    char time[CP_TIME_BYTES];
    size_t len = 0;

    for (uint32_t i = 0; i < p->n_comments; i++)
        cp_out_printf(out, "Comment: %s\n", cp_profile_cstr(p, p->comments[i]));
    if (p->doc_url)
        cp_out_printf(out, "Doc: %s\n", cp_profile_cstr(p, p->doc_url));
    cp_out_printf(out, "PeriodType: %s %s\n",
                  cp_profile_cstr(p, p->period_type.type),
                  cp_profile_cstr(p, p->period_type.unit));
    cp_out_printf(out, "Period: %lld\n", (long long)p->period);
    if (p->time_ns) {
        cp_time_precise(p->time_ns, time);
        cp_out_printf(out, "Time: %s\n", time);
    }
    if (p->duration_ns) {
        cp_duration_text(p->duration_ns, time);
        while (time[len] && cp_out_width(time, len + 1) <= 4)
            len++;
        cp_out_printf(out, "Duration: %.*s\n", (int)len, time);
    }
}

static void write_types(const struct cp_profile *p, struct cp_out *out)
{
    struct cp_out line = { .fd = -1 };
    size_t from = 0;

    for (uint32_t i = 0; i < p->n_types; i++)
        cp_out_printf(&line, "%s/%s%s ", cp_profile_cstr(p, p->types[i].type),
                      cp_profile_cstr(p, p->types[i].unit),
                      p->types[i].type == p->default_type ? "[dflt]" : "");
    while (line.len > 0 && line.buf[line.len - 1] == ' ')
        line.len--;
    while (from < line.len && line.buf[from] == ' ')
        from++;
    if (line.err.status != CP_OK)
        out->err = line.err;
    cp_out_cstr(out, "Samples:\n");
    cp_out_bytes(out, line.buf ? line.buf + from : "", line.len - from);
    cp_out_char(out, '\n');
    cp_out_release(&line);
}

static void write_line(const struct cp_profile *p, const struct cp_line *line,
                       struct cp_out *out)
{
    const struct cp_function *f = &p->functions[line->function];

    cp_out_str(out, cp_profile_str(p, f->name));
    cp_out_char(out, ' ');
    cp_out_str(out, cp_profile_str(p, f->filename));
    cp_out_char(out, ':');
    cp_out_i64(out, line->line);
    cp_out_char(out, ':');
    cp_out_i64(out, line->column);
    cp_out_cstr(out, " s=");
    cp_out_i64(out, f->start_line);
    if (f->name != f->system_name) {
        cp_out_char(out, '(');
        cp_out_str(out, cp_profile_str(p, f->system_name));
        cp_out_char(out, ')');
    }
    cp_out_char(out, '\n');
}

/* Writes the id right-aligned, without its trailing space. */
static void write_location_id(const struct id_text *id, struct cp_out *out)
{
    size_t len = id->len - 1U;

    if (len < LOCATION_ID_WIDTH)
        cp_out_fill(out, ' ', LOCATION_ID_WIDTH - len);
    cp_out_bytes(out, id->text, len);
}

static void write_locations(const void *context, struct cp_piece piece,
                            struct cp_out *out)
{
    const struct raw_writer *w = context;
    const struct cp_profile *p = w->p;

    for (uint32_t i = piece.from; i < piece.to; i++) {
        const struct cp_location *l = &p->locations[i];

        write_location_id(&w->ids[i], out);
        cp_out_cstr(out, ": ");
        hex(out, l->address);
        cp_out_char(out, ' ');
        if (l->mapping != CP_NONE) {
            cp_out_cstr(out, "M=");
            cp_out_u64(out, p->mappings[l->mapping].id);
            cp_out_char(out, ' ');
        }
        cp_out_cstr(out, l->is_folded ? "[F] " : "");
        cp_out_cstr(out, l->n_lines == 0 ? "\n" : "");
        for (uint32_t k = 0; k < l->n_lines; k++) {
            cp_out_cstr(out, k > 0 ? "             " : "");
            write_line(p, &p->lines[l->lines + k], out);
        }
    }
}

static void write_mapping(const struct cp_profile *p,
                          const struct cp_mapping *m, struct cp_out *out)
{
    cp_out_printf(out, "%llu: ", (unsigned long long)m->id);
    hex(out, m->start);
    cp_out_char(out, '/');
    hex(out, m->limit);
    cp_out_char(out, '/');
    hex(out, m->offset);
    cp_out_char(out, ' ');
    cp_out_str(out, cp_profile_str(p, m->file));
    cp_out_char(out, ' ');
    cp_out_str(out, cp_profile_str(p, m->build_id));
    cp_out_printf(out, " %s%s%s%s\n", m->has_functions ? "[FN]" : "",
                  m->has_filenames ? "[FL]" : "",
                  m->has_line_numbers ? "[LN]" : "",
                  m->has_inline_frames ? "[IN]" : "");
}

enum cp_status cp_write_raw(struct cp_report *r, struct cp_out *out,
                            struct cp_error *err)
{
    const struct cp_profile *p = r->profile;
    struct cp_label_style style = { one_key, p, "                ", " ", "\n" };
    struct raw_writer w = { .p = p };
    enum cp_status status = make_ids(&w, err);

    if (status == CP_OK)
        status = cp_label_texts_init(&w.labels, p, &style, err);
    if (status == CP_OK) {
        write_head(p, out);
        write_types(p, out);
        status = cp_pieces_write(p->n_samples, PIECE_SAMPLES, write_samples, &w,
                                 out, err);
    }
    if (status == CP_OK) {
        cp_out_cstr(out, "Locations\n");
        status = cp_pieces_write(p->n_locations, PIECE_LOCATIONS,
                                 write_locations, &w, out, err);
    }
    if (status == CP_OK) {
        cp_out_cstr(out, "Mappings\n");
        for (uint32_t i = 0; i < p->n_mappings; i++)
            write_mapping(p, &p->mappings[i], out);
    }
    cp_label_texts_release(&w.labels);
    cp_arena_release(&w.arena);
    return status;
}

enum cp_status cp_write_comments(struct cp_report *r, struct cp_out *out,
                                 struct cp_error *err)
{
    const struct cp_profile *p = r->profile;

    (void)err;
    for (uint32_t i = 0; i < p->n_comments; i++) {
        cp_out_str(out, cp_profile_str(p, p->comments[i]));
        cp_out_char(out, '\n');
    }
    return CP_OK;
}
