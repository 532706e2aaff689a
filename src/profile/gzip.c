/*
 * gzip.c - see gzip.h.
 *
 *   member   1f 8b 08 00, time (4), 00, system (ff: unknown)
 *            deflate blocks, the last one marked
 *            CRC-32 (4), length modulo 2^32 (4), little endian
 *
 * A piece is a run of blocks that ends on a byte (gzip_piece.c); the last block
 * is an empty one: 03 00.
 */
#include "profile/gzip.h"

#include <libdeflate.h>

#define LEVEL_WHOLE 6
#define CRC_POLYNOMIAL 0xedb88320u

enum cp_status cp_gzip_pack(const void *bytes, size_t len, struct cp_out *out,
                            struct cp_error *err)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL_WHOLE);
    enum cp_status status = CP_OK;

    if (!c || !cp_out_room(out, libdeflate_gzip_compress_bound(c, len)))
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

/* A 32 by 32 matrix of bits, by columns, times a vector. */
static uint32_t times(const uint32_t *matrix, uint32_t vector)
{
    uint32_t sum = 0;

    for (; vector; vector >>= 1, matrix++)
        if (vector & 1)
            sum ^= *matrix;
    return sum;
}

static void square(uint32_t *to, const uint32_t *matrix)
{
    for (int i = 0; i < 32; i++)
        to[i] = times(matrix, matrix[i]);
}

/*
 * The CRC of a followed by b: that of a, moved through as many zero bytes as
 * b is long, and that of b. Moving by one bit is a linear map; squaring it
 * doubles the distance.
 */
struct cp_gzip_sum cp_gzip_join(struct cp_gzip_sum a, struct cp_gzip_sum b)
{
    uint32_t odd[32], even[32];
    uint32_t crc = a.crc;

    odd[0] = CRC_POLYNOMIAL;
    for (int i = 1; i < 32; i++)
        odd[i] = (uint32_t)1 << (i - 1);
    square(even, odd); /* by 2 bits */
    square(odd, even); /* by 4 bits */
    for (uint64_t n = b.len; n; n >>= 1) {
        square(even, odd);
        if (n & 1)
            crc = times(even, crc);
        for (int i = 0; i < 32; i++)
            odd[i] = even[i];
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
