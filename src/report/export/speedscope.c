/*
 * speedscope.c - the report "speedscope": a file for speedscope.app.
 *
 * Each sample type becomes a profile in the file, and the chosen type is the
 * active one, so only labels and addresses are lost. The "exporter" field lets
 * import/speedscope.c recombine the profiles. Negative values, which a flame
 * chart cannot show, are omitted.
 */

#include <string.h>

#include "base/pieces.h"
#include "report/core/escape.h"
#include "report/core/formats.h"
#include "report/core/frames.h"
#include "report/core/report.h"

#define PIECE_SAMPLES 4096

struct writer {
    const struct cp_report *r;
    struct cp_frames frames;
    uint32_t type;  /* sample type being written */
    bool is_stacks; /* writing samples, not weights */
};

static int64_t value_of(const struct writer *w, uint32_t sample)
{
    const struct cp_profile *p = w->r->profile;
    const int64_t *values = p->values + (size_t)sample * p->n_types;
    int64_t value = values[w->type];

    if (w->r->options.mean)
        value = cp_report_mean(value, values[0]);
    return cp_report_divide(w->r, value);
}

/* Writes frame numbers from the root to the leaf. */
static void write_stack(const struct writer *w, uint32_t sample,
                        struct cp_out *out)
{
    const struct cp_profile *p = w->r->profile;
    const uint32_t *locs = cp_profile_stack(p, sample);
    const uint32_t *first = w->frames.first;
    bool is_first = true;

    cp_out_char(out, '[');
    for (uint32_t k = p->samples[sample].n_locs; k-- > 0;)
        for (uint32_t j = first[locs[k] + 1]; j-- > first[locs[k]];) {
            if (!is_first)
                cp_out_char(out, ',');
            is_first = false;
            cp_out_u64(out, w->frames.nodes[j]);
        }
    cp_out_char(out, ']');
}

/* Writes items, each with a trailing comma. */
static void write_items(const void *context, struct cp_piece piece,
                        struct cp_out *out)
{
    const struct writer *w = context;

    for (uint32_t i = piece.from; i < piece.to; i++) {
        int64_t value = value_of(w, i);

        if (value <= 0)
            continue;
        if (w->is_stacks)
            write_stack(w, i, out);
        else
            cp_out_i64(out, value);
        cp_out_cstr(out, ",\n");
    }
}

/* Writes a list of items without the final comma. */
static enum cp_status write_list(struct writer *w, bool is_stacks,
                                 struct cp_out *out, struct cp_error *err)
{
    struct cp_out list = { .fd = -1 };
    enum cp_status status;

    w->is_stacks = is_stacks;
    status = cp_pieces_write(w->r->profile->n_samples, PIECE_SAMPLES,
                             write_items, w, &list, err);
    if (list.len >= 2)
        list.len -= 2;
    cp_out_char(out, '[');
    cp_out_join(out, &list);
    cp_out_char(out, ']');
    cp_out_release(&list);
    return status;
}

static struct cp_str text(const char *cstr)
{
    return (struct cp_str){ cstr, (uint32_t)strlen(cstr) };
}

/* Units that the format knows; everything else is "none". */
static const char *unit_name(const char *unit)
{
    static const char *const words[] = { "nanoseconds", "microseconds",
                                         "milliseconds", "seconds", "bytes" };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(unit, words[i]) == 0)
            return words[i];
    return "none";
}

static enum cp_status write_profile(struct writer *w, struct cp_out *out,
                                    struct cp_error *err)
{
    const struct cp_profile *p = w->r->profile;
    int64_t total = 0;
    enum cp_status status;

    for (uint32_t i = 0; i < p->n_samples; i++) {
        int64_t value = value_of(w, i);

        if (value > 0 && __builtin_add_overflow(total, value, &total))
            total = INT64_MAX;
    }
    cp_out_cstr(out, "{\"type\":\"sampled\",\"name\":");
    cp_escape_json(out, w->type == w->r->value
                            ? text(w->r->sample_type)
                            : cp_profile_str(p, p->types[w->type].type));
    cp_out_printf(out,
                  ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%lld,"
                  "\"samples\":",
                  unit_name(cp_profile_cstr(p, p->types[w->type].unit)),
                  (long long)total);
    status = write_list(w, true, out, err);
    cp_out_cstr(out, ",\"weights\":");
    if (status == CP_OK)
        status = write_list(w, false, out, err);
    cp_out_char(out, '}');
    return status;
}

static enum cp_status write_frames(struct writer *w, struct cp_out *out,
                                   struct cp_error *err)
{
    const struct cp_profile *p = w->r->profile;
    struct cp_arena scratch = { 0 };
    enum cp_status status = CP_OK;

    for (uint32_t i = 0; status == CP_OK && i < w->frames.n_infos; i++) {
        const struct cp_node_info *info = &w->frames.infos[i];
        struct cp_str name = info->name
                                 ? cp_profile_str(p, info->name)
                                 : cp_frames_name(p, info, &scratch, err);

        status = name.ptr ? CP_OK : CP_ENOMEM;
        cp_out_cstr(out, i ? ",\n{\"name\":" : "{\"name\":");
        cp_escape_json(out, name);
        if (info->name && info->file) {
            cp_out_cstr(out, ",\"file\":");
            cp_escape_json(out, cp_profile_str(p, info->file));
        }
        if (info->name && info->line > 0)
            cp_out_printf(out, ",\"line\":%lld", (long long)info->line);
        if (info->name && info->column > 0)
            cp_out_printf(out, ",\"col\":%lld", (long long)info->column);
        cp_out_char(out, '}');
    }
    cp_arena_release(&scratch);
    return status;
}

/* Writes all types; with means only the chosen one. */
static enum cp_status write_all(struct writer *w, struct cp_out *out,
                                struct cp_error *err)
{
    const struct cp_report *r = w->r;
    enum cp_status status;

    cp_out_printf(
        out,
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
        "\"exporter\":\"cpprof\",\"activeProfileIndex\":%u,\"shared\":"
        "{\"frames\":[",
        r->options.mean ? 0 : r->value);
    status = write_frames(w, out, err);
    cp_out_cstr(out, "]},\n\"profiles\":[");
    for (uint32_t i = 0; status == CP_OK && i < r->profile->n_types; i++) {
        if (r->options.mean && i != r->value)
            continue;
        w->type = i;
        cp_out_cstr(out, i && !r->options.mean ? ",\n" : "\n");
        status = write_profile(w, out, err);
    }
    cp_out_cstr(out, "]}\n");
    return status;
}

enum cp_status cp_write_speedscope(struct cp_report *r, struct cp_out *out,
                                   struct cp_error *err)
{
    struct writer w = { .r = r };
    enum cp_status status = cp_frames_init(&w.frames, r, 0, err);

    if (status != CP_OK)
        return status;
    status = write_all(&w, out, err);
    cp_frames_release(&w.frames);
    return status;
}
