/*
 * command.c - parses the command lines of pprof and jeprof into struct
 * cp_command.
 *
 * All options are rows of one table (flags.c) that gives the kind of each
 * option and the offset of its value.
 */
#include "tool/cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/literal.h"
#include "tool/cli/flags.h"
#include "tool/cli/jeprof_flags.h"

static enum cp_status add_to(struct cp_list *list, const char *item,
                             struct cp_error *err)
{
    if (cp_reserve(&list->items, &list->cap, list->n + 1, sizeof(*list->items),
                   err) != CP_OK)
        return CP_ENOMEM;
    list->items[list->n++] = item;
    return CP_OK;
}

static enum cp_status invalid(const struct cp_flag *f, const char *value,
                              const char *what, struct cp_error *err)
{
    return cp_error_set(err, CP_EUSAGE, "invalid value \"%s\" for -%s: %s",
                        value, f->name, what);
}

/* Parses a boolean as Go's strconv.ParseBool does. */
static bool read_bool(const char *text, bool *out)
{
    static const char *const words[2][6] = {
        { "0", "f", "F", "false", "FALSE", "False" },
        { "1", "t", "T", "true", "TRUE", "True" },
    };

    for (int yes = 0; yes < 2; yes++)
        for (int i = 0; i < 6; i++)
            if (strcmp(text, words[yes][i]) == 0) {
                *out = yes;
                return true;
            }
    return false;
}

static enum cp_status check_number(const struct cp_flag *f, const char *value,
                                   enum cp_literal read, const char *want,
                                   struct cp_error *err)
{
    if (read == CP_LITERAL_OK)
        return CP_OK;
    return invalid(f, value, read == CP_LITERAL_RANGE ? "out of range" : want,
                   err);
}

/* Parses an integer. google/pprof accepts only decimal digits at the prompt. */
static enum cp_status set_int(struct cp_command *c, const struct cp_flag *f,
                              const char *value, struct cp_error *err)
{
    long number;
    enum cp_literal read = c->is_shell ? cp_literal_decimal(value, &number)
                                       : cp_literal_int(value, &number);

    if (check_number(f, value, read, "not a whole number", err) != CP_OK)
        return CP_EUSAGE;
    if (number > INT32_MAX) /* clamp: no profile has more rows */
        number = INT32_MAX;
    if (number < INT32_MIN)
        number = INT32_MIN;
    *(int *)cp_flag_target(f, c) = (int)number;
    return CP_OK;
}

static enum cp_status set_float(struct cp_command *c, const struct cp_flag *f,
                                const char *value, struct cp_error *err)
{
    double number;
    enum cp_literal read = cp_literal_float(value, &number);

    if (check_number(f, value, read, "not a number", err) != CP_OK)
        return CP_EUSAGE;
    *(double *)cp_flag_target(f, c) = number;
    return CP_OK;
}

/*
 * Chooses a member of an exclusive group; fails if a different one was chosen.
 */
static enum cp_status claim(const char **holder, const char *name,
                            struct cp_error *err)
{
    if (*holder && strcmp(*holder, name) != 0)
        return cp_error_set(err, CP_EUSAGE, "conflicting options: -%s and -%s",
                            *holder, name);
    *holder = name;
    return CP_OK;
}

static enum cp_status set_format(struct cp_command *c, const struct cp_flag *f,
                                 const char *argument, struct cp_error *err)
{
    if (f->kind == CP_FLAG_FORMAT_ARG && *argument == '\0')
        return cp_error_set(err, CP_EUSAGE, "-%s needs a regular expression",
                            f->name);
    if (c->format_name && strcmp(c->format_name, f->name) != 0)
        return cp_error_set(err, CP_EUSAGE,
                            "must set at most one output format: -%s and -%s",
                            c->format_name, f->name);
    c->format_name = f->name;
    c->options.format = (enum cp_format)f->choice;
    c->options.argument = argument;
    c->product = f->product;
    c->picture = f->picture;
    c->suffix = f->suffix;
    c->viewer = f->viewer;
    return CP_OK;
}

