/* jeprof_raw.c - writes jeprof's symbolized heap and CPU profiles. */
#include "tool/jeprof/jeprof_raw.h"

#include <string.h>

#include "base/index.h"
#include "base/number.h"
#include "profile/model/profile.h"
#include "tool/cli/command.h"
#include "tool/cli/output.h"

/* Indexes of the sample values for objects and bytes; CP_NONE if absent. */
struct columns {
    uint32_t in_use[2], allocated[2];
};

static uint32_t find_type(const struct cp_profile *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_types; i++)
        if (strcmp(cp_profile_cstr(p, p->types[i].type), name) == 0)
            return i;
    return CP_NONE;
}

static bool find_columns(const struct cp_profile *p, struct columns *c)
{
    bool is_short = find_type(p, "space") != CP_NONE;

    c->in_use[0] = find_type(p, is_short ? "objects" : "inuse_objects");
    c->in_use[1] = find_type(p, is_short ? "space" : "inuse_space");
    c->allocated[0] = find_type(p, "alloc_objects");
    c->allocated[1] = find_type(p, "alloc_space");
    return c->in_use[0] != CP_NONE && c->in_use[1] != CP_NONE;
}

static void write_names(const struct cp_profile *p, struct cp_out *out)
{
    const char *binary =
        p->n_mappings ? cp_profile_cstr(p, p->mappings[0].file) : "";

    cp_out_printf(out, "--- symbol\nbinary=%s\n", binary);
    for (uint32_t i = 0; i < p->n_locations; i++) {
        const struct cp_location *l = &p->locations[i];

        if (l->n_lines == 0)
            continue;
        cp_out_printf(out, "0x%016llx ", (unsigned long long)l->address);
        for (uint32_t k = 0; k < l->n_lines; k++) {
            const struct cp_line *line = &p->lines[l->lines + k];

            cp_out_cstr(out, k ? "--" : "");
            cp_out_cstr(out,
                        cp_profile_cstr(p, p->functions[line->function].name));
        }
        cp_out_char(out, '\n');
    }
    cp_out_cstr(out, "---\n");
}

static void write_maps(const struct cp_profile *p, struct cp_out *out)
{
    for (uint32_t i = 0; i < p->n_mappings; i++) {
        const struct cp_mapping *m = &p->mappings[i];

        if (m->limit > m->start)
            cp_out_printf(
                out, "%llx-%llx r-xp %08llx 00:00 0 %s\n",
                (unsigned long long)m->start, (unsigned long long)m->limit,
                (unsigned long long)m->offset, cp_profile_cstr(p, m->file));
    }
}

static int64_t value_of(const struct cp_profile *p, uint32_t sample,
                        uint32_t column)
{
    return column == CP_NONE ? 0
                             : p->values[(size_t)sample * p->n_types + column];
}

/*
 * Writes "objects: bytes [objects: bytes] @" for a sample; CP_NONE selects the
 * sum of all samples.
 */
static void write_counts(const struct cp_profile *p, uint32_t sample,
                         const struct columns *c, struct cp_out *out)
{
    const uint32_t columns[4] = { c->in_use[0], c->in_use[1], c->allocated[0],
                                  c->allocated[1] };
    int64_t sums[4] = { 0 };
    bool is_one = sample != CP_NONE;

    for (int k = 0; k < 4; k++)
        for (uint32_t i = is_one ? sample : 0;
             i < (is_one ? sample + 1 : p->n_samples); i++)
            sums[k] = cp_add(sums[k], value_of(p, i, columns[k]));
    cp_out_printf(out, "%6lld: %8lld [%6lld: %8lld] @", (long long)sums[0],
                  (long long)sums[1], (long long)sums[2], (long long)sums[3]);
}

/*
 * Writes the heap profile. Its header says "not sampled", because the values
 * are already scaled.
 */
static void write_heap(const struct cp_profile *p, const struct columns *c,
                       struct cp_out *out)
{
    cp_out_cstr(out, "--- heap\nheap profile: ");
    write_counts(p, CP_NONE, c, out);
    cp_out_cstr(out, " heapprofile\n");
    for (uint32_t i = 0; i < p->n_samples; i++) {
        const uint32_t *stack = cp_profile_stack(p, i);

        write_counts(p, i, c, out);
        for (uint32_t k = 0; k < p->samples[i].n_locs; k++)
            cp_out_printf(out, " 0x%llx",
                          (unsigned long long)p->locations[stack[k]].address +
                              (k > 0)); /* return addresses follow the call */
        cp_out_char(out, '\n');
    }
    cp_out_cstr(out, "\nMAPPED_LIBRARIES:\n");
    write_maps(p, out);
}

static void write_word(struct cp_out *out, uint64_t word)
{
    cp_out_bytes(out, (const char *)&word, sizeof(word));
}

/* Writes gperftools' CPU profile: a sequence of machine words. */
static void write_cpu(const struct cp_profile *p, uint32_t column,
                      struct cp_out *out)
{
    uint64_t period = p->period > 1000 ? (uint64_t)p->period / 1000 : 10000;
    const uint64_t head[5] = { 0, 3, 0, period, 0 };

    cp_out_cstr(out, "--- profile\n");
    cp_out_bytes(out, (const char *)head, sizeof(head));
    for (uint32_t i = 0; i < p->n_samples; i++) {
        const uint32_t *stack = cp_profile_stack(p, i);
        int64_t count = value_of(p, i, column);

        if (count <= 0 || p->samples[i].n_locs == 0)
            continue;
        write_word(out, (uint64_t)count);
        write_word(out, p->samples[i].n_locs);
        for (uint32_t k = 0; k < p->samples[i].n_locs; k++)
            write_word(out, p->locations[stack[k]].address + (k > 0));
    }
    write_word(out, 0);
    write_word(out, 1);
    write_word(out, 0);
    write_maps(p, out);
}

enum cp_status cp_jeprof_raw(const struct cp_command *c,
                             const struct cp_profile *p, struct cp_error *err)
{
    struct cp_output output;
    struct columns columns;
    bool is_heap = find_columns(p, &columns);
    uint32_t samples = find_type(p, "samples");
    enum cp_status status;

    if (!is_heap && samples == CP_NONE)
        return cp_error_set(err, CP_EFORMAT,
                            "--raw knows heap and CPU profiles only; "
                            "pprof -proto writes any other");
    status = cp_output_open(&output, c, err);
    if (status != CP_OK)
        return status;
    write_names(p, &output.out);
    if (is_heap)
        write_heap(p, &columns, &output.out);
    else
        write_cpu(p, samples, &output.out);
    return cp_output_finish(&output, err);
}
