/* bytes.c - page-aligned byte buffers by mmap. */
#include "base/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE ((size_t)4096)

enum cp_status cp_bytes_reserve(struct cp_bytes *b, size_t cap,
                                struct cp_error *err)
{
    void *grown;

    if (cap <= b->mapped && b->data)
        return CP_OK;
    if (cap > (size_t)PTRDIFF_MAX - PAGE)
        return cp_error_nomem(err);
    cap = (cap / PAGE + 1) * PAGE;
    if (b->data)
        grown = mremap(b->data, b->mapped, cap, MREMAP_MAYMOVE);
    else
        grown = mmap(NULL, cap, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (grown == MAP_FAILED)
        return cp_error_nomem(err);
    b->data = grown;
    b->mapped = cap;
    return CP_OK;
}

enum cp_status cp_bytes_populate(struct cp_bytes *b, size_t cap,
                                 struct cp_error *err)
{
    if (cp_bytes_reserve(b, cap, err) != CP_OK)
        return CP_ENOMEM;
    (void)madvise(
        b->data, b->mapped,
        MADV_POPULATE_WRITE); /* an optimization; failure is harmless */
    return CP_OK;
}

/*
 * Reads once into the free space, or grows the buffer. *got is 0 at the end of
 * file.
 */
static enum cp_status read_some(struct cp_bytes *b, int fd, size_t *got,
                                struct cp_error *err)
{
    ssize_t n;

    if (b->mapped <= b->len &&
        cp_bytes_reserve(b, b->len + b->len / 2 + 65536, err) != CP_OK)
        return CP_ENOMEM;
    do
        n = read(fd, b->data + b->len, b->mapped - b->len);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return cp_error_set(err, CP_EIO, "read: %s", strerror(errno));
    *got = (size_t)n;
    b->len += (size_t)n;
    return CP_OK;
}

enum cp_status cp_bytes_read_fd(struct cp_bytes *b, int fd, size_t limit,
                                struct cp_error *err)
{
    enum cp_status status = CP_OK;
    struct stat st;
    size_t got = 1;

    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
        (uintmax_t)st.st_size <= limit)
        status = cp_bytes_reserve(b, (size_t)st.st_size + 1, err);
    while (status == CP_OK && got > 0) {
        status = read_some(b, fd, &got, err);
        if (status == CP_OK && b->len > limit)
            status = cp_error_set(err, CP_EFORMAT, "larger than %zu MB",
                                  limit >> 20);
    }
    return status;
}

enum cp_status cp_bytes_read_file(struct cp_bytes *b, const char *path,
                                  size_t limit, struct cp_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    enum cp_status status;

    if (fd < 0)
        return cp_error_set(err, CP_EIO, "open: %s", strerror(errno));
    status = cp_bytes_read_fd(b, fd, limit, err);
    (void)close(fd);
    return status;
}

void cp_bytes_discard(const struct cp_bytes *b, size_t from, size_t to)
{
    from = (from + PAGE - 1) / PAGE * PAGE;
    to = to / PAGE * PAGE;
    if (from < to)
        (void)madvise(b->data + from, to - from, MADV_DONTNEED);
}

void cp_bytes_release(struct cp_bytes *b)
{
    if (b->data)
        (void)munmap(b->data, b->mapped);
    *b = (struct cp_bytes){ 0 };
}
