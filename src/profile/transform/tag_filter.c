/* tag_filter.c - parses and evaluates tag expressions. */
#include "profile/transform/tag_filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "base/units.h"
#include "profile/model/label_units.h"
#include "profile/model/profile.h"
#include "regex/regex.h"

#define UNIT_BYTES 32

struct cp_tag_filter {
    char *text; /* owned copy: key NUL value */
    const char *key;
    const char *value;
    bool is_range, has_low, has_high;
    double low, high;
    char unit[UNIT_BYTES];
    struct cp_regex **expressions;
    size_t n_expressions;
    char *joined; /* scratch space for "key:value" */
    size_t cap_joined;
    bool is_out_of_memory; /* whether an allocation failed */
};

/* A number with a unit of letters. */
struct amount {
    int64_t number;
    char unit[UNIT_BYTES];
};

static bool read_amount(const char **at, struct amount *out)
{
    const char *p = *at, *digits;
    char *end;
    size_t n = 0;

    digits = p + (*p == '+' || *p == '-');
    if (!isdigit((unsigned char)*digits))
        return false;
    errno = 0;
    out->number = strtoll(p, &end, 10);
    if (errno != 0)
        return false;
    for (; isalpha((unsigned char)*end); end++) {
        if (n + 1 >= UNIT_BYTES)
            return false;
        out->unit[n++] = *end;
    }
    out->unit[n] = '\0';
    *at = end;
    return true;
}

static double in_unit(int64_t number, const char *from, const char *to,
                      char unit[UNIT_BYTES])
{
    const char *name = "";
    double value = cp_unit_scale(number, from, to, &name);

    (void)strncpy(unit, name, UNIT_BYTES - 1);
    unit[UNIT_BYTES - 1] = '\0';
    return value;
}

static void set_bounds(struct cp_tag_filter *f, bool has_low, bool has_high,
                       double low, double high)
{
    f->is_range = true;
    f->has_low = has_low;
    f->has_high = has_high;
    f->low = low;
    f->high = high;
}

/* Parses the value as a range; is_range stays false if it is not one. */
static void read_range(struct cp_tag_filter *f)
{
    const char *at = f->value;
    bool has_colon = *at == ':';
    struct amount a, b;
    char unit[UNIT_BYTES];
    double low, high;

    at += has_colon;
    if (!read_amount(&at, &a))
        return;
    low = in_unit(a.number, a.unit, a.unit, f->unit);
    if (has_colon || *at == '\0') {
        if (*at == '\0')
            set_bounds(f, !has_colon, true, low, low);
        return;
    }
    if (*at++ != ':')
        return;
    if (*at == '\0') {
        set_bounds(f, true, false, low, 0);
        return;
    }
    if (!read_amount(&at, &b) || *at != '\0')
        return;
    high = in_unit(b.number, b.unit, f->unit, unit);
    if (strcmp(unit, f->unit) == 0)
        set_bounds(f, true, true, low, high);
}

static enum cp_status read_expressions(struct cp_tag_filter *f,
                                       struct cp_error *err)
{
    const char *at = f->value;
    size_t n = 1;

    for (const char *c = at; *c; c++)
        n += *c == ',';
    f->expressions = cp_alloc(n, sizeof(*f->expressions), err);
    if (!f->expressions)
        return CP_ENOMEM;
    while (f->n_expressions < n) {
        size_t len = strcspn(at, ",");
        struct cp_regex *re = cp_regex_new(at, len, err);

        if (!re)
            return CP_EUSAGE;
        f->expressions[f->n_expressions++] = re;
        at += len + 1;
    }
    return CP_OK;
}

struct cp_tag_filter *cp_tag_filter_new(const char *text, struct cp_error *err)
{
    struct cp_tag_filter *f = cp_alloc(1, sizeof(*f), err);
    char *equals;

