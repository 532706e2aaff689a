/*
 * gzip_piece.c - deflate by stored blocks; the library links it in place of
 * profile/codec/gzip_piece.c.
 *
 * That file needs ISA-L, and the library depends on libc alone. The library
 * compresses whole profiles (runtime/endpoint/render.c), so these functions are
 * never called; only the linker needs them. Their output is valid, but not
 * compressed:
 *
 *   block  00, length (2), complement of the length (2), bytes
 */
#include <libdeflate.h>

#include "base/alloc.h"
#include "base/out.h"
#include "profile/codec/gzip.h"

#define MAX_STORED 65535

struct cp_gzip_sum cp_gzip_piece(const void *bytes, size_t len,
                                 struct cp_out *out)
{
    struct cp_gzip_sum sum = { libdeflate_crc32(0, bytes, len), len };
    const char *at = bytes;

    while (len > 0) {
        size_t n = len < MAX_STORED ? len : MAX_STORED;
        char head[5] = { 0, (char)(n & 0xff), (char)(n >> 8), (char)(~n & 0xff),
                         (char)(~n >> 8 & 0xff) };

        cp_out_bytes(out, head, sizeof(head));
        cp_out_bytes(out, at, n);
        at += n;
        len -= n;
    }
    return sum;
}

struct cp_gzip_compressor {
    struct cp_gzip_sum sum; /* checksum and length of the piece so far */
};

struct cp_gzip_compressor *cp_gzip_compressor_new(struct cp_error *err)
{
    return cp_alloc(1, sizeof(struct cp_gzip_compressor), err);
}

void cp_gzip_compressor_free(struct cp_gzip_compressor *p)
{
    cp_free(p);
}

void cp_gzip_compressor_add(struct cp_gzip_compressor *p, const void *bytes,
                            size_t len, struct cp_out *out)
{
    p->sum = cp_gzip_join(p->sum, cp_gzip_piece(bytes, len, out));
}

struct cp_gzip_sum cp_gzip_compressor_end(struct cp_gzip_compressor *p,
                                          struct cp_out *out)
{
    struct cp_gzip_sum sum = p->sum;

    (void)out;
    p->sum = (struct cp_gzip_sum){ 0 };
    return sum;
}
