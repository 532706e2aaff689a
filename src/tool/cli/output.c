/*
 * output.c - opens the destination of a report and renames it when complete.
 *
 * A regular file is written under a temporary name and renamed at the end. So a
 * failure leaves no partial report and keeps an older file intact. Pipes,
 * devices and symbolic links are written directly.
 */
#include "tool/cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/new_file.h"
#include "base/target_file.h"
#include "tool/cli/command.h"
#include "tool/cli/leftover.h"

#define MAX_PROFILES 1000

static char *joined(const char *a, const char *b, struct cp_error *err)
{
    size_t len = strlen(a) + strlen(b) + 1;
    char *text = cp_alloc(len, 1, err);

    if (text)
        (void)snprintf(text, len, "%s%s", a, b);
    return text;
}

static enum cp_status cannot_create(const char *path, struct cp_error *err)
{
    return cp_error_set(err, CP_EIO, "cannot create %s: %s", path,
                        cp_target_error(errno));
}

static enum cp_status open_file(struct cp_output *o, const char *path,
                                struct cp_error *err)
{
    o->out.fd = -1;
    o->path = joined(path, "", err);
    o->temp = joined(path, CP_NEW_FILE_RANDOM, err);
    if (!o->path || !o->temp) {
        cp_free(o->temp);
        o->temp = NULL;
        return CP_ENOMEM;
    }
    if (!cp_target_is_replaceable(path)) {
        cp_free(o->temp);
        o->temp = NULL;
        o->out.fd = cp_target_open(path, true);
    } else {
        o->out.fd = cp_new_file(AT_FDCWD, o->temp, 0, 0666);
        if (o->out.fd >= 0)
            cp_leftover_register(o->temp);
    }
    if (o->out.fd < 0) {
        cp_free(o->temp);
        o->temp = NULL;
        return cannot_create(path, err);
    }
    (void)fprintf(stderr, "Generating report in %s\n", path);
    return CP_OK;
}

/* Opens the first free profileNNN.suffix. */
static enum cp_status open_numbered(struct cp_output *o, const char *suffix,
                                    struct cp_error *err)
{
    char path[64];

    for (int i = 1; i < MAX_PROFILES; i++) {
        (void)snprintf(path, sizeof(path), "profile%03d.%s", i, suffix);
        if (access(path, F_OK) != 0)
            return open_file(o, path, err);
    }
    return cp_error_set(err, CP_EIO,
                        "profile001.%s to profile999.%s exist; choose a name "
                        "with -output",
                        suffix, suffix);
}

/*
 * Opens a temporary file for a viewer. It is not removed: the viewer may read
 * it at any time.
 */
static enum cp_status open_for_viewer(struct cp_output *o, const char *suffix,
                                      struct cp_error *err)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];

    if (!folder || !*folder)
        folder = "/tmp";
    if (snprintf(path, sizeof(path), "%s/pprof.XXXXXX.%s", folder, suffix) >=
        (int)sizeof(path))
        return cp_error_set(err, CP_EIO,
                            "TMPDIR is too long; set it to a shorter path");
    o->out.fd = cp_new_file(AT_FDCWD, path, strlen(suffix) + 1, 0600);
    if (o->out.fd < 0)
        return cannot_create(path, err);
    o->path = joined(path, "", err);
    o->temp = joined(path, "", err);
    if (!o->path || !o->temp) {
        (void)unlink(path);
        return CP_ENOMEM;
    }
    (void)fprintf(stderr, "Generating report in %s\n", path);
    return CP_OK;
}

enum cp_status cp_output_open(struct cp_output *o, const struct cp_command *c,
                              struct cp_error *err)
{
    enum cp_status status = CP_OK;

    *o = (struct cp_output){ .out = cp_out_terminal(STDOUT_FILENO) };
    if (*c->options.output)
        status = open_file(o, c->options.output, err);
    else if (c->viewer)
        status = open_for_viewer(o, c->suffix, err);
    else if (c->product != CP_PRODUCT_TEXT &&
             (c->is_shell || isatty(STDOUT_FILENO)))
        status = open_numbered(o, c->suffix, err);
    if (status != CP_OK)
        cp_output_abandon(o);
    return status;
}

static void release(struct cp_output *o)
{
    if (o->temp)
        cp_leftover_unregister();
    if (o->path && o->out.fd >= 0)
        (void)close(o->out.fd);
    cp_out_release(&o->out);
    cp_free(o->path);
    cp_free(o->temp);
    *o = (struct cp_output){ .out = { .fd = -1 } };
}

enum cp_status cp_output_finish(struct cp_output *o, struct cp_error *err)
{
    enum cp_status status = cp_out_finish(&o->out, err);

    if (status == CP_OK && o->path) { /* close() reports some write errors */
        if (close(o->out.fd) != 0)
            status = cannot_create(o->path, err);
        o->out.fd = -1;
    }
    if (status == CP_OK && o->temp && rename(o->temp, o->path) != 0)
        status = cannot_create(o->path, err);
    if (status != CP_OK) {
        cp_output_abandon(o);
        return status;
    }
    release(o);
    return CP_OK;
}

void cp_output_abandon(struct cp_output *o)
{
    if (o->temp)
        (void)unlink(o->temp);
    release(o);
}
