/*
 * stream - decodes a large profile.proto while it is being decompressed.
 *
 * One thread decompresses into a ring of buffers that fit the CPU cache; other
 * threads decode them. The decompressed bytes are not stored, except the small
 * tables.
 *
 * Only the common case is handled. On damage, sample types after samples,
 * messages larger than a buffer, or ids beyond 32 bits it gives up. The caller
 * then falls back to inflate.h and decode.h, which handle the file or report
 * the error.
 */
#ifndef CP_STREAM_H
#define CP_STREAM_H

#include <stddef.h>

struct cp_profile;
struct cp_stack_pool;
struct cp_stream_input;

/* Minimum input bytes; a smaller file is faster without threads. */
#define CP_STREAM_MIN ((size_t)128 << 10)

#define CP_STREAM_BUFFER ((size_t)128 << 10)

/*
 * Returns the profile. Returns NULL if the caller must use the fallback. Stacks
 * are stored in `pool` if it is not NULL and large enough.
 */
struct cp_profile *cp_stream_load(const struct cp_stream_input *input,
                                  size_t buffer_bytes, size_t n_threads,
                                  struct cp_stack_pool *pool);

#endif
