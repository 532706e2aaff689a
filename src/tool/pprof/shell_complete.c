/*
 * shell_complete.c - collects completions from commands, options and functions.
 */
#include "tool/pprof/shell_complete.h"

#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "profile/model/profile.h"
#include "tool/cli/candidates.h"
#include "tool/cli/flags.h"
#include "tool/cli/prompt.h"
#include "tool/cli/variables.h"

#define SPECIAL "\\.+*?()|[]{}^$"

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void offer(struct cp_candidates *c, const char *text, const char *begin)
{
    if (begins(text, begin))
        cp_candidates_add(c, text);
}

static void offer_commands(const char *begin, struct cp_candidates *c)
{
    static const char *const words[] = { "granularity", "sort", "options",
                                         "help",        "undo", "reload",
                                         "quit" };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        offer(c, words[i], begin);
    for (size_t i = 0; cp_flag_at(i); i++) {
        const struct cp_flag *f = cp_flag_at(i);

        if (f->kind == CP_FLAG_FORMAT || f->kind == CP_FLAG_FORMAT_ARG ||
            cp_variable_exists(f->name))
            offer(c, f->name, begin);
    }
}

/*
 * Escapes a name for use as a regular expression. Dots stay unescaped, because
 * they match themselves. A space becomes "\\s", because the prompt splits at
 * spaces.
 */
static void quote(const char *name, struct cp_out *out)
{
    for (; *name; name++) {
        if (*name == ' ') {
            cp_out_cstr(out, "\\s");
            continue;
        }
        if (*name != '.' && strchr(SPECIAL, *name))
            cp_out_char(out, '\\');
        cp_out_char(out, *name);
    }
}

/* Reverses quote() for a partially typed expression. */
static void unquote(const char *typed, struct cp_out *out)
{
    for (; *typed; typed++) {
        if (typed[0] == '\\' && typed[1] == 's') {
            cp_out_char(out, ' ');
            typed++;
        } else if (typed[0] != '\\' || typed[1] == '\0') {
            cp_out_char(out, *typed);
        }
    }
    cp_out_char(out, '\0');
}

/* Offers the names that start with the text, or contain it. */
static void offer_matches(const struct cp_profile *p, const char *prefix,
                          const char *plain, bool anywhere,
                          struct cp_candidates *c)
{
    struct cp_out text = { .fd = -1 };

    for (uint32_t i = 0; i < p->n_functions; i++) {
        const char *name = cp_profile_cstr(p, p->functions[i].name);

        if (anywhere ? !strstr(name, plain) : !begins(name, plain))
            continue;
        text.len = 0;
        cp_out_cstr(&text, prefix);
        quote(name, &text);
        cp_out_char(&text, '\0');
        if (text.err.status == CP_OK)
            cp_candidates_add(c, text.buf);
    }
    cp_out_release(&text);
}

/*
 * Offers function names. `prefix` is the typed text before the name: "focus=",
 * "-".
 */
static bool offer_functions(const struct cp_profile *p, const char *prefix,
                            const char *typed, struct cp_candidates *c)
{
    struct cp_out plain = { .fd = -1 };
    bool goes_on = true;

    unquote(typed, &plain);
    if (*typed && plain.err.status == CP_OK) {
        offer_matches(p, prefix, plain.buf, false, c);
        goes_on = c->n > 0;
        if (!goes_on)
            offer_matches(p, prefix, plain.buf, true, c);
    }
    cp_out_release(&plain);
    return goes_on;
}

static void offer_value(const char *prefix, const char *value,
                        const char *begin, struct cp_candidates *c)
{
    char text[256];

    (void)snprintf(text, sizeof(text), "%s%s", prefix, value);
    offer(c, text, begin);
}

/*
 * Offers values after "name=": the choices, or functions for a regular
 * expression.
 */
static bool offer_values(const struct cp_profile *p, const char *begin,
                         struct cp_candidates *c)
{
    static const char *const choices[][2] = {
        { "sort=", "flat" },
        { "sort=", "cum" },
        { "granularity=", "functions" },
        { "granularity=", "filefunctions" },
        { "granularity=", "files" },
        { "granularity=", "lines" },
        { "granularity=", "addresses" },
    };
    static const char *const expressions[] = {
        "focus=", "ignore=", "hide=", "show=", "show_from=", "prune_from="
    };

    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
        offer_value(choices[i][0], choices[i][1], begin, c);
    for (uint32_t i = 0; i < p->n_types; i++)
        offer_value("sample_index=", cp_profile_cstr(p, p->types[i].type),
                    begin, c);
    for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++)
        if (begins(begin, expressions[i]))
            return offer_functions(p, expressions[i],
                                   begin + strlen(expressions[i]), c);
    return true;
}

bool cp_shell_complete(const struct cp_profile *p, const char *before,
                       const char *begin, struct cp_candidates *c)
{
    before += strspn(before, " ");
    if (*before == '\0' && strchr(begin, '='))
        return offer_values(p, begin, c);
    if (*before == '\0' || strcmp(before, "help ") == 0) {
        offer_commands(begin, c);
        return true;
    }
    if (begin[0] == '-')
        return offer_functions(p, "-", begin + 1, c);
    return offer_functions(p, "", begin, c);
}
