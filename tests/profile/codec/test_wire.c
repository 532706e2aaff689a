/* test_wire.c - tests src/profile/codec/wire.h. */
#include "profile/codec/wire.h"

#include <stdlib.h>

#include "check.h"

#define UNTOUCHED 0x5555

/*
 * Returns a copy of exact size, so that the sanitizer detects a read past its
 * end.
 */
static struct cp_wire wire_of(const char *bytes, size_t len, uint8_t **room)
{
    *room = malloc(len ? len : 1);
    memcpy(*room, bytes, len);
    return (struct cp_wire){ *room, *room + len };
}

static const struct {
    const char *what, *bytes;
    bool is_pair;
    uint32_t first, second;
    size_t used;
} pairs[] = {
    { "one byte each", "\x01\x7f......", true, 1, 127, 2 },
    { "two and three", "\xac\x02\x80\x80\x01...", true, 300, 16384, 5 },
    { "four each", "\xff\xff\xff\x7f\x80\x80\x80\x01", true, 268435455, 2097152,
      8 },
    { "the first is longer", "\x80\x80\x80\x80\x01\x01..", false, 0, 0, 0 },
    { "the second is longer", "\x01\x80\x80\x80\x80\x01..", false, 0, 0, 0 },
    { "the second is cut", "\x01\x80\x80\x80\x80\x80\x80\x80", false, 0, 0, 0 },
    { "no end", "\x80\x80\x80\x80\x80\x80\x80\x80", false, 0, 0, 0 },
};

static void test_pairs(void)
{
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const uint8_t *bytes = (const uint8_t *)pairs[i].bytes;
        struct cp_wire w = { bytes, bytes + 8 };
        uint32_t got[2] = { 0, 0 };

        check_case(pairs[i].what);
        CHECK(cp_wire_pair(&w, got) == pairs[i].is_pair);
        CHECK(got[0] == pairs[i].first && got[1] == pairs[i].second);
        CHECK_INT(w.pos - bytes, pairs[i].used);
        w = (struct cp_wire){ bytes, bytes + 7 };
        CHECK(!cp_wire_pair(&w, got));
    }
}

static const struct {
    const char *what, *bytes;
    size_t len;
    uint64_t want;
    size_t used; /* 0: must fail */
} varints[] = {
    { "zero", "\0", 1, 0, 1 },
    { "one byte", "\x7f", 1, 127, 1 },
    { "two bytes", "\xac\x02", 2, 300, 2 },
    { "two of three bytes", "\xac\x02\x01", 3, 300, 2 },
    { "two of four bytes", "\xac\x02\x01\x01", 4, 300, 2 },
    { "one of four bytes", "\x05\x80\x80\x80", 4, 5, 1 },
    { "three bytes", "\xff\xff\x7f", 3, 0x1fffff, 3 },
    { "three of four bytes", "\x81\x82\x03\x80", 4, 1 | 2 << 7 | 3 << 14, 3 },
    { "four bytes", "\x80\x80\x80\x01", 4, 1 << 21, 4 },
    { "padded with zeros", "\x81\x80\x80\x00", 4, 1, 4 },
    { "minus one", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, UINT64_MAX,
      10 },
    { "65th bit dropped", "\x81\x80\x80\x80\x80\x80\x80\x80\x80\x02", 10, 1,
      10 },
    { "empty", "", 0, UNTOUCHED, 0 },
    { "cut after one", "\x80", 1, UNTOUCHED, 0 },
    { "cut after two", "\x80\x80", 2, UNTOUCHED, 0 },
    { "cut after three", "\x80\x80\x80", 3, UNTOUCHED, 0 },
    { "cut after nine", "\x80\x80\x80\x80\x80\x80\x80\x80\x80", 9, UNTOUCHED,
      0 },
    { "eleven bytes", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11,
      UNTOUCHED, 0 },
};

typedef bool read_fn(struct cp_wire *w, uint64_t *out);

static void check_varints(read_fn *read)
{
    for (size_t i = 0; i < sizeof(varints) / sizeof(varints[0]); i++) {
        uint64_t got = UNTOUCHED;
        uint8_t *room;
        struct cp_wire w = wire_of(varints[i].bytes, varints[i].len, &room);

        check_case(varints[i].what);
        CHECK_INT(read(&w, &got), varints[i].used != 0);
        CHECK_INT(got, varints[i].want);
        CHECK_INT(w.pos - room, varints[i].used);
        free(room);
    }
}

static void test_varints(void)
{
    check_varints(cp_wire_varint);
    check_varints(cp_wire_varint_slow);
}

