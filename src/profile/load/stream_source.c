/* stream_source.c - decompresses gzip incrementally with ISA-L. */
#include "profile/load/stream_source.h"

#include <errno.h>
#include <isa-l/igzip_lib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "profile/codec/inflate.h"

#define READ_BYTES ((size_t)64 << 10)
#define GZIP_MIN 18 /* bytes of an empty gzip file */

struct cp_stream_source {
    struct cp_stream_input in;
    size_t pos; /* input bytes already consumed */
    size_t plain_len, plain_pos;
    bool is_gzip;
    struct inflate_state state;
    uint8_t buffer[READ_BYTES]; /* bytes read from the descriptor */
};

static bool read_at(int fd, uint8_t *to, size_t len, size_t at)
{
    while (len > 0) {
        ssize_t n = pread(fd, to, len, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        to += n;
        at += (size_t)n;
        len -= (size_t)n;
    }
    return true;
}

static bool peek(const struct cp_stream_input *in, uint8_t *to, size_t len,
                 size_t at)
{
    if (at > in->len || len > in->len - at)
        return false;
    if (!in->data)
        return read_at(in->fd, to, len, at);
    memcpy(to, in->data + at, len);
    return true;
}

/* Returns the next input bytes, still compressed. */
static bool next_input(struct cp_stream_source *s, const uint8_t **bytes,
                       size_t *len)
{
    size_t left = s->in.len - s->pos;

    *len = left < READ_BYTES ? left : READ_BYTES;
    *bytes = s->in.data ? s->in.data + s->pos : s->buffer;
    if (!s->in.data && !read_at(s->in.fd, s->buffer, *len, s->pos))
        return false;
    s->pos += *len;
    return true;
}

static bool open_gzip(struct cp_stream_source *s)
{
    uint8_t trailer[4];
    uint32_t len;

    if (s->in.len < GZIP_MIN ||
        !peek(&s->in, trailer, sizeof(trailer), s->in.len - sizeof(trailer)))
        return false;
    memcpy(&len, trailer, sizeof(len));
    s->plain_len = len;
    isal_inflate_init(&s->state);
    s->state.crc_flag = ISAL_GZIP;
    return len <= cp_inflate_limit(s->in.len);
}

struct cp_stream_source *
cp_stream_source_new(const struct cp_stream_input *input)
{
    struct cp_stream_source *s = cp_alloc(1, sizeof(*s), NULL);
    uint8_t magic[4];
    bool is_ok = s && peek(input, magic, sizeof(magic), 0);

    if (is_ok) {
        s->in = *input;
        s->plain_len = input->len;
        s->is_gzip = cp_inflate_is_gzip(magic, sizeof(magic));
        is_ok = s->is_gzip ? open_gzip(s)
                           : !cp_inflate_is_compressed(magic, sizeof(magic));
    }
    if (is_ok)
        return s;
    cp_stream_source_free(s);
    return NULL;
}

void cp_stream_source_free(struct cp_stream_source *s)
{
    cp_free(s);
}

size_t cp_stream_source_len(const struct cp_stream_source *s)
{
    return s->plain_len;
}

static bool read_plain(struct cp_stream_source *s, uint8_t *to, size_t room)
{
    size_t left = s->in.len - s->pos;
    size_t n = left < room ? left : room;

    if (!peek(&s->in, to, n, s->pos))
        return false;
    s->pos += n;
    s->plain_pos += n;
    return true;
}

/* Whether the member ended at the end of the file and its length is correct. */
static bool is_whole(const struct cp_stream_source *s)
{
    return s->pos == s->in.len && s->state.avail_in == 0 &&
           s->state.read_in_length < 8 && s->plain_pos == s->plain_len;
}

static bool read_gzip(struct cp_stream_source *s, uint8_t *to, size_t room)
{
    struct inflate_state *z = &s->state;

    z->next_out = to;
    z->avail_out = (uint32_t)room;
    while (z->avail_out > 0 && z->block_state != ISAL_BLOCK_FINISH) {
        const uint8_t *bytes = z->next_in;
        size_t len = z->avail_in;
        uint32_t had = z->avail_out;

        if (len == 0 && (!next_input(s, &bytes, &len) || len == 0))
            return false;
        z->next_in = (uint8_t *)(uintptr_t)bytes; /* ISA-L only reads it */
        z->avail_in = (uint32_t)len;
        if (isal_inflate(z) != ISAL_DECOMP_OK ||
            (z->avail_in == len && z->avail_out == had &&
             z->block_state != ISAL_BLOCK_FINISH))
            return false;
    }
    s->plain_pos += room - z->avail_out;
    return z->avail_out == 0 || is_whole(s);
}

bool cp_stream_source_read(struct cp_stream_source *s, uint8_t *to, size_t room,
                           size_t *got)
{
    size_t before = s->plain_pos;
    bool is_ok = s->is_gzip ? read_gzip(s, to, room) : read_plain(s, to, room);

    *got = s->plain_pos - before;
    return is_ok && s->plain_pos <= s->plain_len;
}
