/* test_stream.c - tests src/profile/load/stream.c and stream_source.c. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/out.h"
#include "profile/codec/decode.h"
#include "profile/codec/encode.h"
#include "profile/load/stream.h"
#include "profile/load/stream_source.h"
#include "profile/model/profile.h"
#include "profile/model/stack_pool.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "proto_fixture.h"

#define N_LOCATIONS 3000

/* Parameters of a generated message. */
struct shape {
    const char *what;
    uint32_t n_samples;
    uint32_t step; /* distance between location ids */
    bool has_labels, is_unpacked, is_backwards;
};

static void put_field(struct cp_out *o, uint64_t field, struct cp_out *body)
{
    proto_bytes(o, field, body->buf ? body->buf : "", body->len);
    body->len = 0;
}

static void put_number(struct cp_out *o, uint64_t field, uint64_t value)
{
    proto_varint(o, field << 3);
    proto_varint(o, value);
}

static void put_stack(struct cp_out *msg, const struct shape *s, uint32_t i)
{
    struct cp_out ids = { .fd = -1 };

    for (uint32_t k = 0; k < i % 50; k++) {
        uint64_t id = (i * 31 + k * 97) % N_LOCATIONS * s->step + 1;

        if (s->is_unpacked)
            put_number(msg, 1, id);
        else
            proto_varint(&ids, id);
    }
    if (ids.len)
        put_field(msg, 1, &ids);
    cp_out_release(&ids);
}

static void put_sample(struct cp_out *o, const struct shape *s, uint32_t i)
{
    struct cp_out msg = { .fd = -1 }, part = { .fd = -1 };

    if (s->has_labels && i % 5 == 0) { /* labels that are not contiguous */
        (void)proto_message("1:3 2:4", &part);
        put_field(&msg, 3, &part);
    }
    put_stack(&msg, s, i);
    proto_varint(&part, i);
    proto_varint(&part, i * 7);
    put_field(&msg, 2, &part);
    if (s->has_labels && i % 3 != 0) {
        put_number(&part, 1, 3);
        put_number(&part, 3, i * 11 % 200);
        put_field(&msg, 3, &part);
    }
    put_field(o, 2, &msg);
    cp_out_release(&msg);
    cp_out_release(&part);
}

static void put_location(struct cp_out *o, const struct shape *s, uint32_t i)
{
    struct cp_out msg = { .fd = -1 };
    uint32_t n = s->is_backwards ? N_LOCATIONS - 1 - i : i;

    put_number(&msg, 1, (uint64_t)n * s->step + 1);
    put_number(&msg, 3, n + 100);
    put_field(o, 4, &msg);
    cp_out_release(&msg);
}

static struct cp_out make_message(const struct shape *s)
{
    struct cp_out o = { .fd = -1 };

    (void)proto_message("1:{1:1 2:2} 1:{1:1 2:2}", &o);
    for (uint32_t i = 0; i < s->n_samples; i++) {
        if (i == 1000) /* a table between samples */
            (void)proto_message("5:{1:1 2:3}", &o);
        put_sample(&o, s, i);
    }
    for (uint32_t i = 0; i < N_LOCATIONS; i++)
        put_location(&o, s, i);
    (void)proto_message("6:'' 6:'a' 6:'b' 6:'c' 6:'d' 9:5", &o);
    return o;
}

/* Appends `plain` as a gzip member. */
static void pack(const char *plain, size_t len, struct cp_out *out)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(1);
    size_t most = libdeflate_gzip_compress_bound(c, len);
    char *room = malloc(most);

    cp_out_bytes(out, room,
                 libdeflate_gzip_compress(c, plain, len, room, most));
    free(room);
    libdeflate_free_compressor(c);
}

/* Encodes a profile and frees it; empty for NULL. */
static struct cp_out content(struct cp_profile *p)
{
    struct cp_out out = { .fd = -1 };

    if (p)
        CHECK(cp_encode(p, &out, NULL) == CP_OK);
    cp_profile_free(p);
    return out;
}

static struct cp_out the_long_way(const struct cp_out *message)
{
    struct cp_bytes bytes = bytes_of(message->buf, message->len);
    struct cp_out out = content(cp_decode(&bytes, false, NULL));

    cp_bytes_release(&bytes);
    return out;
}

static int file_of(const struct cp_out *bytes)
{
    char name[] = "/tmp/test_stream_XXXXXX";
    int fd = mkstemp(name);

    (void)unlink(name);
    CHECK(write(fd, bytes->buf, bytes->len) == (ssize_t)bytes->len);
    return fd;
}

static struct cp_out stream(const struct cp_out *bytes, bool is_file,
                            size_t buffer, size_t n_threads)
{
    struct cp_stream_input in = { (const uint8_t *)bytes->buf, bytes->len, -1 };
    struct cp_stack_pool pool; /* sometimes too small */
    struct cp_out out;

    if (is_file) {
        in.data = NULL;
        in.fd = file_of(bytes);
    }
    CHECK(cp_stack_pool_init(&pool, is_file ? 8 << 20 : 100));
    out = content(cp_stream_load(&in, buffer, n_threads, &pool));
    cp_stack_pool_release(&pool);
    if (is_file)
        (void)close(in.fd);
    return out;
}

