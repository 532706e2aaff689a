/*
 * inflate - decompresses gzip and zstd buffers.
 *
 * The output is limited to fifty times the input, or 64 MB if that is more, so
 * that a decompression bomb ends in an error. Profiles compress to a tenth at
 * best.
 */
#ifndef CP_INFLATE_H
#define CP_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_bytes;

/* Whether the bytes begin with the magic number of gzip or zstd. */
bool cp_inflate_is_compressed(const uint8_t *data, size_t len);
bool cp_inflate_is_gzip(const uint8_t *data, size_t len);

/* Returns the maximum output size for `len` compressed bytes. */
size_t cp_inflate_limit(size_t len);

/*
 * Decompresses all members or frames of `packed` into the empty buffer `out`.
 * Returns CP_EFORMAT if the stream is damaged or truncated.
 */
enum cp_status cp_inflate(const uint8_t *packed, size_t len,
                          struct cp_bytes *out, struct cp_error *err);

#endif
