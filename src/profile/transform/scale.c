/* scale.c - scales columns and reduces profiles to common sample types. */
#include "profile/transform/scale.h"

#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "base/number.h"
#include "base/units.h"
#include "profile/model/profile.h"

void cp_scale_columns(struct cp_profile *p, const double *ratios)
{
    bool any = false;
    uint32_t n = 0;

    for (uint32_t k = 0; k < p->n_types; k++)
        any |= ratios[k] != 1;
    if (!any)
        return;
    for (uint32_t i = 0; i < p->n_samples; i++) {
        int64_t *values = p->values + (size_t)i * p->n_types;
        bool keep = false;

        for (uint32_t k = 0; k < p->n_types; k++) {
            if (ratios[k] == 1)
                continue;
            values[k] = ratios[k] == -1
                            ? (int64_t)(0 - (uint64_t)values[k])
                            : cp_round_int64((double)values[k] * ratios[k]);
            keep |= values[k] != 0;
        }
        if (!keep)
            continue;
        p->samples[n] = p->samples[i];
        memmove(p->values + (size_t)n * p->n_types, values,
                p->n_types * sizeof(*values));
        n++;
    }
    p->n_samples = n;
}

enum cp_status cp_scale_all(struct cp_profile *p, double ratio,
                            struct cp_error *err)
{
    double *ratios = cp_alloc(p->n_types, sizeof(*ratios), err);

    if (!ratios)
        return CP_ENOMEM;
    for (uint32_t k = 0; k < p->n_types; k++)
        ratios[k] = ratio;
    cp_scale_columns(p, ratios);
    cp_free(ratios);
    return CP_OK;
}

static int64_t column_sum(const struct cp_profile *p, uint32_t k)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < p->n_samples; i++)
        sum += (uint64_t)p->values[(size_t)i * p->n_types + k];
    return (int64_t)sum;
}

static bool same_text(const struct cp_profile *a, uint32_t x,
                      const struct cp_profile *b, uint32_t y)
{
    return cp_str_cmp(cp_profile_str(a, x), cp_profile_str(b, y)) == 0;
}

static bool same_type(const struct cp_profile *a, struct cp_value_type x,
                      const struct cp_profile *b, struct cp_value_type y)
{
    return same_text(a, x.type, b, y.type) && same_text(a, x.unit, b, y.unit);
}

/*
 * Returns a description of the difference that prevents a merge; NULL if the
 * profiles match.
 */
static const char *find_difference(const struct cp_profile *a,
                                   const struct cp_profile *b)
{
    if (!same_type(a, a->period_type, b, b->period_type))
        return "period";
    if (a->n_types != b->n_types)
        return "sample";
    for (uint32_t k = 0; k < a->n_types; k++)
        if (!same_type(a, a->types[k], b, b->types[k]))
            return "sample";
    return NULL;
}

enum cp_status cp_scale_normalize(struct cp_profile *p,
                                  const struct cp_profile *base,
                                  struct cp_error *err)
{
    const char *difference = find_difference(p, base);
    double *ratios;

    if (difference)
        return cp_error_set(err, CP_EUSAGE,
                            "incompatible %s types: the source and the base "
                            "must have the same to be normalized",
                            difference);
    ratios = cp_alloc(p->n_types, sizeof(*ratios), err);
    if (!ratios)
        return CP_ENOMEM;
    for (uint32_t k = 0; k < p->n_types; k++) {
        int64_t mine = column_sum(p, k);

        ratios[k] = mine == 0 ? 0 : (double)column_sum(base, k) / (double)mine;
    }
    cp_scale_columns(p, ratios);
    cp_free(ratios);
    return CP_OK;
}

/*
 * Returns the column of p with the type that string `type` of profile `of`
 * names.
 */
static uint32_t find_type(const struct cp_profile *p,
                          const struct cp_profile *of, uint32_t type)
{
    for (uint32_t k = 0; k < p->n_types; k++)
        if (same_text(p, p->types[k].type, of, type))
            return k;
    return CP_NONE;
}

/* Whether every profile has the type exactly once. */
static bool is_common(struct cp_profile **profiles, size_t n,
                      const struct cp_profile *of, uint32_t type)
{
    for (size_t i = 0; i < n; i++) {
        const struct cp_profile *p = profiles[i];
        uint32_t n_found = 0;

        for (uint32_t k = 0; k < p->n_types; k++)
            n_found += same_text(p, p->types[k].type, of, type);
        if (n_found != 1)
            return false;
    }
    return true;
}

/* Keeps only the columns listed in `from`, in that order. */
static enum cp_status select_columns(struct cp_profile *p, const uint32_t *from,
                                     uint32_t n, struct cp_error *err)
{
    struct cp_value_type *types =
        cp_arena_alloc(&p->arena, n, sizeof(*types), err);
    int64_t *values = cp_arena_alloc(&p->arena, (size_t)n * p->n_samples,
                                     sizeof(*values), err);
    bool has_default = false;

    if (!types || !values)
        return CP_ENOMEM;
    for (uint32_t k = 0; k < n; k++) {
        types[k] = p->types[from[k]];
        has_default |= types[k].type == p->default_type;
    }
    for (uint32_t i = 0; i < p->n_samples; i++)
        for (uint32_t k = 0; k < n; k++)
            values[(size_t)i * n + k] =
                p->values[(size_t)i * p->n_types + from[k]];
    if (!has_default)
        p->default_type = types[0].type;
    p->types = types;
    p->values = values;
    p->n_types = n;
    return CP_OK;
}