/* Withdraws the choice of a group's member that was given before. */
static void clear_switch(struct cp_command *c, const struct cp_flag *f)
{
    if (c->format_name == f->name) {
        c->format_name = NULL;
        c->options.format = CP_FORMAT_NONE;
    }
    if (c->sort_name == f->name) {
        c->sort_name = NULL;
        c->options.cum_sort = false;
    }
    if (c->granularity_name == f->name) {
        c->granularity_name = NULL;
        c->options.granularity = CP_BY_DEFAULT;
    }
    c->values &= ~cp_flag_value_bit(f);
}

/* Chooses a member of a group. */
static enum cp_status set_switch(struct cp_command *c, const struct cp_flag *f,
                                 struct cp_error *err)
{
    switch (f->kind) {
    case CP_FLAG_FORMAT:
        return set_format(c, f, "", err);
    case CP_FLAG_STYLE:
        c->options.style = (enum cp_style)f->choice;
        return CP_OK;
    case CP_FLAG_SORT:
        c->options.cum_sort = f->choice;
        return claim(&c->sort_name, f->name, err);
    case CP_FLAG_GRANULARITY:
        c->options.granularity = (enum cp_granularity)f->choice;
        return claim(&c->granularity_name, f->name, err);
    case CP_FLAG_VALUE:
        c->options.mean |= f->choice;
        c->values |= cp_flag_value_bit(f);
        return CP_OK;
    case CP_FLAG_HELP:
        c->wants_help = true;
        return CP_OK;
    default:
        return CP_OK;
    }
}

enum cp_status cp_command_set(struct cp_command *c, const struct cp_flag *f,
                              const char *value, struct cp_error *err)
{
    bool yes = true;

    switch (f->kind) {
    case CP_FLAG_STRING:
        *(const char **)cp_flag_target(f, c) = value;
        return CP_OK;
    case CP_FLAG_INT:
        return set_int(c, f, value, err);
    case CP_FLAG_FLOAT:
        return set_float(c, f, value, err);
    case CP_FLAG_LIST:
        return add_to((struct cp_list *)cp_flag_target(f, c), value, err);
    case CP_FLAG_FORMAT_ARG:
        return set_format(c, f, value, err);
    case CP_FLAG_IGNORED:
        return CP_OK;
    default:
        break;
    }
    if (value && !read_bool(value, &yes))
        return cp_error_set(err, CP_EUSAGE,
                            "invalid boolean value \"%s\" for -%s", value,
                            f->name);
    if (f->kind == CP_FLAG_BOOL)
        *(bool *)cp_flag_target(f, c) = yes;
    else if (yes)
        return set_switch(c, f, err);
    else
        clear_switch(c, f);
    return CP_OK;
}

/*
 * Parses the option at argv[*i] and its value, which may be the next argument.
 */
static enum cp_status read_option(struct cp_command *c, int argc,
                                  const char *const *argv, int *i,
                                  struct cp_error *err)
{
    const char *name = argv[*i] + (argv[*i][1] == '-' ? 2 : 1);
    const char *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const struct cp_flag *f =
        c->is_jeprof ? cp_jeprof_flag_find(name, len) : cp_flag_find(name, len);
    const char *value = equals ? equals + 1 : NULL;

    if (!f)
        return cp_error_set(err, CP_EUSAGE,
                            "flag provided but not defined: -%.*s", (int)len,
                            name);
    if (!value && cp_flag_needs_value(f)) {
        if (*i + 1 >= argc)
            return cp_error_set(err, CP_EUSAGE, "flag needs an argument: -%s",
                                f->name);
        value = argv[++*i];
    }
    return cp_command_set(c, f, value, err);
}

/* Returns the number of "-" (standard input) entries in a list. */
static size_t count_stdin(const struct cp_list *list)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++)
        n += strcmp(list->items[i], "-") == 0;
    return n;
}

static enum cp_status check_http(const struct cp_command *c,
                                 struct cp_error *err)
{
    if (c->http && c->format_name)
        return cp_error_set(err, CP_EUSAGE,
                            "-http is not compatible with an output format on "
                            "the command line");
    if (c->no_browser && !c->http)
        return cp_error_set(err, CP_EUSAGE,
                            "-no_browser only makes sense with -http");
    return CP_OK;
}

