/*
 * shell.c - parses and runs a line of the prompt.
 *
 *   name=value, name            sets an option (variables.h)
 *   TYPE, total_TYPE, mean_TYPE selects a sample type
 *   :                           clears the filters
 *   report [arguments] [> file | command]
 *   o, help, undo, reload, quit
 *
 * Each report works on a copy of the profile and of the options. google/pprof
 * copies a profile by encoding and decoding it, which drops labels without a
 * value; the copies here drop them too.
 */
#include "tool/pprof/shell.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out.h"
#include "profile/model/profile.h"
#include "profile/transform/tag_filter.h"
#include "tool/cli/command.h"
#include "tool/cli/interrupt.h"
#include "tool/cli/print.h"
#include "tool/cli/prompt.h"
#include "tool/cli/variables.h"
#include "tool/input/sources.h"
#include "tool/pprof/shell_complete.h"
#include "tool/pprof/shell_greet.h"
#include "tool/pprof/shell_report.h"

#define MAX_UNDO 100

struct shell {
    struct cp_command c;
    struct cp_profile *p;
    struct cp_options undo[MAX_UNDO];
    size_t n_undo;
    struct cp_arena arena; /* strings that options borrow */
};

static void warn(void *context, const char *line)
{
    (void)context;
    cp_print_line("", line);
}

/* Saves the options for "undo" before they change. */
static void save_for_undo(struct shell *s)
{
    if (s->n_undo == MAX_UNDO) {
        memmove(s->undo, s->undo + 1, sizeof(s->undo) - sizeof(s->undo[0]));
        s->n_undo--;
    }
    s->undo[s->n_undo++] = s->c.options;
}

static enum cp_status undo(struct shell *s, struct cp_error *err)
{
    if (s->n_undo == 0)
        return cp_error_set(err, CP_EUSAGE, "nothing to undo");
    s->c.options = s->undo[--s->n_undo];
    return CP_OK;
}

static enum cp_status assign(struct shell *s, const char *name,
                             const char *value, struct cp_error *err)
{
    enum cp_status status;

    save_for_undo(s);
    status = cp_variable_set(&s->c, s->p, name, value, err);
    if (status != CP_OK)
        s->n_undo--;
    return status;
}

/* Runs ":" and the names of sample types; returns false for other lines. */
static bool run_shortcut(struct shell *s, const char *line)
{
    const char *name = line;
    int mean = -1;

    if (strcmp(line, ":") == 0) {
        save_for_undo(s);
        s->c.options.focus = s->c.options.ignore = s->c.options.hide = "";
        s->c.options.tagfocus = s->c.options.tagignore = "";
        return true;
    }
    if (strncmp(line, "total_", 6) == 0 || strncmp(line, "mean_", 5) == 0) {
        mean = line[0] == 'm';
        name = strchr(line, '_') + 1;
    }
    for (uint32_t i = 0; i < s->p->n_types; i++) {
        const char *type = cp_profile_cstr(s->p, s->p->types[i].type);

        if (strcmp(type, line) != 0 && (mean < 0 || strcmp(type, name) != 0))
            continue;
        save_for_undo(s);
        if (strcmp(type, line) != 0)
            s->c.options.mean = mean;
        s->c.options.sample_index = type;
        return true;
    }
    return false;
}

/* Trims white space at both ends, in place. */
static char *trimmed(char *text)
{
    size_t len;

    while (isspace((unsigned char)*text))
        text++;
    len = strlen(text);
    while (len > 0 && isspace((unsigned char)text[len - 1]))
        text[--len] = '\0';
    return text;
}

/* Whether the line sets an option. Sets *value (NULL for a switch). */
static bool is_assignment(char *line, char **name, char **value)
{
    char *equals = strchr(line, '='), *comment, *end, last;

    *name = line;
    *value = NULL;
    if (!equals)
        return cp_variable_is_switch(line) ||
               (cp_variable_exists(line) && !strchr(line, ' '));
    for (end = equals; end > line && isspace((unsigned char)end[-1]);)
        end--;
    last = *end;
    *end = '\0';
    if (!cp_variable_exists(line)) {
        *end = last;
        return false;
    }
    *value = equals + 1;
    for (comment = NULL; (equals = strstr(equals + 1, "//:"));)
        comment = equals;
    if (comment)
        *comment = '\0';
    *value = trimmed(*value);
    return true;
}

static void show_options(struct shell *s)
{
    struct cp_out out = cp_out_terminal(STDERR_FILENO);

    cp_variable_list(&s->c, s->p, &out);
    (void)cp_out_finish(&out, NULL);
    cp_out_release(&out);
}

/*
 * Repoints sample_index from the old profile's strings, which are freed, to the
 * new profile's. Clears it if the new profile lacks that type.
 */
static enum cp_status repoint_index(struct shell *s, struct cp_options *o,
                                    const struct cp_profile *next,
                                    struct cp_error *err)
{
    const char *name = o->sample_index;

