/* out.c - the output buffer and number formatting. */
#include "base/out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/printable.h"
#include "base/utf8.h"

#define BUFFER_BYTES ((size_t)256 << 10) /* bytes per write() */
#define SMALL_BYTES                                                            \
    ((size_t)256) /* first allocation in memory; most outputs are short */

static void write_all(struct cp_out *o, const char *bytes, size_t n)
{
    while (n > 0 && o->err.status == CP_OK) {
        ssize_t done = write(o->fd, bytes, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            (void)cp_error_set(&o->err, CP_EIO, "write: %s", strerror(errno));
            return;
        }
        bytes += done;
        n -= (size_t)done;
    }
}

static void write_escaped(struct cp_out *o, size_t len)
{
    char shown[4096];
    size_t used = 0, n;

    for (size_t i = 0; i < len;) {
        i += cp_printable_next(o->buf + i, len - i, shown + used, &n);
        used += n;
        if (used + CP_PRINTABLE_BYTES > sizeof(shown) || i == len) {
            write_all(o, shown, used);
            used = 0;
        }
    }
}

/*
 * Writes the buffer. Unless is_end, an incomplete UTF-8 character stays in the
 * buffer.
 */
static void flush(struct cp_out *o, bool is_end)
{
    size_t rest =
        o->escapes && !is_end ? cp_printable_unfinished(o->buf, o->len) : 0;

    if (o->escapes)
        write_escaped(o, o->len - rest);
    else
        write_all(o, o->buf, o->len);
    if (rest)
        memmove(o->buf, o->buf + o->len - rest, rest);
    o->len = rest;
}

struct cp_out cp_out_terminal(int fd)
{
    return (struct cp_out){ .fd = fd, .escapes = isatty(fd) };
}

bool cp_out_reserve(struct cp_out *o, size_t n)
{
    if (o->fd >= 0)
        flush(o, false);
    if (o->err.status == CP_OK && o->cap - o->len < n) {
        size_t first = o->fd >= 0 ? BUFFER_BYTES : SMALL_BYTES;
        size_t least = o->cap ? o->cap : first;

        (void)cp_reserve(&o->buf, &o->cap,
                         o->len + n > least ? o->len + n : least + 1, 1,
                         &o->err);
    }
    return o->err.status == CP_OK;
}

void cp_out_printf(struct cp_out *o, const char *fmt, ...)
{
    va_list args;
    int n;

    if (o->cap == o->len && !cp_out_reserve(o, 1))
        return;
    va_start(args, fmt);
    n = vsnprintf(o->buf + o->len, o->cap - o->len, fmt, args);
    va_end(args);
    if (n < 0)
        return;
    if ((size_t)n >= o->cap - o->len) {
        if (!cp_out_reserve(o, (size_t)n + 1))
            return;
        va_start(args, fmt);
        (void)vsnprintf(o->buf + o->len, (size_t)n + 1, fmt, args);
        va_end(args);
    }
    o->len += (size_t)n;
}

void cp_out_fill(struct cp_out *o, char c, size_t n)
{
    if (o->cap - o->len < n && !cp_out_reserve(o, n))
        return;
    if (n)
        memset(o->buf + o->len, c, n);
    o->len += n;
}

size_t cp_out_width(const char *text, size_t len)
{
    size_t width = 0, i = 0;
    uint32_t rune;

    for (; i < len; width++) {
        size_t n = (unsigned char)text[i] < 0x80
                       ? 1
                       : cp_utf8_decode(text + i, len - i, &rune);

        i += n ? n : 1;
    }
    return width;
}

void cp_out_right(struct cp_out *o, const char *text, size_t width)
{
    size_t len = strlen(text), have = cp_out_width(text, len);

    if (have < width)
        cp_out_fill(o, ' ', width - have);
    cp_out_bytes(o, text, len);
}

/* Writes the digits of value before `end`; returns the first digit. */
static char *digits(uint64_t value, char *end)
{
    do
        *--end = (char)('0' + value % 10);
    while (value /= 10);
    return end;
}

void cp_out_u64(struct cp_out *o, uint64_t value)
{
    char text[20], *end = text + sizeof(text), *begin = digits(value, end);

    cp_out_bytes(o, begin, (size_t)(end - begin));
}

void cp_out_i64(struct cp_out *o, int64_t value)
{
    cp_out_i64_right(o, value, 0);
}

void cp_out_i64_right(struct cp_out *o, int64_t value, size_t width)
{
    char text[21], *end = text + sizeof(text);
    char *begin = digits(value < 0 ? -(uint64_t)value : (uint64_t)value, end);
    size_t len;

    if (value < 0)
        *--begin = '-';
    len = (size_t)(end - begin);
    if (len < width)
        cp_out_fill(o, ' ', width - len);
    cp_out_bytes(o, begin, len);
}

void cp_out_join(struct cp_out *o, struct cp_out *from)
{
    if (from->err.status != CP_OK && o->err.status == CP_OK)
        o->err = from->err;
    if (o->fd >= 0 && !o->escapes && from->len > BUFFER_BYTES / 4) {
        flush(o, false);
        write_all(o, from->buf, from->len);
    } else {
        cp_out_bytes(o, from->buf, from->len);
    }
    from->len = 0;
}

enum cp_status cp_out_finish(struct cp_out *o, struct cp_error *err)
{
    if (o->fd >= 0)
        flush(o, true);
    if (o->err.status != CP_OK && err)
        *err = o->err;
    return o->err.status;
}

void cp_out_release(struct cp_out *o)
{
    cp_free(o->buf);
    *o = (struct cp_out){ .fd = -1 };
}
