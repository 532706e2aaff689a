/* run.c - writes one report: opens the destination, draws, starts viewers. */
#include "tool/pprof/run.h"

#include <string.h>
#include <unistd.h>

#include "report/core/report.h"
#include "tool/cli/command.h"
#include "tool/cli/output.h"
#include "tool/cli/print.h"
#include "tool/cli/viewer.h"
#include "tool/input/debuginfod.h"

static enum cp_status draw(const struct cp_command *c, struct cp_report *r,
                           struct cp_out *out, struct cp_error *err)
{
    struct cp_out dot = { .fd = -1 };
    enum cp_status status;

    r->options.is_drawn = true;
    status = cp_report_write(r, &dot, err);
    if (status == CP_OK)
        status = cp_picture_render(c->picture, dot.buf, dot.len, out, err);
    cp_out_release(&dot);
    return status;
}

/* Completes a report, and copies its path for a viewer. */
static enum cp_status finish(struct cp_output *o, char *path, size_t cap,
                             struct cp_error *err)
{
    if (o->path && strlen(o->path) < cap)
        (void)strcpy(path, o->path);
    return cp_output_finish(o, err);
}

static enum cp_status write_report(const struct cp_command *c,
                                   struct cp_report *r, struct cp_error *err)
{
    struct cp_viewer viewer;
    struct cp_output output;
    char path[4096] = "";
    enum cp_status status = CP_OK;

    if (c->viewer)
        status = cp_viewer_find(&viewer, c->viewer, err);
    if (status == CP_OK)
        status = cp_output_open(&output, c, err);
    if (status != CP_OK)
        return status;
    if (c->product == CP_PRODUCT_PICTURE)
        status = draw(c, r, &output.out, err);
    else
        status = cp_report_write(r, &output.out, err);
    if (status != CP_OK) {
        cp_output_abandon(&output);
        return status;
    }
    status = finish(&output, path, sizeof(path), err);
    if (status == CP_OK && c->viewer)
        status = cp_viewer_show(&viewer, path, !c->is_shell, err);
    return status;
}

/*
 * Whether to open the HTML page in a browser: standard output is a terminal and
 * a browser exists. Otherwise the page is written to a file or to standard
 * output.
 */
static bool is_page_for_browser(const struct cp_command *c)
{
    struct cp_viewer viewer;

    return *c->options.output == '\0' &&
           (c->is_shell || isatty(STDOUT_FILENO)) &&
           cp_viewer_find(&viewer, CP_VIEWER_BROWSER, NULL) == CP_OK;
}

static void print_line(void *context, const char *line)
{
    (void)context;
    cp_print_line("", line);
}

static bool find_debug(void *context, const char *build_id, const char *name,
                       char *out, size_t cap)
{
    return cp_debuginfod_find(build_id, name, out, cap, print_line, context);
}

enum cp_status cp_run_report(const struct cp_command *command,
                             struct cp_profile *p, cp_warn warn, void *context,
                             struct cp_error *err)
{
    struct cp_command own = *command, *c = &own;
    struct cp_report r = { .profile = p,
                           .options = c->options,
                           .warn = warn,
                           .warn_context = context,
                           .find_debug = find_debug };
    enum cp_status status = cp_report_init(&r, err);

    if (status != CP_OK)
        return status;
    if (c->options.format == CP_FORMAT_WEBLIST && is_page_for_browser(c))
        own.viewer = CP_VIEWER_BROWSER;
    status = write_report(c, &r, err);
    cp_report_release(&r);
    return status;
}
