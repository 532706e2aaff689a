/*
 * stream_source - the plain bytes of a large file, some at a time.
 *
 * Reads a gzip file of one member, or plain bytes, from memory or from a
 * descriptor, through ISA-L, which unlike libdeflate can stop in between. What
 * it cannot read (damage, several members, other packings) it refuses without
 * saying why: whoever uses it then goes the long way, which does. Used by
 * stream.c.
 */
#ifndef CP_STREAM_SOURCE_H
#define CP_STREAM_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file: its bytes in memory, or where data is NULL, a regular file. */
struct cp_stream_input {
    const uint8_t *data;
    size_t len;
    int fd;
};

struct cp_stream_source;

/* NULL where the input cannot be read this way, or memory is short. */
struct cp_stream_source *
cp_stream_source_new(const struct cp_stream_input *input);
void cp_stream_source_free(struct cp_stream_source *s);

/* How many bytes there will be, if reading comes to its end. */
size_t cp_stream_source_len(const struct cp_stream_source *s);

/*
 * Puts the next bytes at `to`, as many as there are room; fewer mean that
 * this was the end, and that it was as it should be. False on failure.
 */
bool cp_stream_source_read(struct cp_stream_source *s, uint8_t *to, size_t room,
                           size_t *got);

#endif
