/*
 * read_store - an allocator for many small objects that are never freed singly.
 * A large trace is stored in an unlinked file, which the kernel can page out.
 */
#ifndef CP_TRACE_READ_STORE_H
#define CP_TRACE_READ_STORE_H

#include <stddef.h>
#include <stdint.h>

struct cp_error;

/* Initialize with cp_trace_store_init. */
struct cp_trace_store {
    int fd;        /* -1 if there is no file */
    char **pieces; /* each of PIECE_BYTES */
    size_t n, cap; /* number of pieces */
    size_t used;   /* bytes used of the last piece */
};

/* `expected` is the approximate number of bytes. */
void cp_trace_store_init(struct cp_trace_store *s, size_t expected);

/* Returns zeroed bytes, aligned to 8, at most 64 KiB; NULL with *err set. */
void *cp_trace_store_alloc(struct cp_trace_store *s, size_t len,
                           struct cp_error *err);

void cp_trace_store_release(struct cp_trace_store *s);

#endif
