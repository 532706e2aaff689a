/*
 * proto_fixture - protocol-buffer messages written as text, for tests.
 *
 *   1:7        field 1, a number          2:'ab'   field 2, bytes
 *   3:{1:2}    field 3, a message         4:[1 2]  field 4, packed numbers
 *   5:F4 5:F8  field 5, fixed 32 or 64 bits (all zero)
 *   6:G        field 6, of an unsupported wire type (a group)
 *   7:!        field 7, bytes whose length exceeds the message
 *
 * Blanks separate; numbers may be negative.
 */
#ifndef CP_PROTO_FIXTURE_H
#define CP_PROTO_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/out.h"

static inline void proto_varint(struct cp_out *o, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        cp_out_char(o, (char)(value | 0x80));
    cp_out_char(o, (char)value);
}

static inline void proto_bytes(struct cp_out *o, uint64_t field,
                               const char *bytes, size_t len)
{
    proto_varint(o, field << 3 | 2);
    proto_varint(o, len);
    cp_out_bytes(o, bytes, len);
}

static inline uint64_t proto_number(const char **at)
{
    char *end;
    uint64_t value =
        **at == '-' ? (uint64_t)strtoll(*at, &end, 10) : strtoull(*at, &end, 0);

    *at = end;
    return value;
}

static inline const char *proto_message(const char *at, struct cp_out *o);

/* Appends the content of brackets, with the key of its field. */
static inline const char *proto_nested(const char *at, uint64_t field,
                                       struct cp_out *o)
{
    struct cp_out inner = { .fd = -1 };

    if (*at == '{') {
        at = proto_message(at + 1, &inner);
    } else {
        for (at++; *at && *at != ']'; at += *at == ' ')
            proto_varint(&inner, proto_number(&at));
    }
    proto_bytes(o, field, inner.buf ? inner.buf : "", inner.len);
    cp_out_release(&inner);
    return *at ? at + 1 : at;
}

static inline const char *proto_value(const char *at, uint64_t field,
                                      struct cp_out *o)
{
    if (*at == '{' || *at == '[')
        return proto_nested(at, field, o);
    if (*at == '\'') {
        size_t len = strcspn(at + 1, "'");

        proto_bytes(o, field, at + 1, len);
        return at + len + 2;
    }
    if (*at == 'F') {
        proto_varint(o, field << 3 | (at[1] == '4' ? 5 : 1));
        cp_out_fill(o, '\0', (size_t)(at[1] - '0'));
        return at + 2;
    }
    if (*at == 'G' || *at == '!') {
        proto_varint(o, field << 3 | (*at == 'G' ? 3 : 2));
        if (*at == '!')
            proto_varint(o, 1000000);
        return at + 1;
    }
    proto_varint(o, field << 3);
    proto_varint(o, proto_number(&at));
    return at;
}

/* Appends the message; returns its end, a brace or the NUL. */
static inline const char *proto_message(const char *at, struct cp_out *o)
{
    while (*at && *at != '}') {
        uint64_t field;

        if (*at == ' ') {
            at++;
            continue;
        }
        field = proto_number(&at);
        at = proto_value(at + 1, field, o);
    }
    return at;
}

/* len bytes as file contents; the caller releases them. */
static inline struct cp_bytes bytes_of(const char *data, size_t len)
{
    struct cp_bytes b = { 0 };

    if (cp_bytes_reserve(&b, len, NULL) == CP_OK && len > 0) {
        memcpy(b.data, data, len);
        b.len = len;
    }
    return b;
}

/* The message as file contents; the caller releases them. */
static inline struct cp_bytes proto_file(const char *text)
{
    struct cp_out o = { .fd = -1 };
    struct cp_bytes b;

    (void)proto_message(text, &o);
    b = bytes_of(o.buf, o.len);
    cp_out_release(&o);
    return b;
}

#endif
