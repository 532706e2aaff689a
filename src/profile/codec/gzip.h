/*
 * gzip - packs bytes as one gzip member.
 *
 * Two ways: all at once, as small as is quick (cp_gzip_pack), or piece by
 * piece, each piece on whatever thread has it, as fast as can be
 * (cp_gzip_piece). The pieces of a stream, put together in order between
 * cp_gzip_begin and cp_gzip_end, are one ordinary member: some readers stop
 * after the first of several.
 */
#ifndef CP_GZIP_H
#define CP_GZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_out;

/* What the end of the stream must know of a part of it. */
struct cp_gzip_sum {
    uint32_t crc;
    uint64_t len; /* bytes before packing */
};

/* Appends all of it to out, packed. */
enum cp_status cp_gzip_pack(const void *bytes, size_t len, struct cp_out *out,
                            struct cp_error *err);

/* Appends the head of a stream. */
void cp_gzip_begin(struct cp_out *out);

/* Appends a piece, packed, and tells its sum. A failure is noted in out. */
struct cp_gzip_sum cp_gzip_piece(const void *bytes, size_t len,
                                 struct cp_out *out);

/*
 * The same for a piece that comes in parts: `add` them, then `end` it. What
 * comes out meanwhile is appended to out. A packer serves one piece after
 * another; NULL when memory is short.
 */
struct cp_gzip_packer;
struct cp_gzip_packer *cp_gzip_packer_new(struct cp_error *err);
void cp_gzip_packer_free(struct cp_gzip_packer *p);
void cp_gzip_packer_add(struct cp_gzip_packer *p, const void *bytes, size_t len,
                        struct cp_out *out);
struct cp_gzip_sum cp_gzip_packer_end(struct cp_gzip_packer *p,
                                      struct cp_out *out);

/* The sum of a followed by b. */
struct cp_gzip_sum cp_gzip_join(struct cp_gzip_sum a, struct cp_gzip_sum b);

/* Appends the end of a stream of which all pieces add up to `all`. */
void cp_gzip_end(struct cp_gzip_sum all, struct cp_out *out);

#endif