/* The same with many bytes behind it, which enables the fast paths. */
static void test_varints_amid_others(void)
{
    for (unsigned shift = 0; shift < 64; shift++) {
        for (int behind = 0; behind < 256; behind += 85) {
            uint64_t want = ((uint64_t)1 << shift) | shift, got = 0;
            uint8_t bytes[24];
            struct cp_wire w = { bytes, bytes + sizeof(bytes) };
            uint64_t rest = want;
            int n = 0;

            memset(bytes, behind, sizeof(bytes));
            for (; rest >= 0x80; rest >>= 7)
                bytes[n++] = (uint8_t)(rest | 0x80);
            bytes[n++] = (uint8_t)rest;
            CHECK(cp_wire_varint(&w, &got) && got == want);
            CHECK_INT(w.pos - bytes, n);
        }
    }
}

static const struct {
    const char *what, *bytes;
    size_t len;
    size_t from, to; /* range of the bytes; both 0: must fail */
} strings[] = {
    { "two bytes", "\x02xyz", 4, 1, 3 },
    { "none", "\0xyz", 4, 1, 1 },
    { "all that is left", "\x03xyz", 4, 1, 4 },
    { "one too many", "\x04xyz", 4, 0, 0 },
    { "far too many", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01xyz", 13, 0, 0 },
    { "no length", "", 0, 0, 0 },
    { "length cut short", "\x80", 1, 0, 0 },
};

static void test_bytes(void)
{
    for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
        uint8_t *room;
        struct cp_wire w = wire_of(strings[i].bytes, strings[i].len, &room);
        struct cp_wire out = { NULL, NULL };
        bool is_ok = cp_wire_bytes(&w, &out);

        check_case(strings[i].what);
        CHECK_INT(is_ok, strings[i].to != 0);
        CHECK(!is_ok || out.pos == room + strings[i].from);
        CHECK(!is_ok || out.end == room + strings[i].to);
        CHECK(w.pos == room + strings[i].to);
        free(room);
    }
}

static const struct {
    const char *what, *bytes;
    size_t len;
    uint64_t number;
    int type;
    uint64_t value;
    size_t used; /* 0: must fail */
} fields[] = {
    { "number", "\x08\x07", 2, 1, CP_WIRE_VARINT, 7, 2 },
    { "large number", "\x78\xac\x02", 3, 15, CP_WIRE_VARINT, 300, 3 },
    { "large field", "\x80\x7d\x01", 3, 2000, CP_WIRE_VARINT, 1, 3 },
    { "field zero", "\x00\x01", 2, 0, CP_WIRE_VARINT, 1, 2 },
    { "bytes", "\x12\x02xy", 4, 2, CP_WIRE_BYTES, 0, 4 },
    { "fixed 64",
      "\x09"
      "12345678",
      9, 1, CP_WIRE_FIXED64, 0, 9 },
    { "fixed 32",
      "\x0d"
      "1234",
      5, 1, CP_WIRE_FIXED32, 0, 5 },
    { "no value", "\x08", 1, 0, 0, 0, 0 },
    { "fixed 64 cut short",
      "\x09"
      "1234567",
      8, 0, 0, 0, 0 },
    { "fixed 32 cut short",
      "\x0d"
      "123",
      4, 0, 0, 0, 0 },
    { "bytes cut short", "\x12\x03xy", 4, 0, 0, 0, 0 },
    { "group", "\x0b\x0c", 2, 0, 0, 0, 0 },
    { "end of group", "\x0c", 1, 0, 0, 0, 0 },
    { "kind 6", "\x0e\x01", 2, 0, 0, 0, 0 },
    { "kind 7", "\x0f\x01", 2, 0, 0, 0, 0 },
    { "key cut short", "\x80", 1, 0, 0, 0, 0 },
};

static void test_fields(void)
{
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        uint8_t *room;
        struct cp_wire w = wire_of(fields[i].bytes, fields[i].len, &room);
        struct cp_wire_field f;
        bool is_ok = cp_wire_field(&w, &f);

        check_case(fields[i].what);
        if (CHECK_INT(is_ok, fields[i].used != 0) && is_ok) {
            CHECK_INT(f.number, fields[i].number);
            CHECK_INT(f.type, fields[i].type);
            CHECK_INT(f.value, fields[i].value);
            CHECK_INT(w.pos - room, fields[i].used);
            CHECK_INT(f.bytes.pos != NULL, f.type == CP_WIRE_BYTES);
        }
        free(room);
    }
}

static void test_count(void)
{
    static const uint8_t bytes[] = { 1, 0x80, 0x80, 1, 0x7f, 0x80 };

    CHECK_INT(cp_wire_count((struct cp_wire){ bytes, bytes }), 0);
    CHECK_INT(cp_wire_count((struct cp_wire){ bytes, bytes + 5 }), 3);
    CHECK_INT(cp_wire_count((struct cp_wire){ bytes, bytes + 6 }), 3);
}

int main(void)
{
    RUN(test_varints);
    RUN(test_varints_amid_others);
    RUN(test_pairs);
    RUN(test_bytes);
    RUN(test_fields);
    RUN(test_count);
    return check_failures != 0;
}
