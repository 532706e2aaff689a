/*
 * bytes - a large byte buffer in its own pages.
 *
 * Holds a whole file or its decompressed contents. Its pages can be released
 * from the front while the rest is still being decoded, so that a profile and
 * its bytes are never in memory together.
 */
#ifndef CP_BYTES_H
#define CP_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Initialize with { 0 }. */
struct cp_bytes {
    uint8_t *data;
    size_t len;    /* bytes in use */
    size_t mapped; /* bytes of address space */
};

/* Ensures a capacity of cap bytes; keeps the first len. */
enum cp_status cp_bytes_reserve(struct cp_bytes *b, size_t cap,
                                struct cp_error *err);

/*
 * Like cp_bytes_reserve, and populates the pages, which is faster than faulting
 * them in one by one.
 */
enum cp_status cp_bytes_populate(struct cp_bytes *b, size_t cap,
                                 struct cp_error *err);

/*
 * Reads a whole file, or standard input or a pipe; fails above `limit` bytes.
 */
enum cp_status cp_bytes_read_fd(struct cp_bytes *b, int fd, size_t limit,
                                struct cp_error *err);
enum cp_status cp_bytes_read_file(struct cp_bytes *b, const char *path,
                                  size_t limit, struct cp_error *err);

/*
 * Releases the pages that lie completely within [from, to); later reads see
 * zeros. Several threads may call it for ranges that do not overlap.
 */
void cp_bytes_discard(const struct cp_bytes *b, size_t from, size_t to);

void cp_bytes_release(struct cp_bytes *b);

#endif
