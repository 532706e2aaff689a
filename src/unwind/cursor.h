/*
 * cursor - reads integers from the bytes of .eh_frame, never past their end.
 *
 * A read past the end returns 0 and sets `is_bad`, which stays set. So a parser
 * checks it once, after several reads.
 */
#ifndef CP_CURSOR_H
#define CP_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cp_cursor {
    const uint8_t *pos, *end;
    bool is_bad;
};

/* Whether n more bytes are left. If not, sets is_bad. */
static inline bool cp_cursor_need(struct cp_cursor *c, size_t n)
{
    if (c->is_bad || (size_t)(c->end - c->pos) < n)
        c->is_bad = true;
    return !c->is_bad;
}

/* Reads an unsigned integer of 1, 2, 4 or 8 bytes. */
static inline uint64_t cp_cursor_uint(struct cp_cursor *c, size_t len)
{
    uint64_t value = 0;

    if (!cp_cursor_need(c, len))
        return 0;
    memcpy(&value, c->pos, len); /* both supported machines are little endian */
    c->pos += len;
    return value;
}

/* Reads a signed integer of 1, 2, 4 or 8 bytes. */
static inline int64_t cp_cursor_int(struct cp_cursor *c, size_t len)
{
    unsigned unused = (unsigned)(64 - 8 * len);

    return (int64_t)(cp_cursor_uint(c, len) << unused) >> unused;
}

static inline void cp_cursor_skip(struct cp_cursor *c, uint64_t n)
{
    if (n > SIZE_MAX / 2 || !cp_cursor_need(c, (size_t)n))
        c->is_bad = true;
    else
        c->pos += n;
}

/* Reads an unsigned LEB128 integer. */
static inline uint64_t cp_cursor_uleb(struct cp_cursor *c)
{
    uint64_t value = 0;

    for (unsigned shift = 0; cp_cursor_need(c, 1); shift += 7) {
        uint8_t byte = *c->pos++;

        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    return 0;
}

/* Reads a signed LEB128 integer. */
static inline int64_t cp_cursor_sleb(struct cp_cursor *c)
{
    uint64_t value = 0;

    for (unsigned shift = 0; cp_cursor_need(c, 1);) {
        uint8_t byte = *c->pos++;

        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (byte < 0x80) {
            if (shift < 64 && byte & 0x40)
                value |= ~(uint64_t)0 << shift;
            return (int64_t)value;
        }
    }
    return 0;
}

/* Returns a cursor over the next n bytes, and skips them. */
static inline struct cp_cursor cp_cursor_take(struct cp_cursor *c, uint64_t n)
{
    struct cp_cursor part = { c->pos, c->pos, true };

    cp_cursor_skip(c, n);
    if (!c->is_bad)
        part = (struct cp_cursor){ part.pos, c->pos, false };
    return part;
}

#endif
