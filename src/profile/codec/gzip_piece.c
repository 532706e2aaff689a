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
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/out.h"
#include "profile/codec/gzip.h"

#define LEVEL 2
#define PART_MAX ((size_t)1 << 30) /* ISA-L counts in 32 bits */

struct cp_gzip_packer {
    struct isal_zstream z;
    struct cp_gzip_sum sum;
    uint8_t room[ISAL_DEF_LVL2_DEFAULT];
};

static void start(struct cp_gzip_packer *p)
{
    isal_deflate_init(&p->z);
    p->z.level = LEVEL;
    p->z.level_buf = p->room;
    p->z.level_buf_size = sizeof(p->room);
    p->sum = (struct cp_gzip_sum){ 0 };
}

struct cp_gzip_packer *cp_gzip_packer_new(struct cp_error *err)
{
    struct cp_gzip_packer *p = cp_alloc(1, sizeof(*p), err);

    if (p)
        start(p);
    return p;
}

void cp_gzip_packer_free(struct cp_gzip_packer *p)
{
    cp_free(p);
}

/* Runs the packer until it has taken all its input. */
static void run(struct isal_zstream *z, struct cp_out *out)
{
    do {
        size_t room = (size_t)z->avail_in + z->avail_in / 8 + 4096;

        if (out->cap - out->len < room && !cp_out_room(out, room))
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

void cp_gzip_packer_add(struct cp_gzip_packer *p, const void *bytes, size_t len,
                        struct cp_out *out)
{
    const uint8_t *from = bytes;

    if (len > 0)
        p->sum.crc = libdeflate_crc32(p->sum.crc, bytes, len);
    p->sum.len += len;
    while (len > 0 && out->err.status == CP_OK) {
        size_t n = len < PART_MAX ? len : PART_MAX;

        p->z.flush = NO_FLUSH;
        p->z.next_in = (uint8_t *)(uintptr_t)from; /* only read */
        p->z.avail_in = (uint32_t)n;
        run(&p->z, out);
        from += n;
        len -= n;
    }
}

struct cp_gzip_sum cp_gzip_packer_end(struct cp_gzip_packer *p,
                                      struct cp_out *out)
{
    struct cp_gzip_sum sum = p->sum;

    p->z.flush = SYNC_FLUSH;
    p->z.avail_in = 0;
    if (sum.len > 0 && out->err.status == CP_OK)
        run(&p->z, out);
    start(p);
    return sum;
}

struct cp_gzip_sum cp_gzip_piece(const void *bytes, size_t len,
                                 struct cp_out *out)
{
    struct cp_gzip_packer *p = cp_gzip_packer_new(&out->err);
    struct cp_gzip_sum sum = { 0 };

    if (!p)
        return sum;
    cp_gzip_packer_add(p, bytes, len, out);
    sum = cp_gzip_packer_end(p, out);
    cp_gzip_packer_free(p);
    return sum;
}
