/*
 * stream - reads a large profile.proto while it is still being unpacked.
 *
 * One core unpacks into a ring of buffers small enough to stay in the caches;
 * the others decode what is in them. Nothing of the plain bytes is kept but
 * the small tables, so neither time nor memory is spent on them twice.
 *
 * Only the ordinary case is handled. Whatever else comes (damage, sample types
 * behind the samples, messages larger than a buffer, ids beyond 32 bits) makes
 * it give up, and the caller reads the file the long way (inflate.h,
 * decode.h), which can handle it or say what is wrong.
 */
#ifndef CP_STREAM_H
#define CP_STREAM_H

#include <stddef.h>

struct cp_profile;
struct cp_stack_room;
struct cp_stream_input;

/* Below this many bytes of input it is not worth the making. */
#define CP_STREAM_MIN ((size_t)128 << 10)

#define CP_STREAM_BUFFER ((size_t)128 << 10)

/*
 * The profile, by n_threads, its stacks in the room if there is one and it is
 * large enough; or NULL: read it the long way.
 */
struct cp_profile *cp_stream_load(const struct cp_stream_input *input,
                                  size_t buffer_bytes, size_t n_threads,
                                  struct cp_stack_room *room);

#endif