static const struct shape shapes[] = {
    { "one sample", 1, 1, false, false, false },
    { "plain", 20000, 1, false, false, false },
    { "ids with gaps", 5000, 3, false, false, false },
    { "ids backwards", 5000, 1, false, false, true },
    { "labels", 20000, 1, true, false, false },
    { "labels, ids with gaps", 5000, 5, true, false, true },
    { "unpacked fields", 5000, 1, true, true, false },
};

static void test_same_as_the_long_way(void)
{
    static const size_t buffers[] = { 600, 5000, CP_STREAM_BUFFER };

    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct cp_out plain = make_message(&shapes[i]), gzip = { .fd = -1 };
        struct cp_out want = the_long_way(&plain);

        check_case(shapes[i].what);
        CHECK(want.len > 0);
        pack(plain.buf, plain.len, &gzip);
        for (unsigned k = 0; k < 24; k++) {
            struct cp_out got = stream(k & 1 ? &gzip : &plain, k & 2,
                                       buffers[k / 8], k & 4 ? 3 : 1);

            CHECK_INT(got.len, want.len);
            CHECK(got.len == want.len &&
                  memcmp(got.buf, want.buf, want.len) == 0);
            cp_out_release(&got);
        }
        cp_out_release(&want);
        cp_out_release(&gzip);
        cp_out_release(&plain);
    }
}

#define HEAD "1:{1:1 2:1} "
#define TAIL " 4:{1:1} 4:{1:2} 6:'' 6:'a'"

static const struct {
    const char *what, *text;
    bool is_taken;
} messages[] = {
    { "all is well", HEAD "2:{1:1 1:[2 1] 2:7}" TAIL, true },
    { "no samples", HEAD TAIL, false },
    { "no types", "2:{1:1}" TAIL, false },
    { "a type behind", HEAD "2:{1:1 2:7}" TAIL " 1:{1:1}", false },
    { "a value too many", HEAD "2:{1:1 2:[7 8]}" TAIL, false },
    { "a value missing", HEAD "2:{1:1}" TAIL, false },
    { "id 0", HEAD "2:{1:[0] 2:7}" TAIL, false },
    { "id 0 among eight", HEAD "2:{1:[1 1 1 1 0 1 1 1 1] 2:7}" TAIL, false },
    { "an id that is not there", HEAD "2:{1:[3] 2:7}" TAIL, false },
    { "a large id", HEAD "2:{1:[5000000000] 2:7}" TAIL, false },
    { "a sample that is none", HEAD "2:5" TAIL, false },
    { "a broken sample", HEAD "2:{1:!}" TAIL, false },
    { "a broken label", HEAD "2:{2:7 3:{1:9}}" TAIL, false },
    { "no end", HEAD "2:{1:1 2:7}" TAIL " 2:!", false },
    { "no strings", HEAD "2:{1:1 2:7}", false },
    { "larger than a buffer",
      HEAD "2:{1:1 2:7}" TAIL
           " 6:'0123456789012345678901234567890123456789012345678901234567890'",
      false },
};

static void test_gives_up(void)
{
    for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
        struct cp_out plain = { .fd = -1 }, gzip = { .fd = -1 }, got;

        check_case(messages[i].what);
        (void)proto_message(messages[i].text, &plain);
        pack(plain.buf, plain.len, &gzip);
        for (unsigned k = 0; k < 4; k++) {
            got = stream(k & 1 ? &gzip : &plain, false, 50, 1 + (k >> 1));
            CHECK_INT(got.len > 0, messages[i].is_taken);
            cp_out_release(&got);
        }
        cp_out_release(&gzip);
        cp_out_release(&plain);
    }
}

/* A defective gzip file. */
static void test_damage(void)
{
    static const struct shape shape = { "", 2000, 1, true, false, false };
    struct cp_out plain = make_message(&shape);

    for (int kind = 0; kind < 6; kind++) {
        struct cp_out gzip = { .fd = -1 }, got;

        pack(plain.buf, plain.len, &gzip);
        if (kind == 0)
            gzip.len -= 1;
        else if (kind == 1)
            gzip.len /= 2;
        /* the CRC */
        else if (kind == 2)
            gzip.buf[gzip.len - 7] ^= 1;
        /* the length */
        else if (kind == 3)
            gzip.buf[gzip.len - 3] ^= 1;
        else if (kind == 4)
            cp_out_char(&gzip, 'x');
        /* a second member */
        else
            pack("", 0, &gzip);
        for (size_t n = 1; n <= 2; n++) {
            got = stream(&gzip, false, 5000, n);
            CHECK_INT(got.len, 0);
            cp_out_release(&got);
        }
        cp_out_release(&gzip);
    }
    cp_out_release(&plain);
}

static void test_memory_runs_out(void)
{
    static const struct shape shape = { "", 500, 2, true, false, false };
    struct cp_out plain = make_message(&shape);
    struct cp_stream_input in = { (const uint8_t *)plain.buf, plain.len, -1 };
    struct cp_profile *p = NULL;
    long n = 1;

    for (; n < 1000 && !p; n++) {
        cp_alloc_fail_at(n);
        p = cp_stream_load(&in, 5000, 2, NULL);
        cp_alloc_fail_at(0);
    }
    CHECK(p != NULL);
    CHECK(n > 20);
    cp_profile_free(p);
    cp_out_release(&plain);
}

int main(void)
{
    RUN(test_same_as_the_long_way);
    RUN(test_gives_up);
    RUN(test_damage);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
