/*
 * report.c - the steps before any report: tag frames, filters, value, total.
 *
 * The order of the steps is google/pprof's. With relative_percentages the total
 * is computed after the filters, otherwise before them.
 */
#include "report/core/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/literal.h"
#include "base/number.h"
#include "base/units.h"
#include "profile/transform/inlines.h"
#include "profile/transform/tag_frames.h"
#include "regex/regex.h"
#include "report/core/filters.h"
#include "report/core/formats.h"

static enum cp_status find_value(const struct cp_profile *p, const char *name,
                                 uint32_t *out, struct cp_error *err)
{
    const char *bare = strncmp(name, "inuse_", 6) == 0 ? name + 6 : name;
    struct cp_out list = { .fd = -1 };
    long number;

    if (cp_literal_decimal(name, &number) == CP_LITERAL_OK) {
        if (number >= 0 && number < (long)p->n_types) {
            *out = (uint32_t)number;
            return CP_OK;
        }
        return cp_error_set(err, CP_EUSAGE,
                            "sample_index %s is outside the range [0..%d]",
                            name, (int)p->n_types - 1);
    }
    for (uint32_t i = 0; i < p->n_types; i++) {
        const char *type = cp_profile_cstr(p, p->types[i].type);

        if (strcmp(type, name) == 0 || strcmp(type, bare) == 0) {
            *out = i;
            cp_out_release(&list);
            return CP_OK;
        }
        cp_out_printf(&list, "%s%s", i ? " " : "", type);
    }
    cp_out_char(&list, '\0');
    (void)cp_error_set(err, CP_EUSAGE,
                       "sample_index \"%s\" must be one of: [%s]", name,
                       list.buf ? list.buf : "");
    cp_out_release(&list);
    return CP_EUSAGE;
}

/*
 * Returns the profile's default sample type if it has one, else the last type.
 */
static uint32_t default_value(const struct cp_profile *p)
{
    for (uint32_t i = 0; p->default_type && i < p->n_types; i++)
        if (p->types[i].type == p->default_type)
            return i;
    return p->n_types - 1;
}

static enum cp_status choose_value(struct cp_report *r, struct cp_error *err)
{
    struct cp_profile *p = r->profile;

    if (p->n_types == 0)
        return cp_error_set(err, CP_EFORMAT, "the profile has no sample types");
    if (r->options.sample_index[0] == '\0')
        r->value = default_value(p);
    else if (find_value(p, r->options.sample_index, &r->value, err) != CP_OK)
        return CP_EUSAGE;
    r->sample_unit = cp_profile_cstr(p, p->types[r->value].unit);
    r->sample_type = cp_profile_cstr(p, p->types[r->value].type);
    if (r->options.mean)
        r->sample_type =
            cp_arena_printf(&r->arena, err, "mean_%s", r->sample_type);
    return r->sample_type ? CP_OK : CP_ENOMEM;
}

/* Whether a label set has pprof::base=true, which marks samples of a base. */
static bool is_base_set(const struct cp_profile *p, uint32_t set, uint32_t key,
                        uint32_t yes)
{
    const struct cp_label_set *s = &p->label_sets[set];

    for (uint32_t i = 0; i < s->n_labels; i++)
        if (p->labels[s->labels + i].key == key &&
            p->labels[s->labels + i].str == yes)
            return true;
    return false;
}

/*
 * Computes the sum of absolute values. If there is a base, sums only the base's
 * samples.
 */
static void compute_total(struct cp_report *r)
{
    const struct cp_profile *p = r->profile;
    uint32_t key = cp_strtab_find(&p->strings, "pprof::base", 11);
    uint32_t yes = cp_strtab_find(&p->strings, "true", 4);
    int64_t all = 0, all_div = 0, base = 0, base_div = 0;
    bool has_base = key != CP_NO_STR && yes != CP_NO_STR;

    for (uint32_t i = 0; i < p->n_samples; i++) {
        int64_t div, net = cp_report_sample(r, i, &div);
        int64_t value = cp_abs(net);

        r->net = cp_add(r->net, net);
        all = cp_add(all, value);
        all_div = cp_add(all_div, div);
        if (has_base && is_base_set(p, p->samples[i].label_set, key, yes)) {
            base = cp_add(base, value);
            base_div = cp_add(base_div, div);
        }
    }
    r->total = base > 0 ? cp_report_mean(base, base_div)
                        : cp_report_mean(all, all_div);
}

