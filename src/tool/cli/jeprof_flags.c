/*
 * jeprof_flags.c - the table of jeprof's own options, and its help text.
 *
 * Most options of jeprof and of the Perl pprof have the same name and meaning
 * in pprof's table (flags.c). This table holds the others.
 */
#include "tool/cli/jeprof_flags.h"

#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "tool/cli/flags.h"

#define OPTION(field) offsetof(struct cp_command, options.field)
#define COMMAND(field) offsetof(struct cp_command, field)

#define SWITCH(flag, part, place, text)                                        \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_BOOL, .section = part, .offset = place,  \
        .help = text                                                           \
    }
#define TEXT(flag, part, place, what, text)                                    \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_STRING, .section = part,                 \
        .offset = place, .argument = what, .help = text                        \
    }
#define NO_EFFECT(flag)                                                        \
    SWITCH(flag, CP_HELP_OLD, COMMAND(is_ignored), "has no effect")
#define NO_EFFECT_VALUE(flag, what)                                            \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_IGNORED, .section = CP_HELP_OLD,         \
        .argument = what, .help = "has no effect"                              \
    }

static const struct cp_flag flags[] = {
    { .name = "collapsed",
      .kind = CP_FLAG_FORMAT,
      .section = CP_HELP_FORMATS,
      .choice = CP_FORMAT_FOLDED,
      .help = "collapsed stacks for flame graphs" },
    { .name = "raw",
      .kind = CP_FLAG_FORMAT,
      .section = CP_HELP_FORMATS,
      .choice = CP_FORMAT_RAW,
      .help = "profile with its symbols, readable without the binary" },
    SWITCH("symbols", CP_HELP_FORMATS, COMMAND(wants_symbols),
           "print names of addresses on standard input"),
    SWITCH("stacks", CP_HELP_FORMATS, COMMAND(wants_stacks),
           "with --text: every stack"),
    SWITCH("interactive", CP_HELP_FORMATS, COMMAND(is_interactive),
           "a prompt, also where there is no terminal"),
    SWITCH("show_bytes", CP_HELP_VALUES, OPTION(show_bytes),
           "bytes instead of megabytes"),
    TEXT("thread", CP_HELP_FILTERS, OPTION(thread), "N",
         "what thread N of a jemalloc dump allocated"),
    TEXT("retain", CP_HELP_FILTERS, OPTION(show), "REGEXP", "same as --show"),
    TEXT("exclude", CP_HELP_FILTERS, OPTION(hide), "REGEXP", "same as --hide"),
    SWITCH("version", CP_HELP_SOURCES, COMMAND(wants_version),
           "print the version"),
    NO_EFFECT("heapcheck"),
    NO_EFFECT("show_addresses"),
    NO_EFFECT("no_strip_temp"),
    NO_EFFECT("no-auto-signal-frm"),
    NO_EFFECT("debug-syms-by-id"),
    NO_EFFECT("test"),
    NO_EFFECT_VALUE("scale", "N"),
    NO_EFFECT_VALUE("add_lib", "FILE"),
    NO_EFFECT_VALUE("lib_prefix", "DIRS"),
};

#define N_FLAGS (sizeof(flags) / sizeof(flags[0]))

const struct cp_flag *cp_jeprof_flag_at(size_t i)
{
    return i < N_FLAGS ? &flags[i] : NULL;
}

static bool is_named(const struct cp_flag *f, const char *name, size_t len)
{
    return strlen(f->name) == len && memcmp(f->name, name, len) == 0;
}

static bool begins(const struct cp_flag *f, const char *name, size_t len)
{
    return strlen(f->name) > len && memcmp(f->name, name, len) == 0;
}

/*
 * Finds the only flag with this prefix: Perl's Getopt::Long accepts
 * abbreviations.
 */
static const struct cp_flag *find_abbreviated(const char *name, size_t len)
{
    const struct cp_flag *found = NULL, *f;
    size_t n = 0;

    for (size_t i = 0; (f = cp_jeprof_flag_at(i)); i++)
        if (begins(f, name, len)) {
            found = f;
            n++;
        }
    for (size_t i = 0; (f = cp_flag_at(i)); i++)
        if (begins(f, name, len) && f->section != CP_HELP_OLD &&
            !(found && strcmp(found->name, f->name) == 0)) {
            found = f;
            n++;
        }
    return n == 1 ? found : NULL;
}

const struct cp_flag *cp_jeprof_flag_find(const char *name, size_t len)
{
    const struct cp_flag *f;

    for (size_t i = 0; (f = cp_jeprof_flag_at(i)); i++)
        if (is_named(f, name, len))
            return f;
    f = cp_flag_find(name, len);
    return f || len == 0 ? f : find_abbreviated(name, len);
}

static void help_line(struct cp_out *out, const struct cp_flag *f)
{
    char name[48];

    (void)snprintf(name, sizeof(name), "--%s%s%s", f->name,
                   f->argument ? "=" : "", f->argument ? f->argument : "");
    cp_out_printf(out, "  %-24s %s\n", name, f->help ? f->help : "");
}

static bool is_jeprof_only(const char *name)
{
    for (size_t i = 0; i < N_FLAGS; i++)
        if (strcmp(flags[i].name, name) == 0)
            return true;
    return false;
}

static void help_section(struct cp_out *out, enum cp_flag_section section,
                         const char *title)
{
    const struct cp_flag *f;

    cp_out_printf(out, "\n%s\n", title);
    for (size_t i = 0; (f = cp_flag_at(i)); i++)
        if (f->section == section && section != CP_HELP_OLD &&
            !is_jeprof_only(f->name))
            help_line(out, f);
    for (size_t i = 0; (f = cp_jeprof_flag_at(i)); i++)
        if (f->section == section)
            help_line(out, f);
}

void cp_jeprof_help(struct cp_out *out)
{
    cp_out_cstr(
        out, "usage: jeprof [OPTION]... [BINARY] PROFILE...\n"
             "       jeprof --symbols BINARY < MAPPINGS-AND-ADDRESSES\n\n"
             "Reports on heap dumps of jemalloc, and on all that pprof reads. "
             "A profile is a\nfile or an address: http://host:port/debug/mem, "
             "host:port/pprof/heap, host:port.\nSeveral are added up. Without "
             "a format there is a prompt, or --text where the\noutput is no "
             "terminal.\n");
    help_section(out, CP_HELP_FORMATS, "Formats (one of):");
    help_section(out, CP_HELP_VALUES, "Values:");
    help_section(out, CP_HELP_FILTERS, "Filters:");
    help_section(out, CP_HELP_SHAPE, "Rows and output:");
    help_section(out, CP_HELP_SOURCES, "Sources:");
    help_section(out, CP_HELP_OLD, "For old scripts:");
}
