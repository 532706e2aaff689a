/*
 * pprof.c - parses the command line, loads the profile and runs the report, the
 * prompt or the server.
 */
#include "tool/pprof/pprof.h"

#include <stdio.h>
#include <unistd.h>

#include "base/out.h"
#include "profile/model/profile.h"
#include "tool/cli/flags.h"
#include "tool/cli/print.h"
#include "tool/input/sources.h"
#include "tool/pprof/run.h"
#include "tool/pprof/serve.h"
#include "tool/pprof/shell.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2 };

static void warn(void *context, const char *line)
{
    (void)context;
    cp_print_line("", line);
}

static void warn_of_ignored(const struct cp_command *c)
{
    char line[128];

    for (size_t i = 0; cp_flag_at(i); i++) {
        const struct cp_flag *f = cp_flag_at(i);

        if (!(cp_flag_value_bit(f) & c->values))
            continue;
        (void)snprintf(line, sizeof(line),
                       "Multiple value selections, ignoring -%s", f->name);
        warn(NULL, line);
    }
}

static enum cp_status load_and_report(const struct cp_command *c,
                                      struct cp_error *err)
{
    struct cp_profile *p;
    enum cp_status status;

    warn_of_ignored(c);
    p = cp_sources_load(c, warn, NULL, err);
    if (!p)
        return CP_EFORMAT;
    if (c->http)
        status = cp_serve(c, p, err);
    else if (c->format_name)
        status = cp_run_report(c, p, warn, NULL, err);
    else
        status = cp_shell_run(c, &p, err);
    cp_profile_free(p);
    return status == CP_EUSAGE ? CP_EFORMAT : status;
}

static enum cp_status run(const struct cp_command *c, struct cp_error *err)
{
    struct cp_out help = { .fd = STDOUT_FILENO };
    enum cp_status status;

    if (c->wants_help) {
        cp_flag_help(&help);
        status = cp_out_finish(&help, err);
        cp_out_release(&help);
        return status;
    }
    return load_and_report(c, err);
}

int cp_pprof_main(int argc, const char *const *argv)
{
    struct cp_command c;
    struct cp_error err = { 0 };
    enum cp_status status = cp_command_init(&c, argc, argv, &err);

    if (status == CP_OK) {
        status = run(&c, &err);
        cp_command_release(&c);
    }
    if (status == CP_OK)
        return EXIT_OK;
    cp_print_line("pprof: ", err.msg);
    if (status != CP_EUSAGE)
        return EXIT_FAILED;
    (void)fputs("run pprof -help for the options\n", stderr);
    return EXIT_MISUSED;
}
