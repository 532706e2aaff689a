/*
 * stream_source - the decompressed bytes of a large file, incrementally.
 *
 * Reads a gzip file with a single member, or uncompressed bytes, from memory or
 * from a file descriptor. It uses ISA-L, because libdeflate cannot suspend. It
 * fails without an error message on damage, several members or other
 * compression; the caller then uses the fallback (inflate.h), which reports the
 * error. Used by stream.c.
 */
#ifndef CP_STREAM_SOURCE_H
#define CP_STREAM_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The input: bytes in memory, or a regular file if data is NULL. */
struct cp_stream_input {
    const uint8_t *data;
    size_t len;
    int fd;
};

struct cp_stream_source;

/* Returns NULL if the format is not supported or allocation fails. */
struct cp_stream_source *
cp_stream_source_new(const struct cp_stream_input *input);
void cp_stream_source_free(struct cp_stream_source *s);

/* Returns the number of decompressed bytes. */
size_t cp_stream_source_len(const struct cp_stream_source *s);

/*
 * Reads up to `room` bytes into `to`. Fewer bytes mean that the stream has
 * ended and its checksum is correct. False on failure.
 */
bool cp_stream_source_read(struct cp_stream_source *s, uint8_t *to, size_t room,
                           size_t *got);

#endif
