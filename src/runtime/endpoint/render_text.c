/*
 * render_text.c - writes profiles as text, for example:
 *
 *   goroutine profile: total 8
 *   2 @ 0x43c78e 0x44f4c5
 *   # labels: {"user":"bob"}
 *   #	0x43c78d	work	/src/work.c:77
 *   #	0x44f4c4	main	/src/main.c:5
 */
#include "runtime/endpoint/render_text.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "base/index.h"
#include "base/out.h"
#include "base/sort.h"
#include "profile/model/profile.h"
#include "runtime/endpoint/render.h"
#include "runtime/heap/memory_stats.h"
#include "runtime/kind/kind.h"
#include "runtime/symbolize/mappings.h"

#define TAB 8

struct writer {
    const struct cp_renderer *r;
    const struct cp_profile *p;
    struct cp_out *out;
    bool has_go_suffixes; /* debug=2: see has_only_go_suffixes */
};

/* A profile with two value types, such as leak, repeats them as a pair. */
static int64_t value(const struct cp_profile *p, uint32_t sample, uint32_t type)
{
    CP_ASSERT(sample < p->n_samples);
    if (p->n_types == 2)
        type %= 2;
    return type < p->n_types ? p->values[(size_t)sample * p->n_types + type]
                             : 0;
}

static int64_t total(const struct cp_profile *p, uint32_t type)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < p->n_samples; i++)
        sum += value(p, i, type);
    return sum;
}

/* ---- one stack ---- */

/* Column widths in characters, multiples of TAB. */
struct columns {
    size_t address, name;
};

static const char *name_of(const struct cp_profile *p,
                           const struct cp_line *line)
{
    CP_ASSERT(line->function < p->n_functions);
    return cp_profile_cstr(p, p->functions[line->function].name);
}

static size_t address_text(uint64_t address, char out[24])
{
    return (size_t)snprintf(out, 24, "0x%llx", (unsigned long long)address);
}

static struct columns measure(const struct cp_profile *p, uint32_t sample)
{
    const uint32_t *stack = cp_profile_stack(p, sample);
    struct columns c = { 0, 0 };
    char text[24];

    for (uint32_t i = 0; i < p->samples[sample].n_locs; i++) {
        const struct cp_location *l = &p->locations[stack[i]];
        size_t len = address_text(l->address, text);

        c.address = len > c.address ? len : c.address;
        for (uint32_t k = 0; k < l->n_lines; k++) {
            len = strlen(name_of(p, &p->lines[l->lines + k]));
            c.name = len > c.name ? len : c.name;
        }
    }
    c.address = (c.address / TAB + 1) * TAB;
    c.name = (c.name / TAB + 1) * TAB;
    CP_ASSERT(c.address % TAB == 0 && c.name % TAB == 0);
    return c;
}

/* A cell, padded with tabs to the width of its column. */
static void put_cell(struct cp_out *out, const char *text, size_t width)
{
    size_t len = strlen(text);

    cp_out_bytes(out, text, len);
    for (; len < width; len = (len / TAB + 1) * TAB)
        cp_out_char(out, '\t');
}

static void put_frame(const struct writer *w, uint64_t address,
                      const struct cp_line *line, struct columns c)
{
    const struct cp_profile *p = w->p;
    const char *file;
    char text[24];

    (void)address_text(address, text);
    cp_out_cstr(w->out, "#\t");
    if (!line) {
        cp_out_cstr(w->out, text);
        cp_out_char(w->out, '\n');
        return;
    }
    file = cp_profile_cstr(p, p->functions[line->function].filename);
    put_cell(w->out, text, c.address);
    if (*file) {
        put_cell(w->out, name_of(p, line), c.name);
        cp_out_printf(w->out, "%s:%lld", file, (long long)line->line);
    } else {
        cp_out_cstr(w->out, name_of(p, line));
    }
    cp_out_char(w->out, '\n');
}

