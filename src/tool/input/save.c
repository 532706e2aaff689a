/*
 * save.c - chooses the directory and the name of a saved file, and writes it.
 */
#include "tool/input/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"
#include "base/out.h"
#include "base/path.h"
#include "profile/codec/encode.h"
#include "profile/legacy/heap_values.h"
#include "profile/model/profile.h"
#include "tool/cli/folder.h"
#include "tool/cli/leftover.h"

#define PATH_BYTES CP_SAVE_PATH_BYTES
#define MAX_NUMBERS 100000

static void report_save(cp_warn warn, void *context, const char *what,
                        const char *path, const char *why)
{
    char line[PATH_BYTES + 1024];

    (void)snprintf(line, sizeof(line), "%s%s%s%s", what, path, *why ? ": " : "",
                   why);
    warn(context, line);
}

static bool find_folder(char *path, cp_warn warn, void *context)
{
    const char *wanted = getenv("PPROF_TMPDIR"), *home = getenv("HOME");

    if (wanted && *wanted) {
        (void)snprintf(path, PATH_BYTES, "%s", wanted);
        if (cp_folder_make(path))
            return true;
        report_save(warn, context, "Could not use temp dir ", path,
                    strerror(errno));
    }
    if (home && *home) {
        (void)snprintf(path, PATH_BYTES, "%s/pprof", home);
        if (cp_folder_make(path))
            return true;
        report_save(warn, context, "Could not use temp dir ", path,
                    strerror(errno));
    }
    wanted = getenv("TMPDIR");
    (void)snprintf(path, PATH_BYTES, "%s", wanted && *wanted ? wanted : "/tmp");
    return access(path, W_OK) == 0;
}

/* Writes a name such as "pprof.server.samples.cpu", without any slash. */
static void base_name(const struct cp_profile *p, struct cp_out *out)
{
    cp_out_cstr(out, "pprof.");
    if (p->n_mappings > 0 && p->mappings[0].file) {
        cp_out_str(out, cp_path_base(cp_profile_str(p, p->mappings[0].file)));
        cp_out_char(out, '.');
    }
    for (uint32_t i = 0; i < p->n_types; i++)
        cp_out_printf(out, "%s.", cp_profile_cstr(p, p->types[i].type));
    for (size_t i = 0; i < out->len; i++)
        if (out->buf[i] == '/' || (unsigned char)out->buf[i] < 0x20)
            out->buf[i] = '_';
    if (out->len > 200)
        out->len = 200;
    cp_out_char(out, '\0');
}

/* Renames the file to the first free name. Returns 0, or -1 with errno set. */
static int rename_numbered(struct cp_saving *s, const char *name,
                           const char *suffix)
{
    for (int i = 1; i < MAX_NUMBERS; i++) {
        if (snprintf(s->path, PATH_BYTES, "%s/%s%03d.%s", s->folder, name, i,
                     suffix) >= PATH_BYTES) {
            errno = ENAMETOOLONG;
            return -1;
        }
        if (renameat2(AT_FDCWD, s->temp, AT_FDCWD, s->path, RENAME_NOREPLACE) ==
            0)
            return 0;
        if (errno == EINVAL && access(s->path, F_OK) != 0)
            return rename(s->temp, s->path); /* renameat2 is not supported */
        if (errno != EEXIST && errno != EINVAL)
            return -1;
    }
    errno = EEXIST;
    return -1;
}

enum cp_status cp_saving_open(struct cp_saving *s, cp_warn warn, void *context,
                              struct cp_error *err)
{
    s->fd = -1;
    if (!find_folder(s->folder, warn, context))
        return cp_error_set(err, CP_EOTHER,
                            "no writable directory; set PPROF_TMPDIR");
    if (snprintf(s->temp, sizeof(s->temp), "%s/.pprof" CP_NEW_FILE_RANDOM,
                 s->folder) < (int)sizeof(s->temp))
        s->fd = cp_new_file(AT_FDCWD, s->temp, 0, 0666);
    if (s->fd < 0)
        return cp_error_set(err, CP_EIO, "%s: %s", s->folder, strerror(errno));
    cp_leftover_register(s->temp);
    return CP_OK;
}

void cp_saving_abandon(struct cp_saving *s)
{
    if (s->fd >= 0)
        (void)close(s->fd);
    s->fd = -1;
    (void)unlink(s->temp);
    cp_leftover_unregister();
}

enum cp_status cp_saving_rename(struct cp_saving *s, const char *name,
                                const char *suffix, struct cp_error *err)
{
    bool is_whole = close(s->fd) == 0;

    s->fd = -1;
    if (!is_whole || rename_numbered(s, name, suffix) != 0) {
        (void)cp_error_set(err, CP_EIO, "%s: %s", s->folder, strerror(errno));
        cp_saving_abandon(s);
        return CP_EIO;
    }
    cp_leftover_unregister();
    return CP_OK;
}

static enum cp_status write_all(const struct cp_profile *p, int fd,
                                struct cp_error *err)
{
    struct cp_out out = { .fd = fd };
    enum cp_status status = cp_encode_gzip(p, &out, err);

    if (status == CP_OK)
        status = cp_out_finish(&out, err);
    cp_out_release(&out);
    return status;
}

/* Writes the file under its temporary name and renames it when complete. */
static enum cp_status write_file(const struct cp_profile *p,
                                 struct cp_saving *s, const char *name,
                                 struct cp_error *err)
{
    enum cp_status status = write_all(p, s->fd, err);

    if (status != CP_OK) {
        cp_error_prefix(err, "%s: ", s->folder);
        cp_saving_abandon(s);
        return status;
    }
    return cp_saving_rename(s, name, "pb.gz", err);
}

static void save(const struct cp_profile *p, cp_warn warn, void *context)
{
    struct cp_out name = { .fd = -1 };
    struct cp_error err = { 0 };
    struct cp_saving s;

    if (cp_saving_open(&s, warn, context, &err) != CP_OK) {
        report_save(warn, context,
                    err.status == CP_EOTHER ? "Could not save profile: "
                                            : "Could not save profile in ",
                    err.msg, "");
        return;
    }
    base_name(p, &name);
    if (name.err.status != CP_OK) {
        cp_saving_abandon(&s);
        report_save(warn, context, "Could not save profile in ", s.folder,
                    name.err.msg);
    } else if (write_file(p, &s, name.buf, &err) != CP_OK) {
        report_save(warn, context, "Could not save profile in ", err.msg, "");
    } else {
        report_save(warn, context, "Saved profile in ", s.path, "");
    }
    cp_out_release(&name);
}

void cp_save_profile(const struct cp_profile *p, cp_warn warn, void *context)
{
    struct cp_profile *whole;

    if (!cp_legacy_heap_is_in_parts(p)) {
        save(p, warn, context);
        return;
    }
    whole = cp_profile_copy(p, NULL);
    if (whole && cp_legacy_heap_make_whole(whole, NULL) == CP_OK)
        save(whole, warn, context);
    else
        warn(context, "Could not save profile: out of memory");
    cp_profile_free(whole);
}
