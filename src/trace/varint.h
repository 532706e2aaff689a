/* varint - writes a LEB128 varint, as in Go's traces and protobuf. */
#ifndef CP_TRACE_VARINT_H
#define CP_TRACE_VARINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

static inline void cp_varint_put(struct cp_out *out, uint64_t value)
{
    char bytes[10];
    size_t n = 0;

    while (value >= 0x80) {
        bytes[n++] = (char)(value | 0x80);
        value >>= 7;
    }
    bytes[n++] = (char)value;
    cp_out_bytes(out, bytes, n);
}

#endif
