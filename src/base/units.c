/* units.c - unit families, conversion and formatting of values. */
#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *name;
    const char *aliases[4];
    double factor;
};

struct cp_unit_family {
    const struct unit *units;
    size_t n, default_unit;
};

static const struct unit memory_units[] = {
    { "B", { "b", "byte" }, 1 },
    { "kB", { "kb", "kbyte", "kilobyte" }, 1024.0 },
    { "MB", { "mb", "mbyte", "megabyte" }, 1048576.0 },
    { "GB", { "gb", "gbyte", "gigabyte" }, 1073741824.0 },
    { "TB", { "tb", "tbyte", "terabyte" }, 1099511627776.0 },
    { "PB", { "pb", "pbyte", "petabyte" }, 1125899906842624.0 },
};

static const struct unit time_units[] = {
    { "ns", { "ns", "nanosecond" }, 1 },
    { "us", { "\xce\xbcs", "us", "microsecond" }, 1e3 },
    { "ms", { "ms", "millisecond" }, 1e6 },
    { "s", { "s", "sec", "second" }, 1e9 },
    { "hrs", { "hour", "hr" }, 3.6e12 },
};

static const struct unit gcu_units[] = {
    { "n*GCU", { "nanogcu" }, 1e-9 },  { "u*GCU", { "microgcu" }, 1e-6 },
    { "m*GCU", { "milligcu" }, 1e-3 }, { "GCU", { "gcu" }, 1 },
    { "k*GCU", { "kilogcu" }, 1e3 },   { "M*GCU", { "megagcu" }, 1e6 },
    { "G*GCU", { "gigagcu" }, 1e9 },   { "T*GCU", { "teragcu" }, 1e12 },
    { "P*GCU", { "petagcu" }, 1e15 },
};

static const struct cp_unit_family families[] = {
    { memory_units, sizeof(memory_units) / sizeof(memory_units[0]), 0 },
    { time_units, sizeof(time_units) / sizeof(time_units[0]), 3 },
    { gcu_units, sizeof(gcu_units) / sizeof(gcu_units[0]), 3 },
};

#define N_FAMILIES (sizeof(families) / sizeof(families[0]))

static bool has_alias(const struct unit *u, const char *name)
{
    for (size_t i = 0; i < 4 && u->aliases[i]; i++)
        if (strcmp(u->aliases[i], name) == 0)
            return true;
    return false;
}

static const struct unit *find_alias(const struct cp_unit_family *family,
                                     const char *name)
{
    for (size_t i = 0; i < family->n; i++)
        if (has_alias(&family->units[i], name))
            return &family->units[i];
    return NULL;
}

/*
 * Finds a unit by name, in any case and with an optional plural s; NULL if
 * unknown.
 */
static const struct unit *find_in(const struct cp_unit_family *family,
                                  const char *name)
{
    const struct unit *found;
    char lower[16];
    size_t len = strlen(name);

    if (len >= sizeof(lower))
        return NULL;
    for (size_t i = 0; i <= len; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    if (strncmp(lower, "\xce\x9c", 2) == 0) /* capital Greek mu */
        lower[1] = '\xbc';
    found = find_alias(family, lower);
    if (found || len <= 2 || lower[len - 1] != 's')
        return found;
    lower[len - 1] = '\0';
    return find_alias(family, lower);
}

static const struct unit *find(const char *name,
                               const struct cp_unit_family **family)
{
    for (size_t i = 0; i < N_FAMILIES; i++) {
        const struct unit *u = find_in(&families[i], name);

        if (u) {
            *family = &families[i];
            return u;
        }
    }
    return NULL;
}

static bool is_automatic_unit(const char *to)
{
    return strcmp(to, "minimum") == 0 || strcmp(to, "auto") == 0;
}

static bool is_implied_unit(const char *to)
{
    return strcmp(to, "count") == 0 || strcmp(to, "sample") == 0 ||
           strcmp(to, "unit") == 0 || is_automatic_unit(to);
}

void cp_scale_init(struct cp_scale *s, const char *from, const char *to)
{
    const struct unit *unit = find(from, &s->family), *target;

    if (!unit) {
        *s = (struct cp_scale){ NULL, 1, 1, is_implied_unit(to) ? "" : to };
        return;
    }
    s->factor = unit->factor;
    s->to_factor = 0;
    s->to_name = "";
    if (is_automatic_unit(to))
        return;
    target = find_in(s->family, to);
    if (!target)
        target = &s->family->units[s->family->default_unit];
    s->to_factor = target->factor;
    s->to_name = target->name;
}

static const struct unit *pick(const struct cp_unit_family *family,
                               double value)
{
    const struct unit *best = NULL;

    for (size_t i = 0; i < family->n; i++)
        if (value / family->units[i].factor >= 1.0)
            best = &family->units[i];
    return best ? best : &family->units[family->default_unit];
}

double cp_scale_value(const struct cp_scale *s, int64_t value,
                      const char **unit)
{
    double base;

    if (value < 0 && value != INT64_MIN)
        return -cp_scale_value(s, -value, unit);
    base = (double)value * s->factor;
    if (s->to_factor > 0) {
        *unit = s->to_name;
        return base / s->to_factor;
    }
    const struct unit *u = pick(s->family, base);
    *unit = u->name;
    return base / u->factor;
}

void cp_scale_label(const struct cp_scale *s, int64_t value, char *out)
{
    const char *unit = "";
    double scaled = cp_scale_value(s, value, &unit);
    int n;

    if (fabs(scaled) < 1e15 && scaled == (double)(int64_t)scaled)
        n = snprintf(out, CP_LABEL_BYTES, "%lld", (long long)scaled);
    else
        n = snprintf(out, CP_LABEL_BYTES, "%.2f", scaled);
    if (n > 3 && strcmp(out + n - 3, ".00") == 0)
        out[n -= 3] = '\0';
    if (strcmp(out, "-0") == 0 || strcmp(out, "0") == 0)
        (void)strcpy(out, "0");
    else
        (void)snprintf(out + n, (size_t)(CP_LABEL_BYTES - n), "%s", unit);
}

double cp_unit_scale(int64_t value, const char *from, const char *to,
                     const char **unit)
{
    struct cp_scale s;

    cp_scale_init(&s, from, to);
    return cp_scale_value(&s, value, unit);
}

void cp_unit_label(int64_t value, const char *from, const char *to, char *out)
{
    struct cp_scale s;

    cp_scale_init(&s, from, to);
    cp_scale_label(&s, value, out);
}

bool cp_unit_same_family(const char *a, const char *b)
{
    const struct cp_unit_family *fa, *fb;

    if (strcmp(a, b) == 0)
        return true;
    return find(a, &fa) && find(b, &fb) && fa == fb;
}

void cp_percentage(int64_t value, int64_t total, char *out)
{
    double ratio = 0;

    if (total != 0)
        ratio = fabs((double)value / (double)total) * 100;
    if (ratio >= 99.95 && ratio <= 100.05)
        (void)strcpy(out, "  100%");
    else if (ratio >= 1.0)
        (void)snprintf(out, CP_LABEL_BYTES, "%5.2f%%", ratio);
    else
        (void)snprintf(out, CP_LABEL_BYTES, "%5.2g%%", ratio);
}