static void put_frames(const struct writer *w, uint32_t sample)
{
    const struct cp_profile *p = w->p;
    const uint32_t *stack = cp_profile_stack(p, sample);
    struct columns c = measure(p, sample);

    for (uint32_t i = 0; i < p->samples[sample].n_locs; i++) {
        const struct cp_location *l = &p->locations[stack[i]];

        CP_ASSERT(stack[i] < p->n_locations);
        CP_ASSERT(l->lines + l->n_lines <= p->n_lines);
        for (uint32_t k = 0; k < l->n_lines; k++)
            put_frame(w, l->address, &p->lines[l->lines + k], c);
        if (l->n_lines == 0)
            put_frame(w, l->address, NULL, c);
    }
    cp_out_char(w->out, '\n');
}

/* " @ 0x.. 0x..": return addresses, one past the call. */
static void put_addresses(const struct writer *w, uint32_t sample)
{
    const struct cp_profile *p = w->p;
    const uint32_t *stack = cp_profile_stack(p, sample);

    cp_out_cstr(w->out, " @");
    for (uint32_t i = 0; i < p->samples[sample].n_locs; i++)
        cp_out_printf(w->out, " 0x%llx",
                      (unsigned long long)p->locations[stack[i]].address + 1);
    cp_out_char(w->out, '\n');
}

static void put_quoted(struct cp_out *out, struct cp_str text)
{
    cp_out_char(out, '"');
    for (uint32_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        if (c == '"' || c == '\\')
            cp_out_char(out, '\\');
        if (c < 0x20)
            cp_out_printf(out, "\\u%04x", c);
        else
            cp_out_char(out, (char)c);
    }
    cp_out_char(out, '"');
}

static void put_labels(const struct writer *w, uint32_t sample)
{
    const struct cp_profile *p = w->p;
    const struct cp_label_set *set =
        &p->label_sets[p->samples[sample].label_set];
    const char *before = "# labels: {";

    for (uint32_t i = 0; i < set->n_labels; i++) {
        const struct cp_label *l = &p->labels[set->labels + i];

        if (l->str == CP_NONE)
            continue;
        cp_out_cstr(w->out, before);
        put_quoted(w->out, cp_profile_str(p, l->key));
        cp_out_char(w->out, ':');
        put_quoted(w->out, cp_profile_str(p, l->str));
        before = ", ";
    }
    if (*before == ',')
        cp_out_cstr(w->out, "}\n");
}

/* ---- debug=1 ---- */

static void put_heap_values(struct cp_out *out, const int64_t v[4])
{
    cp_out_printf(out, "%lld: %lld [%lld: %lld]", (long long)v[2],
                  (long long)v[3], (long long)v[0], (long long)v[1]);
}

/*
 * Readers undo the sampling by the suffix: "heap/2P" is the older form, which
 * Go prints, and "heap_v2/P" is the form of gperftools. P is the mean sampling
 * interval in bytes. Growth is not sampled.
 */
static void put_heap_head(const struct writer *w)
{
    const struct cp_profile *p = w->p;
    int64_t v[4];

    for (uint32_t i = 0; i < 4; i++) {
        v[i] = total(p, i);
        v[i] = v[i] < 0 && w->r->is_gperf ? 0 : v[i];
    }
    /* Equal values would look like a profile with two columns. */
    v[1] += v[1] == v[3];
    cp_out_cstr(w->out, "heap profile: ");
    put_heap_values(w->out, v);
    if (strcmp(w->r->kind->name, "growth") == 0)
        cp_out_cstr(w->out, " @ growth\n");
    else if (w->r->is_gperf)
        cp_out_printf(w->out, " @ heap_v2/%lld\n", (long long)p->period);
    else
        cp_out_printf(w->out, " @ heap/%lld\n", (long long)p->period * 2);
}

