/* file_start.c - reads the beginning of a small file. */
#include "base/file_start.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

ssize_t cp_file_start(int folder, const char *name, int flags, char *out,
                      size_t cap)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | flags);
    ssize_t n = fd >= 0 ? read(fd, out, cap - 1) : -1;
    int number = errno;

    if (fd >= 0)
        (void)close(fd);
    out[n > 0 ? n : 0] = '\0';
    errno = number;
    return n;
}
