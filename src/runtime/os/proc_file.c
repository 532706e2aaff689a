/* proc_file.c - reads a file of unknown size in steps. */
#include "runtime/os/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out.h"

#define STEP_BYTES ((size_t)16 << 10)

/* Reads to the end or the limit; -1 with errno on failure. */
static ssize_t read_all(int fd, size_t limit, struct cp_out *out)
{
    size_t len = 0;
    ssize_t n = 1;

    while (n != 0 && len < limit && cp_out_reserve(out, STEP_BYTES)) {
        n = read(fd, out->buf + out->len,
                 limit - len < STEP_BYTES ? limit - len : STEP_BYTES);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        out->len += (size_t)n;
        len += (size_t)n;
    }
    return 0;
}

/* Reads from fd, which may be negative with errno set, and closes it. */
static enum cp_status read_and_close(const char *path, int fd, size_t limit,
                                     struct cp_out *out, struct cp_error *err)
{
    enum cp_status status = CP_OK;

    if (fd < 0 || read_all(fd, limit, out) < 0)
        status = cp_error_set(err, CP_EIO, "%s: %s", path, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    return status == CP_OK ? cp_out_finish(out, err) : status;
}

enum cp_status cp_proc_file_read(const char *path, size_t limit,
                                 struct cp_out *out, struct cp_error *err)
{
    return read_and_close(path, open(path, O_RDONLY | O_CLOEXEC), limit, out,
                          err);
}

enum cp_status cp_proc_file_read_own(const char *path, size_t limit,
                                     struct cp_out *out, struct cp_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;

    if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
                    (st.st_uid != geteuid() && st.st_uid != 0))) {
        (void)close(fd);
        return cp_error_set(err, CP_EIO, "%s: not a regular file of this user",
                            path);
    }
    return read_and_close(path, fd, limit, out, err);
}