static void put_head(const struct writer *w)
{
    const struct cp_profile *p = w->p;

    switch (w->r->kind->text) {
    case CP_KIND_TEXT_HEAP:
        put_heap_head(w);
        break;
    case CP_KIND_TEXT_CONTENTION:
        cp_out_cstr(w->out, "--- contention:\ncycles/second=1000000000\n");
        break;
    case CP_KIND_TEXT_MUTEX:
        cp_out_cstr(w->out, "--- mutex:\ncycles/second=1000000000\n"
                            "sampling period=1\n");
        break;
    case CP_KIND_TEXT_COUNT:
    case CP_KIND_TEXT_NONE:
        cp_out_printf(w->out, "%s profile: total %lld\n", w->r->kind->name,
                      (long long)total(p, 0));
        break;
    }
}

static void put_values(const struct writer *w, uint32_t sample)
{
    const struct cp_profile *p = w->p;
    int64_t v[4];

    for (uint32_t i = 0; i < 4; i++) {
        v[i] = value(p, sample, i);
        v[i] = v[i] < 0 && w->r->is_gperf ? 0 : v[i]; /* unsigned */
    }
    switch (w->r->kind->text) {
    case CP_KIND_TEXT_HEAP:
        put_heap_values(w->out, v);
        break;
    case CP_KIND_TEXT_CONTENTION:
    case CP_KIND_TEXT_MUTEX:
        cp_out_printf(w->out, "%lld %lld", (long long)v[1], (long long)v[0]);
        break;
    case CP_KIND_TEXT_COUNT:
    case CP_KIND_TEXT_NONE:
        cp_out_i64(w->out, v[0]);
        break;
    }
}

/* The value type that samples are sorted by. */
static uint32_t key_type(const struct writer *w)
{
    switch (w->r->kind->text) {
    case CP_KIND_TEXT_HEAP:
        return 3;
    case CP_KIND_TEXT_CONTENTION:
    case CP_KIND_TEXT_MUTEX:
        return 1;
    default:
        return 0;
    }
}

/* The samples in descending order of that value. */
static struct cp_sort_pair *order_samples(const struct writer *w,
                                          struct cp_error *err)
{
    const struct cp_profile *p = w->p;
    struct cp_sort_pair *order = cp_alloc(p->n_samples, sizeof(*order), err);

    for (uint32_t i = 0; order && i < p->n_samples; i++)
        order[i] = (struct cp_sort_pair){
            UINT64_MAX - (uint64_t)value(p, i, key_type(w)), i
        };
    if (order && cp_sort_pairs(order, p->n_samples, err) != CP_OK) {
        cp_free(order);
        return NULL;
    }
    return order;
}

static enum cp_status put_samples(const struct writer *w, struct cp_error *err)
{
    const struct cp_profile *p = w->p;
    struct cp_sort_pair *order = order_samples(w, err);

    if (!order)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < p->n_samples; i++) {
        uint32_t sample = (uint32_t)order[i].value;

        CP_ASSERT(sample < p->n_samples);
        if (p->samples[sample].n_locs == 0)
            continue; /* readers reject a line without addresses */
        put_values(w, sample);
        put_addresses(w, sample);
        put_labels(w, sample);
        put_frames(w, sample);
    }
    cp_free(order);
    return CP_OK;
}

void cp_render_text_maps(const struct cp_mappings *m, struct cp_out *out)
{
    for (size_t i = 0; i < m->n_maps; i++) {
        const struct cp_map *map = &m->maps[i];

        if (map->file == UINT32_MAX)
            continue;
        cp_out_printf(
            out, "%llx-%llx r-xp %08llx 00:00 0 %s\n",
            (unsigned long long)map->start, (unsigned long long)map->limit,
            (unsigned long long)map->offset, m->files[map->file].path);
    }
}

/* ---- debug=2: one stack per thread ---- */

/* Writes the value of a label, or `otherwise` if the sample lacks it. */
static void put_label_of(const struct writer *w, uint32_t sample,
                         const char *key, const char *otherwise)
{
    const struct cp_profile *p = w->p;
    const struct cp_label_set *set =
        &p->label_sets[p->samples[sample].label_set];

    for (uint32_t i = 0; i < set->n_labels; i++) {
        const struct cp_label *l = &p->labels[set->labels + i];

        if (strcmp(cp_profile_cstr(p, l->key), key) != 0)
            continue;
        if (l->str == CP_NONE)
            cp_out_i64(w->out, l->num);
        else
            cp_out_str(w->out, cp_profile_str(p, l->str));
        return;
    }
    cp_out_cstr(w->out, otherwise);
}

