/* test_inflate.c - tests src/profile/codec/inflate.c. */
#include "base/bytes.h"
#include "profile/codec/inflate.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <zstd.h>

#include "check.h"

#define LARGE ((size_t)16 << 20)

/* A compressed file under construction. */
struct packed {
    uint8_t *data;
    size_t len;
};

static uint8_t *more_room(struct packed *p, size_t more)
{
    p->data = realloc(p->data, p->len + more);
    return p->data + p->len;
}

static void add_raw(struct packed *p, const char *bytes, size_t len)
{
    uint8_t *to = more_room(p, len);

    if (len)
        memcpy(to, bytes, len);
    p->len += len;
}

static void add_gzip(struct packed *p, const char *bytes, size_t len)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(1);
    size_t most = libdeflate_gzip_compress_bound(c, len);
    uint8_t *to = more_room(p, most);

    p->len += libdeflate_gzip_compress(c, bytes, len, to, most);
    libdeflate_free_compressor(c);
}

static void add_zstd(struct packed *p, const char *bytes, size_t len)
{
    size_t most = ZSTD_compressBound(len);
    uint8_t *to = more_room(p, most);

    p->len += ZSTD_compress(to, most, bytes, len, 1);
}

typedef void add_fn(struct packed *p, const char *bytes, size_t len);

/* Returns moderately compressible text of len bytes; the caller frees it. */
static char *make_text(size_t len)
{
    char *text = malloc(len + 1);
    uint32_t state = 1;

    for (size_t i = 0; i < len; i++) {
        state = state * 1664525 + 1013904223;
        text[i] = (char)(state >> 24 & 15);
    }
    return text;
}

static const struct {
    const char *what;
    size_t lens[4];
    size_t n;
} wholes[] = {
    { "nothing", { 0 }, 1 },
    { "one byte", { 1 }, 1 },
    { "a page", { 4096 }, 1 },
    { "large", { 3000000 }, 1 },
    { "two parts", { 10, 20 }, 2 },
    { "small part last", { 3000000, 1 }, 2 },
    { "large part last", { 1, 3000000 }, 2 },
    { "empty parts", { 0, 5, 0, 5 }, 4 },
};

static void check_whole(add_fn *add, const size_t *lens, size_t n)
{
    struct packed p = { 0 };
    struct cp_bytes out = { 0 };
    char *text = make_text(3000000 * 2);
    size_t total = 0;

    for (size_t i = 0; i < n; i++) {
        add(&p, text + total, lens[i]);
        total += lens[i];
    }
    CHECK(cp_inflate_is_compressed(p.data, p.len));
    CHECK_INT(cp_inflate(p.data, p.len, &out, NULL), CP_OK);
    CHECK_INT(out.len, total);
    CHECK(out.data && memcmp(out.data, text, total) == 0);
    cp_bytes_release(&out);
    free(p.data);
    free(text);
}

static void test_wholes(void)
{
    for (size_t i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++) {
        check_case(wholes[i].what);
        check_whole(add_gzip, wholes[i].lens, wholes[i].n);
        check_whole(add_zstd, wholes[i].lens, wholes[i].n);
    }
}

static enum cp_status inflate_status(const uint8_t *data, size_t len)
{
    struct cp_bytes out = { 0 };
    struct cp_error err = { 0 };
    enum cp_status status = cp_inflate(data, len, &out, &err);

    CHECK_INT(err.status, status);
    CHECK((status == CP_OK) == (err.msg[0] == '\0'));
    cp_bytes_release(&out);
    return status;
}

/* A file truncated anywhere is refused. */
static void check_cuts(add_fn *add)
{
    struct packed p = { 0 };
    char *text = make_text(500);

    add(&p, text, 500);
    for (size_t len = 4; len < p.len; len++) {
        uint8_t *cut = malloc(len);

        memcpy(cut, p.data, len);
        CHECK_INT(inflate_status(cut, len), CP_EFORMAT);
        free(cut);
    }
    CHECK_INT(inflate_status(p.data, p.len), CP_OK);
    free(p.data);
    free(text);
}

static void test_cut_gzip(void)
{
    check_cuts(add_gzip);
}

static void test_cut_zstd(void)
{
    check_cuts(add_zstd);
}

