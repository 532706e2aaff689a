/*
 * jeprof.c - runs jeprof: completes addresses, loads, chooses values, reports.
 */
#include "tool/jeprof/jeprof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out.h"
#include "profile/model/profile.h"
#include "tool/cli/flags.h"
#include "tool/cli/jeprof_flags.h"
#include "tool/cli/print.h"
#include "tool/cli/url.h"
#include "tool/input/sources.h"
#include "tool/jeprof/jeprof_raw.h"
#include "tool/jeprof/jeprof_symbols.h"
#include "tool/pprof/run.h"
#include "tool/pprof/shell.h"

#define DEFAULT_SECONDS 30

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2 };

static void warn(void *context, const char *line)
{
    (void)context;
    cp_print_line("", line);
}

static bool ends_with(const char *text, size_t len, const char *with)
{
    size_t n = strlen(with);

    return len >= n && memcmp(text + len - n, with, n) == 0;
}

const char *cp_jeprof_url(const char *name, int seconds, struct cp_arena *arena,
                          struct cp_error *err)
{
    const char *rest = strstr(name, "://");
    const char *path;
    size_t len = strlen(name);

    rest = rest ? rest + 3 : name;
    path = rest + strcspn(rest, "/?");
    if (seconds <= 0)
        seconds = DEFAULT_SECONDS;
    if (ends_with(name, len, "/pprof/profile") ||
        ends_with(name, len, "/pprof/wall") ||
        ends_with(name, len, "/pprof/pmuprofile"))
        return cp_arena_printf(arena, err, "%s?seconds=%d", name, seconds);
    if (strncmp(name, "unix:", 5) == 0 || strchr(path, '?') ||
        strstr(path, "/pprof/") || strchr(path, '.'))
        return name;
    while (name + len > path && name[len - 1] == '/')
        len--;
    if (ends_with(path, (size_t)(name + len - path), "/mem"))
        return cp_arena_printf(arena, err, "%.*s/pprof/heap", (int)len, name);
    return cp_arena_printf(arena, err, "%.*s/pprof/profile?seconds=%d",
                           (int)len, name, seconds);
}

/* Completes the addresses among the names. */
static enum cp_status complete_urls(struct cp_list *list, int seconds,
                                    struct cp_arena *arena,
                                    struct cp_error *err)
{
    struct stat st;

    for (size_t i = 0; i < list->n; i++) {
        if (stat(list->items[i], &st) == 0 || !cp_url_is_url(list->items[i]))
            continue;
        list->items[i] = cp_jeprof_url(list->items[i], seconds, arena, err);
        if (!list->items[i])
            return CP_ENOMEM;
    }
    return CP_OK;
}

static bool has_type(const struct cp_profile *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_types; i++)
        if (strcmp(cp_profile_cstr(p, p->types[i].type), name) == 0)
            return true;
    return false;
}

/* Whether the profile has the value, under its full or short name. */
static bool has_value(const struct cp_profile *p, const char *name)
{
    bool is_in_use = strncmp(name, "inuse_", 6) == 0;

    return has_type(p, name) || (is_in_use && has_type(p, name + 6));
}

/* Whether a flag chooses this value, or no flag chooses one. */
static bool is_choice(const char *name)
{
    for (size_t i = 0; cp_flag_at(i); i++)
        if (cp_flag_at(i)->kind == CP_FLAG_VALUE &&
            strcmp(cp_flag_at(i)->suffix, name) == 0)
            return true;
    return *name == '\0';
}

/*
 * Chooses the reported value. A CPU profile counts samples, not time. A chosen
 * value that the profile lacks is ignored, because it belongs to a different
 * kind of profile.
 */
static enum cp_status choose_value(struct cp_command *c,
                                   const struct cp_profile *p,
                                   struct cp_error *err)
{
    const char *wanted = c->options.sample_index;

    if (strncmp(wanted, "alloc_", 6) == 0 && !has_type(p, wanted) &&
        has_type(p, "space"))
        return cp_error_set(err, CP_EFORMAT,
                            "the dump counts no allocations, only what is in "
                            "use: run the program with prof_accum:true");
    if (!has_value(p, wanted) && is_choice(wanted))
        c->options.sample_index = has_type(p, "samples") ? "samples" : "";
    return CP_OK;
}

