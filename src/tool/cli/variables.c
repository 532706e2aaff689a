/* variables.c - looks up, sets and lists the variables of the prompt. */
#include "tool/cli/variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/literal.h"
#include "base/out.h"
#include "profile/model/profile.h"
#include "tool/cli/flags.h"

static const char *const sorts[] = { "flat", "cum" };
static const char *const granularities[] = {
    [CP_BY_DEFAULT] = "",    [CP_BY_FUNCTIONS] = "functions",
    [CP_BY_FILES] = "files", [CP_BY_FILEFUNCTIONS] = "filefunctions",
    [CP_BY_LINES] = "lines", [CP_BY_ADDRESSES] = "addresses",
};

/*
 * Whether the flag's value is inside struct cp_options, the first member of
 * struct cp_command. Values after it are not variables.
 */
static bool is_variable(const struct cp_flag *f)
{
    _Static_assert(offsetof(struct cp_command, options) == 0, "options first");
    return f && f->offset < sizeof(struct cp_options) &&
           (f->kind == CP_FLAG_BOOL || f->kind == CP_FLAG_STRING ||
            f->kind == CP_FLAG_INT || f->kind == CP_FLAG_FLOAT);
}

static bool is_choice(const struct cp_flag *f)
{
    return f && (f->kind == CP_FLAG_SORT || f->kind == CP_FLAG_GRANULARITY);
}

static bool is_group(const char *name)
{
    return strcmp(name, "sort") == 0 || strcmp(name, "granularity") == 0;
}

static const struct cp_flag *find(const char *name)
{
    return cp_flag_find(name, strlen(name));
}

bool cp_variable_exists(const char *name)
{
    const struct cp_flag *f = find(name);

    return is_group(name) || is_variable(f) || is_choice(f);
}

bool cp_variable_is_switch(const char *name)
{
    const struct cp_flag *f = find(name);

    return is_choice(f) || (is_variable(f) && f->kind == CP_FLAG_BOOL);
}

/* Parses a boolean. The prompt accepts more spellings than the command line. */
static bool read_bool(const char *text, bool *out)
{
    static const char *const words[2][5] = {
        { "false", "f", "no", "n", "0" },
        { "true", "t", "yes", "y", "1" },
    };

    *out = true;
    if (*text == '\0')
        return true;
    for (int yes = 0; yes < 2; yes++)
        for (int i = 0; i < 5; i++)
            if (strcasecmp(text, words[yes][i]) == 0) {
                *out = yes;
                return true;
            }
    return false;
}

static void choose(struct cp_command *c, const struct cp_flag *f)
{
    if (f->kind == CP_FLAG_SORT)
        c->options.cum_sort = f->choice;
    else
        c->options.granularity = (enum cp_granularity)f->choice;
}

static enum cp_status set_group(struct cp_command *c, const char *name,
                                const char *value, struct cp_error *err)
{
    const struct cp_flag *f = find(value);
    bool is_sort = strcmp(name, "sort") == 0;

    if (*value == '\0' && !is_sort) {
        c->options.granularity = CP_BY_DEFAULT;
        return CP_OK;
    }
    if (!is_choice(f) || (f->kind == CP_FLAG_SORT) != is_sort)
        return cp_error_set(err, CP_EUSAGE, "invalid \"%s\" value \"%s\"", name,
                            value);
    choose(c, f);
    return CP_OK;
}

/*
 * Checks that the profile has a sample type of that name or number, and stores
 * its name.
 */
static enum cp_status set_index(struct cp_command *c,
                                const struct cp_profile *p, const char *value,
                                struct cp_error *err)
{
    const char *bare = strncmp(value, "inuse_", 6) == 0 ? value + 6 : value;
    long number = -1;

    (void)cp_literal_decimal(value, &number);
    if (*value == '\0') {
        c->options.sample_index = value;
        return CP_OK;
    }
    for (uint32_t i = 0; i < p->n_types; i++) {
        const char *type = cp_profile_cstr(p, p->types[i].type);

        if (strcmp(type, value) != 0 && strcmp(type, bare) != 0 &&
            number != (long)i)
            continue;
        c->options.sample_index = type;
        return CP_OK;
    }
    return cp_error_set(err, CP_EUSAGE, "no sample_index \"%s\"; try o", value);
}

static enum cp_status set_variable(struct cp_command *c,
                                   const struct cp_flag *f, const char *value,
                                   struct cp_error *err)
{
    bool yes;

