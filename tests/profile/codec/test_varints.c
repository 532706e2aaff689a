/* test_varints.c - tests src/profile/codec/varints.c. */
#include "base/out.h"
#include "profile/codec/varints.h"
#include "profile/codec/wire.h"

#include <stdlib.h>

#include "check.h"
#include "proto_fixture.h"

#define N 200

static const struct {
    const char *what;
    uint64_t mask; /* bits of the numbers */
} cases[] = {
    { "one byte", 0x7f },      { "two bytes", 0x3fff }, { "three", 0x1fffff },
    { "four", 0xfffffff },     { "five", UINT32_MAX },  { "any", UINT64_MAX },
    { "few bits", 0x1010101 }, { "small", 3 },
};

static uint64_t random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33 | *state << 31;
}

/* Reads all of w, the rest one by one; returns the count. */
static size_t read_all(const struct cp_varints *v, struct cp_wire w,
                       uint32_t *out, struct cp_varint_range *range)
{
    size_t n = 0;
    uint64_t x;

    while (w.pos < w.end) {
        n += cp_varints_read(v, &w, out + n, range);
        if (w.pos < w.end && cp_wire_varint(&w, &x))
            out[n++] = (uint32_t)x - 1;
    }
    return n;
}

static void test_all_lengths(void)
{
    struct cp_varints v;
    uint64_t state = 1;

    cp_varints_init(&v);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (unsigned n = 0; n < N; n++) {
            struct cp_varint_range range = { UINT32_MAX, 0 };
            struct cp_out o = { .fd = -1 };
            uint32_t want[N], *got = malloc((N + 3) * sizeof(*got));
            bool is_in_range = true;
            size_t n_got;

            check_case(cases[i].what);
            for (unsigned k = 0; k < n; k++) {
                uint64_t x = random_number(&state) & cases[i].mask;

                if (k % 4 == 0)
                    x >>= state >> 58;
                want[k] = (uint32_t)x - 1;
                proto_varint(&o, x);
            }
            struct cp_wire w = { (const uint8_t *)o.buf,
                                 (const uint8_t *)o.buf + o.len };
            n_got = read_all(&v, w, got, &range);
            CHECK_INT(n_got, n);
            CHECK(n_got == n &&
                  (n == 0 || memcmp(got, want, n * sizeof(*want)) == 0));
            for (unsigned k = 0; k < n && cases[i].mask < 1 << 28; k++)
                is_in_range &=
                    !v.is_usable || o.len < 8 || n - k < 8 ||
                    (want[k] + 1 >= range.min && want[k] + 1 <= range.max);
            CHECK(is_in_range);
            free(got);
            cp_out_release(&o);
        }
    }
}

static void test_nothing_short(void)
{
    static const uint8_t bytes[16] = { 0x80, 0x80, 0x80, 0x80, 0x80,
                                       0x80, 0x80, 0x80, 0x80, 1 };
    struct cp_wire w = { bytes, bytes + sizeof(bytes) };
    struct cp_varint_range range = { 9, 9 };
    struct cp_varints v;
    uint32_t out[4];

    cp_varints_init(&v);
    CHECK_INT(cp_varints_read(&v, &w, out, &range), 0);
    CHECK(w.pos == bytes);
    CHECK_INT(range.min, 9);
    CHECK_INT(range.max, 9);
}

int main(void)
{
    RUN(test_all_lengths);
    RUN(test_nothing_short);
    return check_failures != 0;
}