/* Reduces p to the columns of `first` that are in `common`. */
static enum cp_status reduce(struct cp_profile *p,
                             const struct cp_profile *first,
                             const uint32_t *common, uint32_t n,
                             struct cp_error *err)
{
    uint32_t *from = cp_alloc(n, sizeof(*from), err);
    bool is_same = p->n_types == n;
    enum cp_status status = CP_OK;

    if (!from)
        return CP_ENOMEM;
    for (uint32_t k = 0; k < n; k++) {
        from[k] = find_type(p, first, common[k]);
        is_same &= from[k] == k;
    }
    if (!is_same)
        status = select_columns(p, from, n, err);
    cp_free(from);
    return status;
}

static enum cp_status keep_common(struct cp_profile **profiles, size_t n,
                                  struct cp_error *err)
{
    const struct cp_profile *first = profiles[0];
    uint32_t *common = cp_alloc(first->n_types, sizeof(*common), err);
    uint32_t n_common = 0;
    enum cp_status status = CP_OK;

    if (!common)
        return CP_ENOMEM;
    for (uint32_t k = 0; k < first->n_types; k++)
        if (is_common(profiles, n, first, first->types[k].type))
            common[n_common++] = first->types[k].type;
    if (n_common == 0)
        status = cp_error_set(err, CP_EFORMAT,
                              "profiles have empty common sample type list");
    for (size_t i = n; status == CP_OK && i > 0;
         i--) /* the first profile last, because the others refer to it */
        status = reduce(profiles[i - 1], first, common, n_common, err);
    cp_free(common);
    return status;
}

/* Returns a value type: of a column, or of the period if column is CP_NONE. */
static struct cp_value_type *type_at(struct cp_profile *p, uint32_t column)
{
    return column == CP_NONE ? &p->period_type : &p->types[column];
}

static enum cp_status incompatible(const struct cp_profile *a,
                                   struct cp_value_type x,
                                   const struct cp_profile *b,
                                   struct cp_value_type y, uint32_t column,
                                   struct cp_error *err)
{
    return cp_error_set(err, CP_EFORMAT,
                        "%s: incompatible types: {%s %s 0 0} {%s %s 0 0}",
                        column == CP_NONE ? "period type" : "sample types",
                        cp_profile_cstr(a, x.type), cp_profile_cstr(a, x.unit),
                        cp_profile_cstr(b, y.type), cp_profile_cstr(b, y.unit));
}

/* Returns the factor from unit `from` to unit `to`. */
static double unit_ratio(const char *from, const char *to)
{
    const char *name;

    return strcmp(from, to) == 0 ? 1 : cp_unit_scale(1, from, to, &name);
}

/* Finds the name of the smallest unit of a type among the profiles. */
static enum cp_status smallest_unit(struct cp_profile **profiles, size_t n,
                                    uint32_t column, const char **out,
                                    struct cp_error *err)
{
    struct cp_profile *first = profiles[0];
    struct cp_value_type x = *type_at(first, column);

    *out = cp_profile_cstr(first, x.unit);
    for (size_t i = 1; i < n; i++) {
        struct cp_value_type y = *type_at(profiles[i], column);
        const char *unit = cp_profile_cstr(profiles[i], y.unit);

        if (!same_text(first, x.type, profiles[i], y.type) ||
            !cp_unit_same_family(*out, unit))
            return incompatible(first, x, profiles[i], y, column, err);
        if (unit_ratio(unit, *out) < 1)
            *out = unit;
    }
    return CP_OK;
}

static enum cp_status set_unit(struct cp_profile *p, uint32_t column,
                               const char *unit, struct cp_error *err)
{
    uint32_t id = cp_strtab_add(&p->strings, unit, strlen(unit), err);

    if (id == CP_NO_STR)
        return CP_ENOMEM;
    type_at(p, column)->unit = id;
    return CP_OK;
}

static enum cp_status unify_periods(struct cp_profile **profiles, size_t n,
                                    struct cp_error *err)
{
    const char *unit;
    enum cp_status status = smallest_unit(profiles, n, CP_NONE, &unit, err);

    for (size_t i = 0; status == CP_OK && i < n; i++) {
        struct cp_profile *p = profiles[i];
        double ratio =
            unit_ratio(cp_profile_cstr(p, p->period_type.unit), unit);

        if (ratio != 1)
            p->period = cp_round_int64((double)p->period * ratio);
        status = set_unit(p, CP_NONE, unit, err);
    }
    return status;
}

static enum cp_status unify_units(struct cp_profile **profiles, size_t n,
                                  struct cp_error *err)
{
    uint32_t n_types = profiles[0]->n_types;
    double *ratios = cp_alloc(n_types * n, sizeof(*ratios), err);
    enum cp_status status = ratios ? CP_OK : CP_ENOMEM;

    for (uint32_t k = 0; status == CP_OK && k < n_types; k++) {
        const char *unit;

        status = smallest_unit(profiles, n, k, &unit, err);
        for (size_t i = 0; status == CP_OK && i < n; i++) {
            struct cp_profile *p = profiles[i];

            ratios[i * n_types + k] =
                unit_ratio(cp_profile_cstr(p, p->types[k].unit), unit);
            status = set_unit(p, k, unit, err);
        }
    }
    for (size_t i = 0; status == CP_OK && i < n; i++)
        cp_scale_columns(profiles[i], ratios + i * n_types);
    cp_free(ratios);
    return status;
}

enum cp_status cp_make_compatible(struct cp_profile **profiles, size_t n,
                                  struct cp_error *err)
{
    enum cp_status status = keep_common(profiles, n, err);

    if (status != CP_OK || n == 1)
        return status;
    status = unify_periods(profiles, n, err);
    return status == CP_OK ? unify_units(profiles, n, err) : status;
}
