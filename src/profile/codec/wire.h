/*
 * wire - reads protocol-buffer fields from a byte buffer.
 *
 * Knows varints, keys and lengths, but not the meaning of a field (decode.c).
 * It borrows the buffer, allocates nothing, and never reads outside the buffer.
 * All functions are inline, because a large profile has a hundred million
 * varints.
 *
 * A varint has seven bits per byte, low bits first; the top bit means that more
 * bytes follow. Ten bytes carry 70 bits, of which the top six are dropped. An
 * eleventh byte is an error. The reference tool reads varints the same way.
 */
#ifndef CP_WIRE_H
#define CP_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/assert/assert.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "several bytes are read at once");

/* A cursor over [pos, end). */
struct cp_wire {
    const uint8_t *pos;
    const uint8_t *end;
};

enum cp_wire_type {
    CP_WIRE_VARINT = 0,
    CP_WIRE_FIXED64 = 1,
    CP_WIRE_BYTES = 2,
    CP_WIRE_FIXED32 = 5,
};

/*
 * One field of a message: its number, its wire type, and its value or its
 * bytes.
 */
struct cp_wire_field {
    uint64_t number;
    enum cp_wire_type type;
    uint64_t value; /* value of a varint; otherwise 0 */
    /* content of a length-delimited field; otherwise empty */
    struct cp_wire bytes;
};

static inline bool cp_wire_varint_slow(struct cp_wire *w, uint64_t *out)
{
    const uint8_t *p = w->pos;
    uint64_t value = 0;

    CP_ASSERT(w->pos <= w->end);
    for (unsigned shift = 0; shift < 70 && p < w->end; shift += 7) {
        value |= (uint64_t)(*p & 0x7f) << shift;
        if (*p++ < 0x80) {
            w->pos = p;
            *out = value;
            return true;
        }
    }
    return false;
}

/* Removes the continuation bits: joins bits 0-6, 8-14, 16-22 and 24-30 of x. */
static inline uint32_t cp_wire_join(uint64_t x)
{
    return (uint32_t)((x & 0x7f) | (x & 0x7f00) >> 1 | (x & 0x7f0000) >> 2 |
                      (x & 0x7f000000) >> 3);
}

/*
 * Reads two varints of at most 4 bytes each without unpredictable branches: the
 * continuation bits of eight bytes give their lengths. Returns false and reads
 * nothing if fewer than 8 bytes are left or a varint is longer.
 */
static inline bool cp_wire_pair(struct cp_wire *w, uint32_t out[2])
{
    uint64_t x, ends, rest;
    unsigned first, second;

    CP_ASSERT(w->pos <= w->end);
    if (w->end - w->pos < 8)
        return false;
    memcpy(&x, w->pos, sizeof(x));
    ends = ~x & 0x8080808080808080u;
    rest = ends & (ends - 1);
    if (!rest)
        return false;
    first = (unsigned)__builtin_ctzll(ends) + 1;
    second = (unsigned)__builtin_ctzll(rest) + 1;
    if (first > 32 || second - first > 32)
        return false;
    out[0] = cp_wire_join(x & (((uint64_t)1 << first) - 1));
    out[1] =
        cp_wire_join((x >> first) & (((uint64_t)1 << (second - first)) - 1));
    w->pos += second / 8;
    CP_ASSERT(w->pos <= w->end);
    return true;
}

/*
 * Reads one varint. Returns false and leaves the cursor if it is truncated or
 * too long.
 */
static inline bool cp_wire_varint(struct cp_wire *w, uint64_t *out)
{
    const uint8_t *p = w->pos;

    if (w->end - p >= 3) {
        if (p[0] < 0x80) {
            *out = p[0];
            w->pos = p + 1;
            return true;
        }
        if (p[1] < 0x80) {
            *out = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
            w->pos = p + 2;
            return true;
        }
        if (p[2] < 0x80) {
            *out = (uint64_t)(p[0] & 0x7f) | (uint64_t)(p[1] & 0x7f) << 7 |
                   (uint64_t)p[2] << 14;
            w->pos = p + 3;
            return true;
        }
    }
    return cp_wire_varint_slow(w, out);
}

/* Reads a length and that many bytes; *out is a cursor over them. */
static inline bool cp_wire_bytes(struct cp_wire *w, struct cp_wire *out)
{
    struct cp_wire ahead = *w;
    uint64_t len;

    if (!cp_wire_varint(&ahead, &len) ||
        len > (uint64_t)(ahead.end - ahead.pos))
        return false;
    *out = (struct cp_wire){ ahead.pos, ahead.pos + len };
    CP_ASSERT(out->pos >= w->pos && out->end <= w->end);
    w->pos = out->end;
    return true;
}

static inline bool cp_wire_skip(struct cp_wire *w, size_t len)
{
    CP_ASSERT(w->pos <= w->end);
    if (len > (size_t)(w->end - w->pos))
        return false;
    w->pos += len;
    return true;
}

/*
 * Reads a complete field; false if it is truncated or its wire type is unknown.
 */
static inline bool cp_wire_field(struct cp_wire *w, struct cp_wire_field *f)
{
    uint64_t key;

    if (!cp_wire_varint(w, &key))
        return false;
    f->number = key >> 3;
    f->type = (enum cp_wire_type)(key & 7);
    f->value = 0;
    f->bytes = (struct cp_wire){ NULL, NULL };
    switch (f->type) {
    case CP_WIRE_VARINT:
        return cp_wire_varint(w, &f->value);
    case CP_WIRE_FIXED64:
        return cp_wire_skip(w, 8);
    case CP_WIRE_BYTES:
        return cp_wire_bytes(w, &f->bytes);
    case CP_WIRE_FIXED32:
        return cp_wire_skip(w, 4);
    }
    return false;
}

/* Returns the number of varints that end within w. */
static inline size_t cp_wire_count(struct cp_wire w)
{
    size_t n = 0;

    for (; w.pos < w.end; w.pos++)
        n += *w.pos < 0x80;
    return n;
}

#endif
