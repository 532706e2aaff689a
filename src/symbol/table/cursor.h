/*
 * cursor - reads little-endian numbers, LEB128 and strings from bytes.
 *
 * The lowest layer of the DWARF readers. A read past the end returns zero,
 * moves the cursor to the end and marks it failed. So loops that run until the
 * end terminate, and most readers check for failure once, at the end.
 */
#ifndef CP_CURSOR_H
#define CP_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cp_cursor {
    const uint8_t *pos, *end;
    bool failed;
};

static inline size_t cp_cursor_left(const struct cp_cursor *c)
{
    return (size_t)(c->end - c->pos);
}

static inline void cp_cursor_fail(struct cp_cursor *c)
{
    c->pos = c->end;
    c->failed = true;
}

static inline void cp_cursor_skip(struct cp_cursor *c, uint64_t n)
{
    if (n > cp_cursor_left(c))
        cp_cursor_fail(c);
    else
        c->pos += n;
}

/* Reads a number of `size` bytes, 1 to 8. */
static inline uint64_t cp_cursor_uint(struct cp_cursor *c, unsigned size)
{
    uint64_t value = 0;

    if (size > cp_cursor_left(c)) {
        cp_cursor_fail(c);
        return 0;
    }
    switch (size) {
    case 1:
        value = *c->pos;
        break;
    case 2:
        memcpy(&value, c->pos, 2);
        break;
    case 4:
        memcpy(&value, c->pos, 4);
        break;
    case 8:
        memcpy(&value, c->pos, 8);
        break;
    default:
        memcpy(&value, c->pos, size <= 8 ? size : 8);
        break;
    }
    c->pos += size;
    return value;
}

static inline uint8_t cp_cursor_u8(struct cp_cursor *c)
{
    if (c->pos == c->end) {
        c->failed = true;
        return 0;
    }
    return *c->pos++;
}

/* Reads the rest of a long LEB128; drops bits beyond 64. */
static inline uint64_t cp_cursor_uleb_rest(struct cp_cursor *c, uint64_t value)
{
    unsigned shift = 7;

    while (c->pos < c->end) {
        uint8_t byte = *c->pos++;

        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
        shift += 7;
    }
    c->failed = true;
    return 0;
}

static inline uint64_t cp_cursor_uleb(struct cp_cursor *c)
{
    uint8_t byte = cp_cursor_u8(c);

    return byte < 0x80 ? byte : cp_cursor_uleb_rest(c, byte & 0x7f);
}

static inline int64_t cp_cursor_sleb(struct cp_cursor *c)
{
    uint64_t value = 0;
    unsigned shift = 0;

    while (c->pos < c->end) {
        uint8_t byte = *c->pos++;

        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (byte < 0x80) {
            if (shift < 64 && (byte & 0x40))
                value |= ~(uint64_t)0 << shift;
            return (int64_t)value;
        }
    }
    c->failed = true;
    return 0;
}

/* Reads a NUL-terminated string; NULL if there is no NUL. */
static inline const char *cp_cursor_str(struct cp_cursor *c)
{
    const uint8_t *start = c->pos, *nul;

    nul = c->pos < c->end ? memchr(c->pos, 0, cp_cursor_left(c)) : NULL;
    if (!nul) {
        cp_cursor_fail(c);
        return NULL;
    }
    c->pos = nul + 1;
    return (const char *)start;
}

/*
 * Reads the next len bytes as a cursor; it is empty and failed if fewer are
 * left.
 */
static inline struct cp_cursor cp_cursor_part(struct cp_cursor *c, uint64_t len)
{
    struct cp_cursor part = { c->pos, c->pos, false };

    if (len > cp_cursor_left(c)) {
        cp_cursor_fail(c);
        part.failed = true;
    } else {
        c->pos += len;
        part.end = c->pos;
    }
    return part;
}

#endif
