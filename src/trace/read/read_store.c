/* read_store.c - allocates from mapped pieces of memory or of a file. */
#include "trace/read/read_store.h"

#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/new_file.h"

#define PIECE_BYTES ((size_t)32 << 20)
#define LARGE_BYTES ((size_t)128 << 20) /* from this size on a file is used */

void cp_trace_store_init(struct cp_trace_store *s, size_t expected)
{
    *s = (struct cp_trace_store){ .fd = -1, .used = PIECE_BYTES };
    if (expected >= LARGE_BYTES)
        s->fd = cp_new_file_scratch();
}

/*
 * Maps the next piece of the file, or anonymous memory if there is no file or
 * the disk is full.
 */
static char *map_piece(struct cp_trace_store *s)
{
    off_t at = (off_t)(s->n * PIECE_BYTES);
    void *p = MAP_FAILED;

    if (s->fd >= 0 && posix_fallocate(s->fd, at, (off_t)PIECE_BYTES) == 0)
        p = mmap(NULL, PIECE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd,
                 at);
    if (p == MAP_FAILED)
        p = mmap(NULL, PIECE_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void *cp_trace_store_alloc(struct cp_trace_store *s, size_t len,
                           struct cp_error *err)
{
    char *p;

    len = (len + 7) & ~(size_t)7;
    assert(len <= PIECE_BYTES);
    if (s->used + len > PIECE_BYTES) {
        if (cp_reserve(&s->pieces, &s->cap, s->n + 1, sizeof(*s->pieces),
                       err) != CP_OK)
            return NULL;
        p = map_piece(s);
        if (!p) {
            (void)cp_error_nomem(err);
            return NULL;
        }
        s->pieces[s->n++] = p;
        s->used = 0;
    }
    p = s->pieces[s->n - 1] + s->used;
    s->used += len;
    return p;
}

void cp_trace_store_release(struct cp_trace_store *s)
{
    for (size_t i = 0; i < s->n; i++)
        (void)munmap(s->pieces[i], PIECE_BYTES);
    if (s->fd >= 0)
        (void)close(s->fd);
    cp_free(s->pieces);
    *s = (struct cp_trace_store){ .fd = -1 };
}
