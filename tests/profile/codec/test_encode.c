/* test_encode.c - tests src/profile/codec/encode.c. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/index.h"
#include "base/out.h"
#include "profile/codec/decode.h"
#include "profile/codec/encode.h"
#include "profile/codec/inflate.h"
#include "profile/codec/wire.h"
#include "profile/load/load.h"
#include "profile/load/stream.h"
#include "profile/load/stream_source.h"
#include "profile/model/build.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "one_core.h"
#include "profile_fixture.h"
#include "proto_fixture.h"

#define STRINGS "6:'' 6:'n' 6:'count' 6:'f' 6:'k' 6:'v' "

/* The output for an input; tables may be in any order. */
static const struct {
    const char *what, *message, *want;
} cases[] = {
    { "nothing", "6:''", "11:{} 14:0 6:''" },
    { "a sample",
      STRINGS "1:{1:1 2:2} 5:{1:1 2:3} 4:{1:7 3:4096 4:{1:1 2:5}} "
              "2:{1:7 2:5}",
      "1:{1:1 2:2} 2:{1:[7] 2:[5]} 4:{1:7 3:4096 4:{1:1 2:5}} 5:{1:1 2:3} "
      "11:{} 14:0 6:'' 6:'n' 6:'count' 6:'f'" },
    { "no stack", STRINGS "1:{1:1 2:2} 2:{2:-1}",
      "1:{1:1 2:2} 2:{2:[-1]} 11:{} 14:0 6:'' 6:'n' 6:'count'" },
    { "labels", STRINGS "1:{1:1 2:2} 2:{2:1 3:{1:1 3:-2 4:2} 3:{1:4 2:5}}",
      "1:{1:3 2:4} 2:{2:[1] 3:{1:1 2:2} 3:{1:3 3:-2 4:4}} 11:{} 14:0 "
      "6:'' 6:'k' 6:'v' 6:'n' 6:'count'" },
    { "zero with a unit", STRINGS "1:{} 2:{2:1 3:{1:4 4:2}}",
      "1:{} 2:{2:[1] 3:{1:1 4:2}} 11:{} 14:0 6:'' 6:'k' 6:'count'" },
    { "what nobody uses stays", STRINGS "3:{1:3 5:1} 4:{1:9} 5:{1:4 2:3}",
      "3:{1:3 5:1} 4:{1:9} 5:{1:4 2:2} 11:{} 14:0 6:'' 6:'n' 6:'f'" },
    { "single fields",
      STRINGS "7:1 8:2 9:10 10:-11 11:{1:3 2:4} 12:13 13:5 13:0 13:5 14:1 "
              "15:2",
      "7:1 8:2 9:10 10:-11 11:{1:3 2:4} 12:13 13:5 13:0 13:5 14:1 15:2 "
      "6:'' 6:'n' 6:'count' 6:'f' 6:'k' 6:'v'" },
    { "flags",
      "6:'' 3:{1:1 7:1} 3:{1:2 8:1} 3:{1:3 9:1} 3:{1:4 10:1} 4:{1:1 5:1}",
      "3:{1:1 7:1} 3:{1:2 8:1} 3:{1:3 9:1} 3:{1:4 10:1} 4:{1:1 5:1} 11:{} "
      "14:0 6:''" },
    { "a large mapping",
      STRINGS "3:{1:1 2:0xffffffffff600000 3:-1 4:4096 5:3 6:4} 4:{1:1 2:1}",
      "3:{1:1 2:0xffffffffff600000 3:-1 4:4096 5:1 6:2} 4:{1:1 2:1} 11:{} "
      "14:0 6:'' 6:'f' 6:'k'" },
    { "lines and columns",
      STRINGS "5:{1:1 2:1 3:2 4:3 5:-9} 4:{1:1 4:{1:1 2:-4 3:8} 4:{1:1}}",
      "4:{1:1 4:{1:1 2:-4 3:8} 4:{1:1}} 5:{1:1 2:1 3:2 4:3 5:-9} 11:{} 14:0 "
      "6:'' 6:'n' 6:'count' 6:'f'" },
};

/* Sorts the fields of a message by number, stably. */
static struct cp_out by_number(const void *data, size_t len)
{
    struct cp_out out = { .fd = -1 };

