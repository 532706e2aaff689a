/*
 * bytes - a large block of bytes in pages of its own.
 *
 * For whole files and what they unpack to. Pages can be given back from the
 * front while the rest is still being read, so that a profile and the bytes
 * it was made of are never in memory together.
 */
#ifndef CP_BYTES_H
#define CP_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Starts as { 0 }. */
struct cp_bytes {
    uint8_t *data;
    size_t len;    /* bytes in use */
    size_t mapped; /* bytes of address space */
};

/* Gives b room for cap bytes, keeping its first len. */
enum cp_status cp_bytes_reserve(struct cp_bytes *b, size_t cap,
                                struct cp_error *err);

/*
 * The same, and has the pages made now: for bytes that are sure to be filled,
 * that is quicker than one by one.
 */
enum cp_status cp_bytes_populate(struct cp_bytes *b, size_t cap,
                                 struct cp_error *err);

/*
 * Reads all of a file, or of standard input for fd 0 or a pipe; at most
 * `limit` bytes.
 */
enum cp_status cp_bytes_read_fd(struct cp_bytes *b, int fd, size_t limit,
                                struct cp_error *err);
enum cp_status cp_bytes_read_file(struct cp_bytes *b, const char *path,
                                  size_t limit, struct cp_error *err);

/*
 * Gives the pages that lie wholly within [from, to) back to the system; what
 * is read there afterwards is zero. Safe from several threads for ranges that
 * do not overlap.
 */
void cp_bytes_discard(const struct cp_bytes *b, size_t from, size_t to);

void cp_bytes_release(struct cp_bytes *b);

#endif