static enum cp_status check(const struct cp_command *c, struct cp_error *err)
{
    if (c->wants_help || c->wants_version)
        return CP_OK;
    if (check_http(c, err) != CP_OK)
        return CP_EUSAGE;
    if (c->sources.n == 0)
        return cp_error_set(err, CP_EUSAGE, "no profile source specified");
    if (count_stdin(&c->sources) + count_stdin(&c->bases) +
            count_stdin(&c->diff_bases) >
        1)
        return cp_error_set(err, CP_EUSAGE,
                            "standard input (-) can be read only once");
    if (c->bases.n > 0 && c->diff_bases.n > 0)
        return cp_error_set(
            err, CP_EUSAGE,
            "-base and -diff_base flags cannot both be specified");
    if (c->options.normalize && c->bases.n + c->diff_bases.n == 0)
        return cp_error_set(err, CP_EUSAGE,
                            "must have base profile to normalize by");
    if (c->options.style != CP_STYLE_TEXT && !c->is_jeprof &&
        c->options.format != CP_FORMAT_TOP &&
        c->options.format != CP_FORMAT_TREE &&
        c->options.format != CP_FORMAT_PEEK)
        return cp_error_set(err, CP_EUSAGE,
                            "-json and -csv need -top, -tree or -peek");
    if (*c->tls_key && !*c->tls_cert)
        return cp_error_set(err, CP_EUSAGE, "-tls_key needs -tls_cert");
    return CP_OK;
}

/*
 * Of -sample_index and its shorthands the first in the order of the table wins.
 * Records the others as ignored.
 */
static void choose_value(struct cp_command *c)
{
    for (size_t i = 0; cp_flag_at(i); i++) {
        const struct cp_flag *f = cp_flag_at(i);

        if (f->kind != CP_FLAG_VALUE || !(c->values & cp_flag_value_bit(f)))
            continue;
        if (*c->options.sample_index == '\0') {
            c->options.sample_index = f->suffix;
            c->values &= ~cp_flag_value_bit(f);
        }
    }
}

static void set_defaults(struct cp_command *c)
{
    *c = (struct cp_command){ .options = cp_options_default(),
                              .build_id = "",
                              .comment = "",
                              .symbolize = "",
                              .tls_cert = "",
                              .tls_key = "",
                              .tls_ca = "",
                              .seconds = -1,
                              .timeout = -1 };
}

/* Parses the arguments into a command that holds the defaults. */
static enum cp_status read_words(struct cp_command *c, int argc,
                                 const char *const *argv, struct cp_error *err)
{
    enum cp_status status = CP_OK;
    bool is_over = false;

    for (int i = 1; status == CP_OK && i < argc; i++) {
        bool is_option = !is_over && argv[i][0] == '-' && argv[i][1] != '\0';

        if (is_option && strcmp(argv[i], "--") == 0)
            is_over = true;
        else if (is_option)
            status = read_option(c, argc, argv, &i, err);
        else
            status = add_to(&c->sources, argv[i], err);
    }
    choose_value(c);
    if (c->options.style != CP_STYLE_TEXT && !c->format_name && !c->is_jeprof) {
        c->options.format = CP_FORMAT_TOP;
        c->format_name = "top";
    }
    if (status == CP_OK)
        status = check(c, err);
    if (status != CP_OK)
        cp_command_release(c);
    return status;
}

enum cp_status cp_command_init(struct cp_command *c, int argc,
                               const char *const *argv, struct cp_error *err)
{
    set_defaults(c);
    return read_words(c, argc, argv, err);
}

enum cp_status cp_command_init_jeprof(struct cp_command *c, int argc,
                                      const char *const *argv,
                                      struct cp_error *err)
{
    set_defaults(c);
    c->is_jeprof = true;
    c->options.style = CP_STYLE_JEPROF;
    c->options.max_degree = CP_JEPROF_DEGREE;
    return read_words(c, argc, argv, err);
}

void cp_command_release(struct cp_command *c)
{
    cp_free(c->sources.items);
    cp_free(c->bases.items);
    cp_free(c->diff_bases.items);
    c->sources = c->bases = c->diff_bases = (struct cp_list){ 0 };
}