    if (f->kind != CP_FLAG_BOOL)
        return cp_command_set(c, f, value, err);
    if (!read_bool(value, &yes))
        return cp_error_set(err, CP_EUSAGE,
                            "illegal value \"%s\" for bool variable", value);
    *(bool *)cp_flag_target(f, c) = yes;
    return CP_OK;
}

enum cp_status cp_variable_set(struct cp_command *c, const struct cp_profile *p,
                               const char *name, const char *value,
                               struct cp_error *err)
{
    const struct cp_flag *f = find(name);
    bool yes = true;

    if (is_group(name))
        return set_group(c, name, value ? value : "", err);
    if (is_choice(f)) {
        if (value && !read_bool(value, &yes))
            return cp_error_set(err, CP_EUSAGE,
                                "illegal value \"%s\" for bool variable",
                                value);
        if (!yes)
            return cp_error_set(err, CP_EUSAGE, "choose another instead of %s",
                                name);
        choose(c, f);
        return CP_OK;
    }
    if (!is_variable(f))
        return cp_error_set(err, CP_EUSAGE, "unknown option %s", name);
    if (!value && f->kind != CP_FLAG_BOOL)
        return cp_error_set(err, CP_EUSAGE,
                            "please specify a value, e.g. %s=<val>", name);
    if (strcmp(name, "sample_index") == 0)
        return set_index(c, p, value, err);
    return set_variable(c, f, value ? value : "", err);
}

static void show_value(const struct cp_flag *f, struct cp_command *c,
                       char *text, size_t cap)
{
    const void *place = cp_flag_target(f, c);

    if (f->kind == CP_FLAG_BOOL)
        (void)snprintf(text, cap, "%s",
                       *(const bool *)place ? "true" : "false");
    else if (f->kind == CP_FLAG_INT)
        (void)snprintf(text, cap, "%d", *(const int *)place);
    else if (f->kind == CP_FLAG_FLOAT)
        (void)snprintf(text, cap, "%g", *(const double *)place);
    else
        (void)snprintf(text, cap, "%s",
                       **(const char *const *)place
                           ? *(const char *const *)place
                           : "\"\"");
}

/* Appends the allowed values to a line of the listing. */
static void show_choices(const char *name, const struct cp_profile *p,
                         struct cp_out *out)
{
    if (strcmp(name, "sample_index") == 0) {
        cp_out_cstr(out, "//: [");
        for (uint32_t i = 0; i < p->n_types; i++)
            cp_out_printf(out, "%s%s", i ? " | " : "",
                          cp_profile_cstr(p, p->types[i].type));
        cp_out_cstr(out, "]");
    } else if (strcmp(name, "sort") == 0) {
        cp_out_cstr(out, "//: [cum | flat]");
    } else if (strcmp(name, "granularity") == 0) {
        cp_out_cstr(out, "//: [addresses | filefunctions | files | functions | "
                         "lines]");
    }
}

static void show(const char *name, const char *value,
                 const struct cp_profile *p, struct cp_out *out)
{
    cp_out_printf(out, "  %-25s = %-20s ", name, value);
    show_choices(name, p, out);
    cp_out_char(out, '\n');
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_one(const char *name, const struct cp_command *c,
                     const struct cp_profile *p, struct cp_out *out)
{
    struct cp_command copy = *c; /* cp_flag_target needs a mutable command */
    const struct cp_options *o = &c->options;
    char text[256];

    if (strcmp(name, "sort") == 0)
        (void)snprintf(text, sizeof(text), "%s", sorts[o->cum_sort]);
    else if (strcmp(name, "granularity") == 0)
        (void)snprintf(text, sizeof(text), "%s",
                       o->granularity ? granularities[o->granularity]
                                      : "(default)");
    else
        show_value(find(name), &copy, text, sizeof(text));
    show(name, text, p, out);
}

void cp_variable_list(const struct cp_command *c, const struct cp_profile *p,
                      struct cp_out *out)
{
    const char *names[128] = { "sort", "granularity" };
    size_t n = 2;

    for (size_t i = 0; cp_flag_at(i) && n < 128; i++)
        if (is_variable(cp_flag_at(i)))
            names[n++] = cp_flag_at(i)->name;
    qsort(names, n, sizeof(*names), by_name);
    for (size_t i = 0; i < n; i++)
        list_one(names[i], c, p, out);
}
