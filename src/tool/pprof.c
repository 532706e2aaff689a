/* pprof.c - see pprof.h. The only file that prints errors. */
#include "tool/pprof.h"

#include <stdio.h>
#include <unistd.h>

#include "profile/profile.h"
#include "report/picture.h"
#include "report/report.h"
#include "tool/command.h"
#include "tool/flags.h"
#include "tool/output.h"
#include "tool/sources.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2 };

static void warn(void *context, const char *line)
{
    (void)context;
    (void)fprintf(stderr, "%s\n", line);
}

static enum cp_status draw(const struct cp_command *c, struct cp_report *r,
                           struct cp_out *out, struct cp_error *err)
{
    struct cp_out dot = { .fd = -1 };
    enum cp_status status = cp_report_write(r, &dot, err);

    if (status == CP_OK)
        status = cp_picture_render(c->picture, dot.buf, dot.len, out, err);
    cp_out_release(&dot);
    return status;
}

static enum cp_status write_report(const struct cp_command *c,
                                   struct cp_report *r, struct cp_error *err)
{
    struct cp_output output;
    enum cp_status status = cp_output_open(&output, c, err);

    if (status != CP_OK)
        return status;
    if (c->product == CP_PRODUCT_PICTURE)
        status = draw(c, r, &output.out, err);
    else
        status = cp_report_write(r, &output.out, err);
    if (status == CP_OK)
        return cp_output_finish(&output, err);
    cp_output_abandon(&output);
    return status;
}

static enum cp_status report(const struct cp_command *c, struct cp_error *err)
{
    struct cp_report r = { .options = c->options, .warn = warn };
    enum cp_status status;

    r.profile = cp_sources_load(c, warn, NULL, err);
    if (!r.profile)
        return CP_EFORMAT;
    status = cp_report_init(&r, err);
    if (status == CP_OK) {
        status = write_report(c, &r, err);
        cp_report_release(&r);
    }
    cp_profile_free(r.profile);
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
    if (c->not_yet)
        return cp_error_set(err, CP_EOTHER,
                            "-%s is not there yet; pprof -help lists what is",
                            c->not_yet);
    if (!c->format_name)
        return cp_error_set(err, CP_EUSAGE,
                            "no report asked for and there is no prompt yet; "
                            "try -top, -tree or -flamegraph");
    return report(c, err);
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
    (void)fprintf(stderr, "pprof: %s\n", err.msg);
    if (status != CP_EUSAGE)
        return EXIT_FAILED;
    (void)fputs("run pprof -help for the options\n", stderr);
    return EXIT_MISUSED;
}
