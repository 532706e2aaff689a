/* test_gzip.c - tests src/profile/codec/gzip.c and gzip_piece.c. */
#include "base/alloc.h"
#include "base/out.h"
#include "profile/codec/gzip.h"

#include <libdeflate.h>

#include "check.h"

#define MAX_BYTES ((size_t)3 << 20)

/* Compressible text with an incompressible part. */
static char *make_text(size_t len)
{
    char *text = cp_alloc(len + 1, 1, NULL);
    uint32_t x = 1;

    for (size_t i = 0; i < len; i++) {
        x = x * 1664525 + 1013904223;
        text[i] = i % 4096 < 512 ? (char)(x >> 24) : (char)('a' + i % 7);
    }
    return text;
}

/* Whether the bytes are one gzip member that decompresses to text. */
static bool unpacks_to(const struct cp_out *packed, const char *text,
                       size_t len)
{
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    char *plain = cp_alloc(len + 1, 1, NULL);
    size_t in = 0, got = 0;
    bool is_same;

    is_same = libdeflate_gzip_decompress_ex(d, packed->buf, packed->len, plain,
                                            len + 1, &in,
                                            &got) == LIBDEFLATE_SUCCESS &&
              in == packed->len && got == len && memcmp(plain, text, len) == 0;
    libdeflate_free_decompressor(d);
    cp_free(plain);
    return is_same;
}

static void test_whole(void)
{
    static const size_t lens[] = { 0, 1, 1000, 300000 };

    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        char *text = make_text(lens[i]);
        struct cp_out out = { .fd = -1 };

        CHECK(cp_gzip_compress(text, lens[i], &out, NULL) == CP_OK);
        CHECK(unpacks_to(&out, text, lens[i]));
        cp_out_release(&out);
        cp_free(text);
    }
}

static const struct {
    const char *what;
    size_t len, piece;
} streams[] = {
    { "nothing", 0, 1000 },
    { "one byte", 1, 1000 },
    { "one piece", 1000, 1000 },
    { "pieces of one byte", 50, 1 },
    { "an odd end", 100001, 1000 },
    { "large pieces", MAX_BYTES, MAX_BYTES / 3 },
};

static void test_pieces(void)
{
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
        size_t len = streams[i].len, piece = streams[i].piece;
        char *text = make_text(len);
        struct cp_out out = { .fd = -1 };
        struct cp_gzip_sum all = { 0 };

        check_case(streams[i].what);
        cp_gzip_begin(&out);
        for (size_t at = 0; at < len; at += piece) {
            size_t n = len - at < piece ? len - at : piece;

            all = cp_gzip_join(all, cp_gzip_piece(text + at, n, &out));
        }
        cp_gzip_end(all, &out);
        CHECK(out.err.status == CP_OK);
        CHECK(all.len == len);
        CHECK(unpacks_to(&out, text, len));
        cp_out_release(&out);
        cp_free(text);
    }
}

/* One compressor for all pieces, each given in parts. */
static void test_pieces_in_parts(void)
{
    size_t len = 1000003, part = 70001;
    struct cp_gzip_compressor *packer = cp_gzip_compressor_new(NULL);
    struct cp_gzip_sum all = { 0 };
    struct cp_out out = { .fd = -1 };
    char *text = make_text(len);
    unsigned n_parts = 0;

    cp_gzip_begin(&out);
    for (size_t at = 0; at < len; at += part) {
        cp_gzip_compressor_add(packer, text + at,
                               len - at < part ? len - at : part, &out);
        if (n_parts++ % 4 == 0)
            all = cp_gzip_join(all, cp_gzip_compressor_end(packer, &out));
    }
    all = cp_gzip_join(all, cp_gzip_compressor_end(packer, &out));
    all = cp_gzip_join(
        all, cp_gzip_compressor_end(packer, &out)); /* an empty piece */
    cp_gzip_end(all, &out);
    CHECK(out.err.status == CP_OK);
    CHECK(all.len == len);
    CHECK(unpacks_to(&out, text, len));
    cp_gzip_compressor_free(packer);
    cp_out_release(&out);
    cp_free(text);
}

static void test_out_of_memory(void)
{
    char *text = make_text(1000);
    struct cp_out out = { .fd = -1 };

    cp_alloc_fail_at(1);
    (void)cp_gzip_piece(text, 1000, &out);
    cp_alloc_fail_at(0);
    CHECK(out.err.status == CP_ENOMEM);
    cp_out_release(&out);
    cp_free(text);
}

int main(void)
{
    RUN(test_whole);
    RUN(test_pieces);
    RUN(test_pieces_in_parts);
    RUN(test_out_of_memory);
    return check_failures != 0;
}