    for (uint64_t number = 1; number <= 15; number++) {
        const uint8_t *begin = data;
        struct cp_wire w = { begin, begin + len };
        struct cp_wire_field f;

        while (w.pos < w.end) {
            const uint8_t *from = w.pos;

            if (!CHECK(cp_wire_field(&w, &f)))
                return out;
            if (f.number == number)
                cp_out_bytes(&out, (const char *)from, (size_t)(w.pos - from));
        }
    }
    return out;
}

static void check_fields(const struct cp_profile *p, const char *message)
{
    struct cp_bytes raw = proto_file(message);
    struct cp_out all = { .fd = -1 }, got, want;

    CHECK_INT(cp_encode(p, &all, NULL), CP_OK);
    CHECK_INT(all.len, raw.len);
    got = by_number(all.buf, all.len);
    want = by_number(raw.data, raw.len);
    CHECK_INT(got.len, want.len);
    CHECK(got.len == want.len && memcmp(got.buf, want.buf, want.len) == 0);
    cp_out_release(&got);
    cp_out_release(&want);
    cp_out_release(&all);
    cp_bytes_release(&raw);
}

static void test_fields(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_bytes raw = proto_file(cases[i].message);
        struct cp_profile *p = cp_decode(&raw, false, NULL);

        check_case(cases[i].what);
        if (CHECK(p))
            check_fields(p, cases[i].want);
        cp_profile_free(p);
        cp_bytes_release(&raw);
    }
}

typedef enum cp_status encode_fn(const struct cp_profile *p, struct cp_out *out,
                                 struct cp_error *err);

static const struct profile_row rows[] = {
    { "main|a@a.c~b@b.c!prog|leaf", { 1, -5 }, "k:v k:w n=7bytes n=-8" },
    { "main|?|!lib.so", { 0, INT64_MAX }, "" },
    { "", { INT64_MIN, 0 }, "k:v" },
    { "main|a@a.c~b@b.c!prog|leaf", { 1, 1 }, "n=0bytes" },
};

static void check_round_trip(const struct cp_profile *p, bool is_packed)
{
    struct cp_out out = { .fd = -1 };
    struct cp_bytes raw, plain = { 0 };
    struct cp_profile *back;
    char *want = strdup(profile_text(p));

    CHECK_INT(is_packed ? cp_encode_gzip(p, &out, NULL)
                        : cp_encode(p, &out, NULL),
              CP_OK);
    raw = bytes_of(out.buf, out.len);
    if (is_packed)
        CHECK_INT(cp_inflate(raw.data, raw.len, &plain, NULL), CP_OK);
    back = cp_decode(is_packed ? &plain : &raw, false, NULL);
    CHECK(back != NULL);
    CHECK_STR(profile_text(back), want);
    CHECK(back && back->n_samples == p->n_samples);
    CHECK(back && memcmp(back->values, p->values,
                         (size_t)p->n_samples * p->n_types * 8) == 0);
    cp_profile_free(back);
    cp_bytes_release(&plain);
    cp_bytes_release(&raw);
    cp_out_release(&out);
    free(want);
}

static void test_round_trip(void)
{
    struct cp_profile *p = profile_of(rows, 4);

    check_round_trip(p, false);
    check_round_trip(p, true);
    cp_profile_free(p);
}

#define MAX_DEPTH 40u

/* Enough samples for several pieces, with ids of all lengths. */
static struct cp_profile *many(uint32_t n, uint32_t depth)
{
    uint32_t locs[MAX_DEPTH];
    struct cp_builder b = { 0 };

    (void)cp_builder_init(&b, NULL);
    (void)cp_builder_type(&b, "t", "u", NULL); /* strings 1 and 2 */
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t loc = cp_builder_location(&b, i, NULL);

        b.profile->locations[loc].id = ((uint64_t)i + 1) << i % 5 * 11;
    }
    b.profile->locations[299].id = UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        int64_t value = (int64_t)i * INT64_C(-123456789);
        struct cp_label label = { 1, CP_NONE, 2, i % 20 };

        for (uint32_t k = 0; k < depth; k++)
            locs[k] = (i + k * k) % 300;
        (void)cp_builder_sample(&b, locs, i % depth, &value,
                                cp_builder_label_set(&b, &label, 1, NULL),
                                NULL);
    }
    return cp_builder_take(&b);
}

static bool is_same_sample(const struct cp_profile *a,
                           const struct cp_profile *b, uint32_t i)
{
    const struct cp_sample *x = &a->samples[i], *y = &b->samples[i];

    return a->values[i] == b->values[i] && x->n_locs == y->n_locs &&
           x->label_set == y->label_set &&
           memcmp(cp_profile_stack(a, i), cp_profile_stack(b, i),
                  x->n_locs * sizeof(uint32_t)) == 0;
}

