/*
 * gzip.c - gzip framing, and the checksum of concatenated pieces.
 *
 *   member   1f 8b 08 00, time (4), 00, system (ff: unknown)
 *            deflate blocks, the last one marked
 *            CRC-32 (4), length modulo 2^32 (4), little endian
 *
 * A piece is a run of blocks that ends on a byte boundary (gzip_piece.c). The
 * member ends with an empty block: 03 00.
 */
#include "profile/codec/gzip.h"

#include <libdeflate.h>

#include "base/out.h"

#define LEVEL_WHOLE 4 /* level 6 takes twice as long and saves 3 % */
#define CRC_POLYNOMIAL 0xedb88320u

enum cp_status cp_gzip_compress(const void *bytes, size_t len,
                                struct cp_out *out, struct cp_error *err)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL_WHOLE);
    enum cp_status status = CP_OK;

    if (!c || !cp_out_reserve(out, libdeflate_gzip_compress_bound(c, len)))
        status = cp_error_nomem(err);
    else
        out->len += libdeflate_gzip_compress(c, bytes, len, out->buf + out->len,
                                             out->cap - out->len);
    libdeflate_free_compressor(c);
    return status;
}

void cp_gzip_begin(struct cp_out *out)
{
    static const char head[10] = { 0x1f, '\x8b', 8, 0, 0, 0, 0, 0, 0, '\xff' };

    cp_out_bytes(out, head, sizeof(head));
}

/*
 * Multiplies two polynomials over GF(2) modulo the CRC polynomial. The top bit
 * is the coefficient of 1, the next bit that of x.
 */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;

    for (; a; a <<= 1) {
        product ^= a >> 31 ? b : 0;
        b = b >> 1 ^ (b & 1 ? CRC_POLYNOMIAL : 0); /* multiply by x */
    }
    return product;
}

/*
 * CRC(a followed by b) = CRC(a) * x^(8 * b.len) + CRC(b). The loop computes the
 * power by repeated squaring.
 */
struct cp_gzip_sum cp_gzip_join(struct cp_gzip_sum a, struct cp_gzip_sum b)
{
    uint32_t move = (uint32_t)1 << (31 - 8), crc = a.crc;

    for (uint64_t n = b.len; n; n >>= 1) {
        if (n & 1)
            crc = multiply(crc, move);
        move = multiply(move, move);
    }
    return (struct cp_gzip_sum){ crc ^ b.crc, a.len + b.len };
}

static void put_32(struct cp_out *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        cp_out_char(out, (char)(value >> (8 * i) & 0xff));
}

void cp_gzip_end(struct cp_gzip_sum all, struct cp_out *out)
{
    cp_out_bytes(out, "\x03\x00", 2);
    put_32(out, all.crc);
    put_32(out, (uint32_t)all.len);
}