    if (!f)
        return NULL;
    f->text = cp_alloc(strlen(text) + 1, 1, err);
    if (!f->text) {
        cp_tag_filter_free(f);
        return NULL;
    }
    (void)strcpy(f->text, text);
    equals = strchr(f->text, '=');
    f->key = equals ? f->text : "";
    f->value = equals ? equals + 1 : f->text;
    if (equals)
        *equals = '\0';
    read_range(f);
    if (!f->is_range && read_expressions(f, err) != CP_OK) {
        cp_tag_filter_free(f);
        return NULL;
    }
    return f;
}

void cp_tag_filter_free(struct cp_tag_filter *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->n_expressions; i++)
        cp_regex_free(f->expressions[i]);
    cp_free(f->expressions);
    cp_free(f->joined);
    cp_free(f->text);
    cp_free(f);
}

const char *cp_tag_filter_range(const struct cp_tag_filter *f)
{
    return f->is_range ? f->value : NULL;
}

enum cp_status cp_tag_filter_check(const struct cp_tag_filter *f,
                                   struct cp_error *err)
{
    enum cp_status status = f->is_out_of_memory ? cp_error_nomem(err) : CP_OK;

    for (size_t i = 0; status == CP_OK && i < f->n_expressions; i++)
        status = cp_regex_check(f->expressions[i], err);
    return status;
}

static bool is_wanted_key(const struct cp_tag_filter *f,
                          const struct cp_profile *p, uint32_t key)
{
    struct cp_str text = cp_profile_str(p, key);

    return f->key[0] == '\0' || (strlen(f->key) == text.len &&
                                 memcmp(f->key, text.ptr, text.len) == 0);
}

static bool in_range(const struct cp_tag_filter *f, const struct cp_profile *p,
                     const struct cp_label *l,
                     const struct cp_label_units *units)
{
    const char *unit = "";
    double value = cp_unit_scale(
        l->num, cp_profile_cstr(p, units->unit[l->key]), f->unit, &unit);

    return strcmp(unit, f->unit) == 0 && (!f->has_low || value >= f->low) &&
           (!f->has_high || value <= f->high);
}

/*
 * Whether re matches a string label: its value, or "key:value" if the filter
 * has no key.
 */
static bool matches_text(struct cp_tag_filter *f, struct cp_regex *re,
                         const struct cp_profile *p, const struct cp_label *l)
{
    struct cp_str key = cp_profile_str(p, l->key);
    struct cp_str value = cp_profile_str(p, l->str);
    size_t len = (size_t)key.len + 1 + value.len;

    if (f->key[0] != '\0')
        return cp_regex_match(re, value.ptr, value.len);
    if (cp_reserve(&f->joined, &f->cap_joined, len, 1, NULL) != CP_OK) {
        f->is_out_of_memory = true;
        return false;
    }
    memcpy(f->joined, key.ptr, key.len);
    f->joined[key.len] = ':';
    memcpy(f->joined + key.len + 1, value.ptr, value.len);
    return cp_regex_match(re, f->joined, len);
}

static bool any_label_matches(struct cp_tag_filter *f, struct cp_regex *re,
                              const struct cp_profile *p,
                              const struct cp_label_set *set)
{
    for (uint32_t i = 0; i < set->n_labels; i++) {
        const struct cp_label *l = &p->labels[set->labels + i];

        if (l->str != CP_NONE && is_wanted_key(f, p, l->key) &&
            matches_text(f, re, p, l))
            return true;
    }
    return false;
}

bool cp_tag_filter_matches(struct cp_tag_filter *f, const struct cp_profile *p,
                           const struct cp_label_set *set,
                           const struct cp_label_units *units)
{
    bool has_key = f->key[0] != '\0';

    if (f->is_range) {
        for (uint32_t i = 0; i < set->n_labels; i++) {
            const struct cp_label *l = &p->labels[set->labels + i];

            if (l->str == CP_NONE && is_wanted_key(f, p, l->key) &&
                in_range(f, p, l, units))
                return true;
        }
        return false;
    }
    /* with a key one match decides; without, one mismatch */
    for (size_t i = 0; i < f->n_expressions; i++)
        if (any_label_matches(f, f->expressions[i], p, set) == has_key)
            return has_key;
    return !has_key;
}
