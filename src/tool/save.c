/* save.c - see save.h. */
#include "tool/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out.h"
#include "base/path.h"
#include "profile/encode.h"
#include "tool/folder.h"

#define PATH_BYTES 4096
#define MOST_NUMBERS 100000

static void tell(cp_warn warn, void *context, const char *what,
                 const char *path, const char *why)
{
    char line[PATH_BYTES + 256];

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
        tell(warn, context, "Could not use temp dir ", path, strerror(errno));
    }
    if (home && *home) {
        (void)snprintf(path, PATH_BYTES, "%s/pprof", home);
        if (cp_folder_make(path))
            return true;
        tell(warn, context, "Could not use temp dir ", path, strerror(errno));
    }
    (void)snprintf(path, PATH_BYTES, "%s", "/tmp");
    return access(path, W_OK) == 0;
}

/* "pprof.server.samples.cpu", with nothing in it that could leave a folder. */
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

/* Creates the first file of the name that is free; -1 with errno set. */
static int create_numbered(const char *folder, const char *name, char *path)
{
    int fd = -1;

    for (int i = 1; i < MOST_NUMBERS; i++) {
        if (snprintf(path, PATH_BYTES, "%s/%s%03d.pb.gz", folder, name, i) >=
            PATH_BYTES) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    return fd;
}

/* Writes the file whole, or removes it. */
static enum cp_status write_file(const struct cp_profile *p, int fd,
                                 const char *path, struct cp_error *err)
{
    struct cp_out out = { .fd = fd };
    enum cp_status status = cp_encode_gzip(p, &out, err);

    if (status == CP_OK)
        status = cp_out_finish(&out, err);
    cp_out_release(&out);
    if (close(fd) != 0 && status == CP_OK)
        status = cp_error_set(err, CP_EIO, "%s", strerror(errno));
    if (status != CP_OK)
        (void)unlink(path);
    return status;
}

void cp_save_profile(const struct cp_profile *p, cp_warn warn, void *context)
{
    char folder[PATH_BYTES], path[PATH_BYTES] = "";
    struct cp_out name = { .fd = -1 };
    struct cp_error err = { 0 };
    int fd;

    if (!find_folder(folder, warn, context)) {
        tell(warn, context, "Could not save profile: no folder to write to", "",
             "");
        return;
    }
    base_name(p, &name);
    fd =
        name.err.status == CP_OK ? create_numbered(folder, name.buf, path) : -1;
    if (fd < 0)
        tell(warn, context, "Could not save profile in ", folder,
             strerror(errno));
    else if (write_file(p, fd, path, &err) != CP_OK)
        tell(warn, context, "Could not save profile in ", path, err.msg);
    else
        tell(warn, context, "Saved profile in ", path, "");
    cp_out_release(&name);
}