static void check_many(uint32_t n, uint32_t depth, encode_fn *encode)
{
    struct cp_profile *p = many(n, depth), *back;
    struct cp_out out = { .fd = -1 };
    struct cp_bytes raw;
    uint32_t n_right = 0;

    CHECK_INT(encode(p, &out, NULL), CP_OK);
    raw = bytes_of(out.buf, out.len);
    back = cp_load(&raw, NULL);
    CHECK(back && back->n_samples == n);
    for (uint32_t i = 0; back && i < n; i++)
        n_right += is_same_sample(p, back, i);
    CHECK_INT(n_right, n);
    cp_profile_free(back);
    cp_out_release(&out);
    cp_profile_free(p);
}

static void many_round_trip(void)
{
    check_many(30000, 4, cp_encode);
    check_many(30000, 4, cp_encode_gzip);
    check_many(60000, MAX_DEPTH, cp_encode_gzip); /* over a million frames */
}

static void test_many_samples(void)
{
    on_all_and_one_core(many_round_trip);
}

/* The streaming reader needs the sample types before the samples. */
static void test_can_be_read_as_it_comes(void)
{
    struct cp_profile *p = profile_of(rows, 4);

    for (int is_packed = 0; is_packed < 2; is_packed++) {
        struct cp_out out = { .fd = -1 };
        struct cp_profile *back;

        CHECK_INT(is_packed ? cp_encode_gzip(p, &out, NULL)
                            : cp_encode(p, &out, NULL),
                  CP_OK);
        back = cp_stream_load(
            &(struct cp_stream_input){ .data = (const uint8_t *)out.buf,
                                       .len = out.len },
            CP_STREAM_BUFFER, 1, NULL);
        CHECK(back && back->n_samples == p->n_samples);
        cp_profile_free(back);
        cp_out_release(&out);
    }
    cp_profile_free(p);
}

static void test_what_is_there_stays(void)
{
    struct cp_profile *p = profile_of(rows, 1);
    struct cp_out out = { .fd = -1 };

    cp_out_cstr(&out, "head");
    CHECK_INT(cp_encode_gzip(p, &out, NULL), CP_OK);
    CHECK(memcmp(out.buf, "head\x1f\x8b", 6) == 0);
    cp_out_release(&out);
    cp_profile_free(p);
}

static void test_output_fails(void)
{
    struct cp_profile *p = profile_of(rows, 4);

    for (int i = 0; i < 2; i++) {
        struct cp_out out = { .fd = open("/dev/null", O_RDONLY) };
        struct cp_error err = { 0 };
        enum cp_status status =
            i ? cp_encode_gzip(p, &out, &err) : cp_encode(p, &out, &err);

        if (status == CP_OK)
            status = cp_out_finish(&out, &err);
        CHECK_INT(status, CP_EIO);
        CHECK_STR(err.msg, "write: Bad file descriptor");
        (void)close(out.fd);
        cp_out_release(&out);
    }
    cp_profile_free(p);
}

typedef enum cp_status encode_fn(const struct cp_profile *p, struct cp_out *out,
                                 struct cp_error *err);

/* Output without an error is complete. */
static void check_failures_of(encode_fn *encode, const struct cp_profile *p)
{
    struct cp_out want = { .fd = -1 };
    enum cp_status status = CP_ENOMEM;

    CHECK_INT(encode(p, &want, NULL), CP_OK);
    for (long n = 1; n < 1000 && status != CP_OK; n++) {
        struct cp_out out = { .fd = -1 };
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        status = encode(p, &out, &err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, status);
        CHECK(status != CP_OK || (out.len == want.len &&
                                  memcmp(out.buf, want.buf, want.len) == 0));
        cp_out_release(&out);
    }
    CHECK_INT(status, CP_OK);
    cp_out_release(&want);
}

static void test_memory_runs_out(void)
{
    struct cp_profile *small = profile_of(rows, 4), *large = many(20000, 4);

    check_failures_of(cp_encode, small);
    check_failures_of(cp_encode_gzip, small);
    check_failures_of(cp_encode, large);
    cp_profile_free(large);
    cp_profile_free(small);
}

int main(void)
{
    RUN(test_fields);
    RUN(test_round_trip);
    RUN(test_many_samples);
    RUN(test_can_be_read_as_it_comes);
    RUN(test_what_is_there_stays);
    RUN(test_output_fails);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
