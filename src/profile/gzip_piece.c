/*
 * gzip_piece.c - packing a piece of a stream; see gzip.h.
 *
 * Blocks that end on a byte are ISA-L's "sync flush"; libdeflate has no such
 * thing. ISA-L also packs more than twice as fast as libdeflate's quickest
 * level, for 4 % more bytes. Kept apart from gzip.c because ISA-L comes as a
 * shared library only.
 */
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include "base/alloc.h"
#include "profile/gzip.h"

#define LEVEL 2

/* Runs the packer until it has taken all its input. */
static void run(struct isal_zstream *z, struct cp_out *out)
{
    do {
        size_t room = (size_t)z->avail_in + z->avail_in / 8 + 4096;

        if (!cp_out_room(out, room))
            return;
        z->next_out = (uint8_t *)out->buf + out->len;
        z->avail_out = (uint32_t)room;
        if (isal_deflate(z) != COMP_OK) {
            (void)cp_error_set(&out->err, CP_EOTHER, "packing failed");
            return;
        }
        out->len += room - z->avail_out;
    } while (z->avail_out == 0 || z->avail_in > 0);
}

struct cp_gzip_sum cp_gzip_piece(const void *bytes, size_t len,
                                 struct cp_out *out)
{
    struct cp_gzip_sum sum = { libdeflate_crc32(0, bytes, len), len };
    struct isal_zstream z;
    uint8_t *room;

    if (len == 0)
        return sum;
    room = cp_alloc(ISAL_DEF_LVL2_DEFAULT, 1, &out->err);
    if (!room || len > UINT32_MAX / 2) {
        if (room)
            (void)cp_error_nomem(&out->err);
        cp_free(room);
        return sum;
    }
    isal_deflate_init(&z);
    z.level = LEVEL;
    z.level_buf = room;
    z.level_buf_size = ISAL_DEF_LVL2_DEFAULT;
    z.flush = SYNC_FLUSH;
    z.next_in = (uint8_t *)(uintptr_t)bytes;
    z.avail_in = (uint32_t)len;
    run(&z, out);
    cp_free(room);
    return sum;
}
