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
#include "profile/heap_values.h"
#include "tool/folder.h"
#include "tool/leftover.h"
#include "tool/output.h"

#define PATH_BYTES 4096
#define MOST_NUMBERS 100000

static void tell(cp_warn warn, void *context, const char *what,
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
        tell(warn, context, "Could not use temp dir ", path, strerror(errno));
    }
    if (home && *home) {
        (void)snprintf(path, PATH_BYTES, "%s/pprof", home);
        if (cp_folder_make(path))
            return true;
        tell(warn, context, "Could not use temp dir ", path, strerror(errno));
    }
    wanted = getenv("TMPDIR");
    (void)snprintf(path, PATH_BYTES, "%s", wanted && *wanted ? wanted : "/tmp");
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

/* Gives a file the first name that is free; 0, or -1 with errno set. */
static int place_numbered(const char *temp, const char *folder,
                          const char *name, char *path)
{
    for (int i = 1; i < MOST_NUMBERS; i++) {
        if (snprintf(path, PATH_BYTES, "%s/%s%03d.pb.gz", folder, name, i) >=
            PATH_BYTES) {
            errno = ENAMETOOLONG;
            return -1;
        }
        if (renameat2(AT_FDCWD, temp, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
            return 0;
        if (errno == EINVAL && access(path, F_OK) != 0)
            return rename(temp, path); /* a file system without that call */
        if (errno != EEXIST && errno != EINVAL)
            return -1;
    }
    errno = EEXIST;
    return -1;
}

static enum cp_status write_all(const struct cp_profile *p, int fd,
                                struct cp_error *err)
{
    struct cp_out out = { .fd = fd };
    enum cp_status status = cp_encode_gzip(p, &out, err);

    if (status == CP_OK)
        status = cp_out_finish(&out, err);
    cp_out_release(&out);
    if (close(fd) != 0 && status == CP_OK)
        status = cp_error_set(err, CP_EIO, "%s", strerror(errno));
    return status;
}

/* Writes a file that has its name only when it is whole. */
static enum cp_status write_file(const struct cp_profile *p, const char *folder,
                                 const char *name, char *path,
                                 struct cp_error *err)
{
    char temp[PATH_BYTES];
    enum cp_status status;
    int fd = -1;

    if (snprintf(temp, sizeof(temp), "%s/.pprof.XXXXXX", folder) <
        (int)sizeof(temp))
        fd = mkostemp(temp, O_CLOEXEC);
    if (fd < 0)
        return cp_error_set(err, CP_EIO, "%s", strerror(errno));
    cp_leftover_watch(temp);
    cp_output_usual_mode(fd);
    status = write_all(p, fd, err);
    if (status == CP_OK && place_numbered(temp, folder, name, path) != 0)
        status = cp_error_set(err, CP_EIO, "%s", strerror(errno));
    if (status != CP_OK)
        (void)unlink(temp);
    cp_leftover_keep();
    return status;
}

static void save(const struct cp_profile *p, cp_warn warn, void *context)
{
    char folder[PATH_BYTES], path[PATH_BYTES] = "";
    struct cp_out name = { .fd = -1 };
    struct cp_error err = { 0 };

    if (!find_folder(folder, warn, context)) {
        tell(warn, context, "Could not save profile: no folder to write to", "",
             "");
        return;
    }
    base_name(p, &name);
    err = name.err;
    if (err.status != CP_OK ||
        write_file(p, folder, name.buf, path, &err) != CP_OK)
        tell(warn, context, "Could not save profile in ", folder, err.msg);
    else
        tell(warn, context, "Saved profile in ", path, "");
    cp_out_release(&name);
}

void cp_save_profile(const struct cp_profile *p, cp_warn warn, void *context)
{
    struct cp_profile *whole;

    if (!cp_heap_is_in_parts(p)) {
        save(p, warn, context);
        return;
    }
    whole = cp_profile_copy(p, NULL);
    if (whole && cp_heap_make_whole(whole, NULL) == CP_OK)
        save(whole, warn, context);
    else
        warn(context, "Could not save profile: out of memory");
    cp_profile_free(whole);
}
