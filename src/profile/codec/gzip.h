/*
 * gzip - compresses bytes into one gzip member.
 *
 * cp_gzip_compress compresses a buffer in one call and favours size.
 * cp_gzip_piece and struct cp_gzip_compressor compress pieces on any thread and
 * favour speed. The caller writes the pieces in order between cp_gzip_begin and
 * cp_gzip_end. The result is a single member, because some readers stop after
 * the first member.
 */
#ifndef CP_GZIP_H
#define CP_GZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_out;

/* Checksum of a part of the stream. */
struct cp_gzip_sum {
    uint32_t crc;
    uint64_t len; /* bytes before compression */
};

/* Appends the compressed bytes to out. */
enum cp_status cp_gzip_compress(const void *bytes, size_t len,
                                struct cp_out *out, struct cp_error *err);

/* Appends the header of a stream. */
void cp_gzip_begin(struct cp_out *out);

/*
 * Appends a compressed piece and returns its checksum. out->err records a
 * failure.
 */
struct cp_gzip_sum cp_gzip_piece(const void *bytes, size_t len,
                                 struct cp_out *out);

/*
 * Compresses a piece that arrives in parts: `add` each part, then `end` the
 * piece. Output is appended to out at any of these calls. A packer can compress
 * any number of pieces in turn. cp_gzip_compressor_new returns NULL if
 * allocation fails.
 */
struct cp_gzip_compressor;
struct cp_gzip_compressor *cp_gzip_compressor_new(struct cp_error *err);
void cp_gzip_compressor_free(struct cp_gzip_compressor *p);
void cp_gzip_compressor_add(struct cp_gzip_compressor *p, const void *bytes,
                            size_t len, struct cp_out *out);
struct cp_gzip_sum cp_gzip_compressor_end(struct cp_gzip_compressor *p,
                                          struct cp_out *out);

/* Returns the checksum of a followed by b. */
struct cp_gzip_sum cp_gzip_join(struct cp_gzip_sum a, struct cp_gzip_sum b);

/* Appends the trailer of a stream; `all` is the checksum of all pieces. */
void cp_gzip_end(struct cp_gzip_sum all, struct cp_out *out);

#endif
