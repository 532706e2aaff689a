/*
 * eh_bytes - builds .eh_frame sections, for the tests of their parsers.
 *
 * Addresses in FDEs are absolute, 8 bytes (encoding 0), so that the section
 * does not depend on its own address.
 */
#ifndef EH_BYTES_H
#define EH_BYTES_H

#include <stdint.h>
#include <string.h>

#include "unwind/eh_frame.h"

struct eh_bytes {
    uint8_t data[4096];
    size_t len, cie;
};

static inline void eh_put(struct eh_bytes *b, uint64_t value, size_t len)
{
    memcpy(b->data + b->len, &value, len);
    b->len += len;
}

static inline void eh_text(struct eh_bytes *b, const char *bytes, size_t len)
{
    memcpy(b->data + b->len, bytes, len);
    b->len += len;
}

static inline void eh_close(struct eh_bytes *b, size_t start)
{
    uint32_t len = (uint32_t)(b->len - start - 4);

    memcpy(b->data + start, &len, sizeof(len));
}

/* A CIE as gcc writes for x86-64: code 1, data -8, return address 16. */
static inline void eh_cie(struct eh_bytes *b, const char *letters,
                          const char *program, size_t len)
{
    size_t start = b->len;

    b->cie = start;
    eh_put(b, 0, 8);
    eh_put(b, 1, 1);
    eh_text(b, letters, strlen(letters) + 1);
    eh_text(b, "\x01\x78\x10", 3);
    if (letters[0] == 'z') {
        eh_put(b, 1, 1); /* one byte: the encoding */
        eh_put(b, 0, 1);
    }
    eh_text(b, program, len);
    eh_close(b, start);
}

static inline void eh_fde(struct eh_bytes *b, uint64_t pc, uint64_t size,
                          const char *program, size_t len)
{
    size_t start = b->len;

    eh_put(b, 0, 4);
    eh_put(b, b->len - b->cie, 4);
    eh_put(b, pc, 8);
    eh_put(b, size, 8);
    eh_put(b, 0, 1); /* no augmentation data */
    eh_text(b, program, len);
    eh_close(b, start);
}

static inline struct cp_eh_bytes eh_section(const struct eh_bytes *b)
{
    return (struct cp_eh_bytes){ .start = b->data,
                                 .end = b->data + b->len,
                                 .frame = b->data };
}

/* The start of each CIE by gcc: CFA = rsp + 8, return address at CFA - 8. */
#define EH_START "\x0c\x07\x08\x90\x01"

#endif
