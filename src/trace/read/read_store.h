/*
 * read_store - memory for a lot of small things that stay: in pages of our own,
 * or for a large trace in a file without a name, which the system can take out
 * of memory while nobody looks.
 */
#ifndef CP_TRACE_READ_STORE_H
#define CP_TRACE_READ_STORE_H

#include <stddef.h>
#include <stdint.h>

struct cp_error;

/* Starts with cp_trace_store_init. */
struct cp_trace_store {
    int fd;        /* -1: no file */
    char **pieces; /* of PIECE_BYTES */
    size_t n, cap; /* pieces */
    size_t used;   /* bytes of the last one */
};

/* `expected` bytes or so will be asked for. */
void cp_trace_store_init(struct cp_trace_store *s, size_t expected);

/* Zeroed bytes, aligned to 8, at most 64 KiB of them; NULL with *err set. */
void *cp_trace_store_take(struct cp_trace_store *s, size_t len,
                          struct cp_error *err);

void cp_trace_store_release(struct cp_trace_store *s);

#endif