/* Sets negative values to 0, as jeprof does for functions that shrank. */
static void drop_negative(struct cp_profile *p)
{
    size_t n = (size_t)p->n_samples * p->n_types;

    for (size_t i = 0; i < n; i++)
        if (p->values[i] < 0)
            p->values[i] = 0;
}

static enum cp_status report(struct cp_command *c, struct cp_profile **shown,
                             struct cp_error *err)
{
    struct cp_profile *p = *shown;
    enum cp_status status = choose_value(c, p, err);

    if (status != CP_OK)
        return status;
    if (c->options.drop_negative)
        drop_negative(p);
    if (!c->format_name)
        return cp_shell_run(c, shown, err);
    if (c->options.format == CP_FORMAT_RAW)
        return cp_jeprof_raw(c, p, err);
    return cp_run_report(c, p, warn, NULL, err);
}

/* Resolves options that depend on each other. */
static void resolve_options(struct cp_command *c)
{
    bool is_table;

    if (!c->format_name && !c->is_interactive && !isatty(STDOUT_FILENO)) {
        c->options.format = CP_FORMAT_TOP;
        c->format_name = "text";
    }
    if (c->wants_stacks && c->options.format == CP_FORMAT_TOP)
        c->options.format = CP_FORMAT_TRACES;
    is_table = c->format_name && c->options.format == CP_FORMAT_TOP &&
               c->options.style == CP_STYLE_JEPROF;
    c->heap.parts = is_table ? CP_LEGACY_HEAP_PARTS : 1;
    if (*c->options.thread)
        c->heap.thread = c->options.thread;
}

static enum cp_status load_and_report(struct cp_command *c,
                                      struct cp_error *err)
{
    struct cp_arena arena = { 0 };
    struct cp_profile *p = NULL;
    enum cp_status status = complete_urls(&c->sources, c->seconds, &arena, err);

    if (status == CP_OK)
        status = complete_urls(&c->bases, c->seconds, &arena, err);
    c->seconds = -1; /* a heap service would take it for a delta profile */
    if (status == CP_OK) {
        resolve_options(c);
        p = cp_sources_load(c, warn, NULL, err);
        status = p ? report(c, &p, err) : CP_EFORMAT;
    }
    cp_profile_free(p);
    cp_arena_release(&arena);
    return status == CP_EUSAGE ? CP_EFORMAT : status;
}

static enum cp_status run(struct cp_command *c, struct cp_error *err)
{
    struct cp_out out = cp_out_terminal(STDOUT_FILENO);
    enum cp_status status;

    if (c->wants_help || c->wants_version) {
        if (c->wants_help)
            cp_jeprof_help(&out);
        else
            cp_out_cstr(&out, "jeprof (cpprof " CP_VERSION ")\n");
        status = cp_out_finish(&out, err);
        cp_out_release(&out);
        return status;
    }
    return c->wants_symbols ? cp_jeprof_symbols(c, err)
                            : load_and_report(c, err);
}

/* Uses jeprof's directory for fetched profiles unless PPROF_TMPDIR is set. */
static void use_jeprof_folder(void)
{
    const char *folder = getenv("JEPROF_TMPDIR");

    if (folder && *folder)
        (void)setenv("PPROF_TMPDIR", folder, 0);
}

int cp_jeprof_main(int argc, const char *const *argv)
{
    struct cp_command c;
    struct cp_error err = { 0 };
    enum cp_status status = cp_command_init_jeprof(&c, argc, argv, &err);

    if (status == CP_OK) {
        use_jeprof_folder();
        status = run(&c, &err);
        cp_command_release(&c);
    }
    if (status == CP_OK)
        return EXIT_OK;
    cp_print_line("jeprof: ", err.msg);
    if (status != CP_EUSAGE)
        return EXIT_FAILED;
    (void)fputs("run jeprof --help for the options\n", stderr);
    return EXIT_MISUSED;
}
