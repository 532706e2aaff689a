/*
 * varints - reads many short varints at once, where the processor can.
 *
 * The top bits of eight bytes tell where varints end; a table of those 256
 * cases says how to move the bytes of up to four of them apart. For the
 * stacks of a large profile, which are little else than varints.
 */
#ifndef CP_VARINTS_H
#define CP_VARINTS_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_wire;

struct cp_varints {
    alignas(16) uint8_t shuffle[256][16]; /* by the top bits of eight bytes */
    uint8_t n[256];   /* whole varints of up to four bytes, at most four */
    uint8_t len[256]; /* their bytes */
    bool is_usable;   /* on this processor */
};

/* The least and the most of all numbers that were read. */
struct cp_varint_range {
    uint32_t least, most;
};

void cp_varints_init(struct cp_varints *v);

/*
 * Reads varints from the front of w while eight bytes are left and they are
 * short; it may read none. Puts each, less one, to `out`, where up to three
 * more places are written than it returns; extends *range by the numbers.
 */
size_t cp_varints_read(const struct cp_varints *v, struct cp_wire *w,
                       uint32_t *out, struct cp_varint_range *range);

#endif