static void warn_units(const struct cp_report *r)
{
    for (uint32_t i = 0; r->warn && i < r->label_units.n_warnings; i++)
        r->warn(r->warn_context, r->label_units.warnings[i]);
}

static enum cp_status add_tag_frames(struct cp_report *r, struct cp_error *err)
{
    bool root = false, leaf = false;
    enum cp_status status;

    if (!*r->options.tagroot && !*r->options.tagleaf)
        return CP_OK;
    status =
        cp_tag_frames_add(r->profile, r->options.tagroot, r->options.tagleaf,
                          r->options.unit, &root, &leaf, err);
    if (status == CP_OK && r->warn && *r->options.tagroot && !root)
        r->warn(r->warn_context, "TagRoot expression matched no samples");
    if (status == CP_OK && r->warn && *r->options.tagleaf && !leaf)
        r->warn(r->warn_context, "TagLeaf expression matched no samples");
    return status;
}

/*
 * Checks the regular expression of the format's argument before the filters, so
 * that its error comes first.
 */
static enum cp_status check_argument(const char *pattern, struct cp_error *err)
{
    struct cp_regex *re = cp_regex_new(pattern, strlen(pattern), err);

    if (!re) {
        cp_error_prefix(err, "parsing argument regexp %s: ", pattern);
        return CP_EUSAGE;
    }
    cp_regex_free(re);
    return CP_OK;
}

static enum cp_status prepare(struct cp_report *r, struct cp_error *err)
{
    enum cp_status status;

    if (*r->options.argument &&
        check_argument(r->options.argument, err) != CP_OK)
        return CP_EUSAGE;
    if (r->options.divide_by == 0)
        return cp_error_set(err, CP_EUSAGE, "zero divisor specified");
    r->ratio = 1 / r->options.divide_by;
    cp_format_adjust(&r->options);
    r->out_unit = r->options.unit;
    status = cp_label_units_init(&r->label_units, r->profile, err);
    if (status != CP_OK)
        return status;
    warn_units(r);
    status = add_tag_frames(r, err);
    if (status == CP_OK && r->options.relative_percentages)
        status = cp_report_filter(r, err);
    if (status == CP_OK)
        status = choose_value(r, err);
    if (status != CP_OK)
        return status;
    compute_total(r);
    if (!r->options.relative_percentages)
        status = cp_report_filter(r, err);
    if (r->options.noinlines && (r->options.format == CP_FORMAT_RAW ||
                                 r->options.format == CP_FORMAT_PROTO))
        cp_inlines_drop(r->profile, r->options.showcolumns);
    return status;
}

enum cp_status cp_report_init(struct cp_report *r, struct cp_error *err)
{
    enum cp_status status = prepare(r, err);

    if (status != CP_OK)
        cp_report_release(r);
    return status;
}

void cp_report_release(struct cp_report *r)
{
    cp_label_units_release(&r->label_units);
    cp_arena_release(&r->arena);
}

int64_t cp_report_divide(const struct cp_report *r, int64_t value)
{
    double divided = (double)value * r->ratio;

    if (!(r->ratio > 0) || r->ratio == 1)
        return value;
    return cp_to_int64(divided);
}

void cp_report_value(const struct cp_report *r, int64_t value, char *out)
{
    cp_unit_label(cp_report_divide(r, value), r->sample_unit, r->out_unit, out);
}

void cp_report_column(const struct cp_report *r, int64_t value,
                      struct cp_out *out)
{
    char text[CP_LABEL_BYTES] = ".";

    if (value != 0)
        cp_report_value(r, value, text);
    cp_out_right(out, text, 10);
}

enum cp_status cp_report_write(struct cp_report *r, struct cp_out *out,
                               struct cp_error *err)
{
    return cp_format_writer(r->options.format)(r, out, err);
}
