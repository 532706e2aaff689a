/*
 * inflate.c - decompresses gzip with libdeflate and zstd with libzstd.
 *
 * libdeflate needs the size of its output in advance. The last four bytes of a
 * gzip file hold it, modulo 4 GB and for the last member only. That value is
 * the first guess; if it is too small, the member is decompressed again into
 * twice the space.
 */
#include "profile/codec/inflate.h"

#include <libdeflate.h>
#include <string.h>
#include <zstd.h>

#include "base/assert/assert.h"
#include "base/bytes.h"

#define SMALL_LIMIT ((size_t)64 << 20)
#define MAX_RATIO ((size_t)50)
/* a trailer that claims more is not trusted */
#define LIKELY_RATIO ((size_t)16)

bool cp_inflate_is_gzip(const uint8_t *data, size_t len)
{
    return len >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

static bool is_zstd(const uint8_t *data, size_t len)
{
    static const uint8_t magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

    return len >= 4 && memcmp(data, magic, 4) == 0;
}

bool cp_inflate_is_compressed(const uint8_t *data, size_t len)
{
    return cp_inflate_is_gzip(data, len) || is_zstd(data, len);
}

size_t cp_inflate_limit(size_t len)
{
    if (len > SIZE_MAX / MAX_RATIO)
        return SIZE_MAX / 2;
    return len * MAX_RATIO > SMALL_LIMIT ? len * MAX_RATIO : SMALL_LIMIT;
}

static enum cp_status too_large(size_t limit, size_t len, struct cp_error *err)
{
    return cp_error_set(err, CP_EFORMAT,
                        "decompresses to more than %zu MB from %zu KB, which "
                        "no profile does",
                        limit >> 20, len >> 10);
}

/* Returns the size in the gzip trailer, limited to a plausible value. */
static size_t first_guess(const uint8_t *data, size_t len, size_t limit)
{
    uint32_t trailer;
    size_t guess = len * 4;

    if (len >= 18) {
        memcpy(&trailer, data + len - 4, 4);
        if (trailer >= len / 2 && trailer <= limit)
            guess = trailer;
    }
    guess = guess < limit ? guess : limit;
    CP_ASSERT(guess <= cp_inflate_limit(len));
    return guess;
}

/* Decompresses the member at *pos and moves *pos behind it. */
static enum cp_status one_member(struct libdeflate_decompressor *d,
                                 const uint8_t *data, size_t len, size_t *pos,
                                 struct cp_bytes *out, struct cp_error *err)
{
    size_t limit = cp_inflate_limit(len), in = 0, got = 0;
    enum libdeflate_result result;

    for (;;) {
        CP_ASSERT(*pos <= len && out->len <= out->mapped);
        result = libdeflate_gzip_decompress_ex(
            d, data + *pos, len - *pos, out->data + out->len,
            out->mapped - out->len, &in, &got);
        if (result != LIBDEFLATE_INSUFFICIENT_SPACE)
            break;
        if (out->mapped >= limit)
            return too_large(limit, len, err);
        size_t more = out->mapped * 2 < limit ? out->mapped * 2 : limit;
        if (cp_bytes_reserve(out, more, err) != CP_OK)
            return CP_ENOMEM;
    }
    if (result != LIBDEFLATE_SUCCESS)
        return cp_error_set(err, CP_EFORMAT,
                            "gzip data is damaged or truncated at byte %zu",
                            *pos);
    *pos += in;
    out->len += got;
    return out->len > limit ? too_large(limit, len, err) : CP_OK;
}

static enum cp_status gunzip(const uint8_t *data, size_t len,
                             struct cp_bytes *out, struct cp_error *err)
{
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    enum cp_status status = CP_OK;
    size_t pos = 0;

    if (!d)
        return cp_error_nomem(err);
    size_t guess = first_guess(data, len, cp_inflate_limit(len));
    status = guess <= len * LIKELY_RATIO
                 ? cp_bytes_populate(out, guess + 1, err)
                 : cp_bytes_reserve(out, guess + 1, err);
    while (status == CP_OK && pos < len)
        status = one_member(d, data, len, &pos, out, err);
    libdeflate_free_decompressor(d);
    return status;
}

static enum cp_status unzstd_into(ZSTD_DStream *d, ZSTD_inBuffer *in,
                                  struct cp_bytes *out, struct cp_error *err)
{
    size_t limit = cp_inflate_limit(in->size), left = 1;

    while (in->pos < in->size || left > 0) {
        size_t cap = out->len * 2 + ((size_t)1 << 20);
        ZSTD_outBuffer to = { NULL, 0, 0 };
        size_t was = in->pos;

        if (out->len > limit)
            return too_large(limit, in->size, err);
        if (cp_bytes_reserve(out, cap, err) != CP_OK)
            return CP_ENOMEM;
        to.dst = out->data + out->len;
        to.size = out->mapped - out->len;
        left = ZSTD_decompressStream(d, &to, in);
        if (ZSTD_isError(left))
            return cp_error_set(err, CP_EFORMAT, "zstd data: %s",
                                ZSTD_getErrorName(left));
        out->len += to.pos;
        CP_ASSERT(in->pos <= in->size && out->len <= out->mapped);
        if (left > 0 && to.pos == 0 && in->pos == was)
            return cp_error_set(err, CP_EFORMAT, "zstd data is truncated");
    }
    return out->len > limit ? too_large(limit, in->size, err) : CP_OK;
}

static enum cp_status unzstd(const uint8_t *data, size_t len,
                             struct cp_bytes *out, struct cp_error *err)
{
    ZSTD_inBuffer in = { data, len, 0 };
    ZSTD_DStream *d = ZSTD_createDStream();
    enum cp_status status;

    if (!d)
        return cp_error_nomem(err);
    status = unzstd_into(d, &in, out, err);
    (void)ZSTD_freeDStream(d);
    return status;
}

enum cp_status cp_inflate(const uint8_t *packed, size_t len,
                          struct cp_bytes *out, struct cp_error *err)
{
    return is_zstd(packed, len) ? unzstd(packed, len, out, err)
                                : gunzip(packed, len, out, err);
}