    for (uint32_t i = 0; i < next->n_types && *name; i++)
        if (strcmp(cp_profile_cstr(next, next->types[i].type), name) == 0) {
            name = cp_arena_copy(&s->arena, name, strlen(name), err);
            o->sample_index = name ? name : "";
            return name ? CP_OK : CP_ENOMEM;
        }
    o->sample_index = "";
    return CP_OK;
}

/* Whether a source can be read again: a pipe cannot. */
static bool is_repeatable(const char *name)
{
    struct stat st;

    return strcmp(name, "-") != 0 &&
           (stat(name, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

static enum cp_status check_repeatable(const struct cp_command *c,
                                       struct cp_error *err)
{
    const struct cp_list *lists[] = { &c->sources, &c->bases, &c->diff_bases };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        for (size_t k = 0; k < lists[i]->n; k++)
            if (!is_repeatable(lists[i]->items[k]))
                return cp_error_set(err, CP_EUSAGE,
                                    "cannot reload: %s can be read only once",
                                    lists[i]->items[k]);
    return CP_OK;
}

/* Reads the sources again. On failure or Ctrl-C the old profile stays. */
static enum cp_status reload(struct shell *s, struct cp_error *err)
{
    bool had_index = *s->c.options.sample_index;
    struct cp_profile *next;

    if (check_repeatable(&s->c, err) != CP_OK)
        return CP_EUSAGE;
    next = cp_sources_load(&s->c, warn, NULL, err);
    if (next && cp_filter_empty_labels(next, err) != CP_OK) {
        cp_profile_free(next);
        next = NULL;
    }
    if (next && cp_interrupt_seen()) {
        cp_profile_free(next);
        next = NULL;
        (void)cp_error_set(err, CP_EIO, "interrupted");
    }
    if (!next)
        return CP_EFORMAT;
    for (size_t i = 0; i < s->n_undo; i++)
        if (repoint_index(s, &s->undo[i], next, err) != CP_OK)
            s->undo[i].sample_index = "";
    (void)repoint_index(s, &s->c.options, next, NULL);
    cp_shell_greet(&s->c, next, s->p);
    if (had_index && !*s->c.options.sample_index)
        warn(NULL, "The new profile lacks the chosen sample type; sample_index "
                   "is reset.");
    cp_profile_free(s->p);
    s->p = next;
    return CP_OK;
}

/* Whether a line starts with a word. */
static bool is_word(const char *line, const char *word)
{
    size_t len = strlen(word);

    return strncmp(line, word, len) == 0 &&
           (line[len] == '\0' || isspace((unsigned char)line[len]));
}

static enum cp_status run_line(struct shell *s, char *line,
                               struct cp_error *err)
{
    char *name, *value;

    if (run_shortcut(s, line))
        return CP_OK;
    if (is_assignment(line, &name, &value))
        return assign(s, name, value, err);
    if (is_word(line, "o") || is_word(line, "options")) {
        show_options(s);
        return CP_OK;
    }
    if (strcmp(line, "undo") == 0)
        return undo(s, err);
    if (strcmp(line, "reload") == 0)
        return reload(s, err);
    if (is_word(line, "help"))
        return cp_shell_help(line + 4, err);
    return cp_shell_report(&s->c, s->p, line, &s->arena, err);
}

static bool is_quit(const char *line)
{
    return is_word(line, "quit") || is_word(line, "q") || is_word(line, "exit");
}

static bool complete(void *shell, const char *before, const char *begin,
                     struct cp_candidates *c)
{
    const struct shell *s = shell;

    return cp_shell_complete(s->p, before, begin, c);
}

static void loop(struct shell *s, struct cp_prompt *prompt)
{
    const char *text;

    while ((text = cp_prompt_line(prompt))) {
        char *copy = cp_arena_copy(&s->arena, text, strlen(text), NULL), *line;
        struct cp_error err = { 0 };

        line = copy ? trimmed(copy) : NULL;
        if (!line || is_quit(line))
            return;
        if (*line && run_line(s, line, &err) != CP_OK)
            warn(NULL, err.msg);
        cp_interrupt_clear();
    }
}

enum cp_status cp_shell_run(const struct cp_command *c, struct cp_profile **p,
                            struct cp_error *err)
{
    struct shell s = { .c = *c, .p = *p };
    struct cp_prompt *prompt = NULL;

    if (cp_filter_empty_labels(s.p, err) == CP_OK)
        prompt = cp_prompt_new(complete, &s, err);
    if (!prompt)
        return err ? err->status : CP_ENOMEM;
    s.c.is_shell = true;
    s.c.options.compact_labels = true;
    cp_shell_greet(&s.c, s.p, NULL);
    (void)fputs("Entering interactive mode (type \"help\" for commands, "
                "\"o\" for options)\n",
                stderr);
    loop(&s, prompt);
    *p = s.p;
    cp_prompt_free(prompt);
    cp_arena_release(&s.arena);
    return CP_OK;
}