static const struct {
    const char *what;
    long at; /* index of the byte to change; from the end if negative */
} damages[] = {
    { "method", 2 },
    { "body", 200 },
    { "end of the body", -12 },
    { "check sum", -8 },
    { "check sum, last byte", -5 },
    { "length", -4 },
    { "length, high byte", -1 },
};

static void test_damaged_gzip(void)
{
    char *text = make_text(2000);

    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        struct packed p = { 0 };
        size_t at;

        check_case(damages[i].what);
        add_gzip(&p, text, 2000);
        at = damages[i].at < 0 ? p.len - (size_t)-damages[i].at
                               : (size_t)damages[i].at;
        p.data[at] ^= 0x10;
        CHECK_INT(inflate_status(p.data, p.len), CP_EFORMAT);
        free(p.data);
    }
    free(text);
}

static void test_damaged_zstd(void)
{
    struct packed p = { 0 };

    add_zstd(&p, "some text to be packed", 22);
    p.data[4] ^= 0x08; /* a reserved bit */
    CHECK_INT(inflate_status(p.data, p.len), CP_EFORMAT);
    free(p.data);
}

static void test_rubbish_behind(void)
{
    add_fn *const adds[] = { add_gzip, add_zstd };

    for (size_t i = 0; i < 2; i++) {
        struct packed p = { 0 };

        adds[i](&p, "text", 4);
        add_raw(&p, "rubbish behind it that is no packed data", 40);
        CHECK_INT(inflate_status(p.data, p.len), CP_EFORMAT);
        free(p.data);
    }
}

static void test_second_part_damaged(void)
{
    struct packed p = { 0 };
    size_t first;

    add_gzip(&p, "first", 5);
    first = p.len;
    add_gzip(&p, "second", 6);
    p.data[first + 12] ^= 1;
    CHECK_INT(inflate_status(p.data, p.len), CP_EFORMAT);
    free(p.data);
}

/* The limit is 64 MB for such a small input. */
static void check_bomb(add_fn *add)
{
    struct packed part = { 0 }, p = { 0 };
    char *zeros = calloc(LARGE, 1);
    struct cp_bytes out = { 0 };
    struct cp_error err = { 0 };

    add(&part, zeros, LARGE);
    CHECK_INT(inflate_status(part.data, part.len), CP_OK);
    for (int i = 0; i < 5; i++)
        add_raw(&p, (const char *)part.data, part.len);
    CHECK_INT(cp_inflate(p.data, p.len, &out, &err), CP_EFORMAT);
    CHECK(strstr(err.msg, "decompresses to more than 64 MB"));
    CHECK(out.mapped <= (size_t)256 << 20);
    cp_bytes_release(&out);
    free(p.data);
    free(part.data);
    free(zeros);
}

static void test_gzip_bomb(void)
{
    check_bomb(add_gzip);
}

static void test_zstd_bomb(void)
{
    check_bomb(add_zstd);
}

static const struct {
    const char *what, *bytes;
    size_t len;
    bool want;
} heads[] = {
    { "gzip", "\x1f\x8b\x08", 3, true },
    { "only the gzip mark", "\x1f\x8b", 2, true },
    { "half of it", "\x1f", 1, false },
    { "zstd", "\x28\xb5\x2f\xfd", 4, true },
    { "part of zstd", "\x28\xb5\x2f", 3, false },
    { "nothing", "", 0, false },
    { "a profile", "\x0a\x04\x08\x01", 4, false },
};

static void test_heads(void)
{
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        check_case(heads[i].what);
        CHECK_INT(cp_inflate_is_compressed((const uint8_t *)heads[i].bytes,
                                           heads[i].len),
                  heads[i].want);
    }
    CHECK_INT(inflate_status((const uint8_t *)"\x1f\x8b", 2), CP_EFORMAT);
}

int main(void)
{
    RUN(test_wholes);
    RUN(test_cut_gzip);
    RUN(test_cut_zstd);
    RUN(test_damaged_gzip);
    RUN(test_damaged_zstd);
    RUN(test_rubbish_behind);
    RUN(test_second_part_damaged);
    RUN(test_gzip_bomb);
    RUN(test_zstd_bomb);
    RUN(test_heads);
    return check_failures != 0;
}