/*
 * Readers of Go's dumps, such as panicparse, accept .c, .go and .s files and
 * "??" only. So a C program shows "??" for its few frames in headers and in .S
 * files. A program in any other language shows every file name, because people
 * read it.
 */
static bool has_suffix(const char *file, const char *const *suffixes)
{
    const char *dot = strrchr(file, '.');

    while (dot && *suffixes)
        if (strcmp(dot, *suffixes++) == 0)
            return true;
    return false;
}

static const char *const go_suffixes[] = { ".c", ".go", ".s", NULL };
static const char *const hidden_suffixes[] = { ".h", ".S", NULL };

static bool has_only_go_suffixes(const struct cp_profile *p)
{
    for (uint32_t i = 0; i < p->n_functions; i++) {
        const char *file = cp_profile_cstr(p, p->functions[i].filename);

        if (*file && !has_suffix(file, go_suffixes) &&
            !has_suffix(file, hidden_suffixes))
            return false;
    }
    return true;
}

static const char *dump_file(const struct writer *w, const char *file)
{
    return *file && (!w->has_go_suffixes || has_suffix(file, go_suffixes))
               ? file
               : "??";
}

static void put_call(const struct writer *w, const struct cp_location *l,
                     const struct cp_line *line)
{
    const struct cp_profile *p = w->p;
    const char *file;

    if (!line) {
        cp_out_printf(w->out, "0x%llx(...)\n\t??:0\n",
                      (unsigned long long)l->address);
        return;
    }
    file = cp_profile_cstr(p, p->functions[line->function].filename);
    cp_out_printf(w->out, "%s(...)\n\t%s:%lld\n", name_of(p, line),
                  dump_file(w, file), (long long)line->line);
}

static void put_thread(const struct writer *w, uint32_t sample)
{
    const struct cp_profile *p = w->p;
    const uint32_t *stack = cp_profile_stack(p, sample);

    cp_out_cstr(w->out, "goroutine ");
    put_label_of(w, sample, "tid", "0");
    cp_out_cstr(w->out, " [");
    put_label_of(w, sample, "state", "unknown");
    cp_out_cstr(w->out, ", locked to thread]:\n");
    for (uint32_t i = 0; i < p->samples[sample].n_locs; i++) {
        const struct cp_location *l = &p->locations[stack[i]];

        CP_ASSERT(stack[i] < p->n_locations);
        for (uint32_t k = 0; k < l->n_lines; k++)
            put_call(w, l, &p->lines[l->lines + k]);
        if (l->n_lines == 0)
            put_call(w, l, NULL);
    }
    cp_out_char(w->out, '\n');
}

enum cp_status cp_render_text_write(const struct cp_renderer *r,
                                    const struct cp_profile *p,
                                    const struct cp_mappings *m,
                                    struct cp_out *out, struct cp_error *err)
{
    struct writer w = { r, p, out, false };

    if (r->debug >= 2 && r->kind->text == CP_KIND_TEXT_COUNT) {
        w.has_go_suffixes = has_only_go_suffixes(p);
        for (uint32_t i = 0; i < p->n_samples; i++)
            put_thread(&w, i);
        return cp_out_finish(out, err);
    }
    put_head(&w);
    if (put_samples(&w, err) != CP_OK)
        return CP_ENOMEM;
    if (r->kind->text == CP_KIND_TEXT_HEAP)
        cp_memory_stats_write(out);
    cp_out_cstr(out, r->kind->text == CP_KIND_TEXT_HEAP
                         ? "MAPPED_LIBRARIES:\n"
                         : "--- Memory map: ---\n");
    cp_render_text_maps(m, out);
    return cp_out_finish(out, err);
}
