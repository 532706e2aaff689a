/*
 * inflate - unpacks gzip and zstd.
 *
 * Whole buffers, through libdeflate and libzstd. What comes out is limited to
 * fifty times what went in (or 64 MB, if that is more; profiles shrink to a
 * tenth at best), so that a compression bomb ends in a message and not in the
 * end of memory.
 */
#ifndef CP_INFLATE_H
#define CP_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_bytes;

/* Whether the bytes begin as gzip or zstd data do. */
bool cp_inflate_is_packed(const uint8_t *data, size_t len);
bool cp_inflate_is_gzip(const uint8_t *data, size_t len);

/* What `len` packed bytes may unpack to. */
size_t cp_inflate_limit(size_t len);

/*
 * Unpacks all members or frames of `packed` into `out`, which is empty. Fails
 * with CP_EFORMAT on anything but a whole, intact stream.
 */
enum cp_status cp_inflate(const uint8_t *packed, size_t len,
                          struct cp_bytes *out, struct cp_error *err);

#endif
