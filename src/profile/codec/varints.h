/*
 * varints - decodes many short varints at once with SSE4.1, if the CPU has it.
 *
 * The continuation bits of eight bytes select one of 256 table rows. A row has
 * the byte shuffle that moves up to four varints into 32-bit lanes. The stacks
 * of a large profile are long runs of such varints.
 */
#ifndef CP_VARINTS_H
#define CP_VARINTS_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_wire;

struct cp_varints {
    alignas(16)
        uint8_t shuffle[256][16]; /* by the continuation bits of eight bytes */
    /* number of complete varints, 0 to 4, each of at most four bytes */
    uint8_t n[256];
    uint8_t len[256]; /* bytes of these varints */
    bool is_usable;   /* whether the CPU has SSE4.1 */
};

/* Minimum and maximum of all numbers read. */
struct cp_varint_range {
    uint32_t min, max;
};

void cp_varints_init(struct cp_varints *v);

/*
 * Reads varints from the front of w while they are short and at least eight
 * bytes are left; it may read none. Stores each varint minus one in `out` and
 * extends *range. Returns the count; up to three elements behind the last are
 * overwritten.
 */
size_t cp_varints_read(const struct cp_varints *v, struct cp_wire *w,
                       uint32_t *out, struct cp_varint_range *range);

#endif
