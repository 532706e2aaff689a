/*
 * out - buffered output, to a file descriptor or into memory.
 *
 * Reports write millions of short pieces; this is the cheapest way to take
 * them. A failure is remembered and everything after it is dropped, so only
 * cp_out_finish needs checking.
 */
#ifndef CP_OUT_H
#define CP_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/strtab.h"

/*
 * Starts as { .fd = -1 } for memory, with an open descriptor, or with
 * cp_out_terminal.
 */
struct cp_out {
    int fd;       /* -1: keep everything in buf */
    bool escapes; /* show what a terminal would obey (printable.h) */
    char *buf;
    size_t len, cap;
    struct cp_error err; /* the first failure */
};

/* For text from outside, to standard output or error: safe on a terminal. */
struct cp_out cp_out_terminal(int fd);

/* Makes room for n bytes; false (and the bytes must be dropped) on failure. */
bool cp_out_room(struct cp_out *o, size_t n);

static inline void cp_out_bytes(struct cp_out *o, const char *bytes, size_t n)
{
    if (o->cap - o->len < n && !cp_out_room(o, n))
        return;
    if (n)
        memcpy(o->buf + o->len, bytes, n);
    o->len += n;
}

static inline void cp_out_cstr(struct cp_out *o, const char *text)
{
    cp_out_bytes(o, text, strlen(text));
}

static inline void cp_out_str(struct cp_out *o, struct cp_str text)
{
    cp_out_bytes(o, text.ptr, text.len);
}

static inline void cp_out_char(struct cp_out *o, char c)
{
    cp_out_bytes(o, &c, 1);
}

void cp_out_printf(struct cp_out *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* n copies of c. */
void cp_out_fill(struct cp_out *o, char c, size_t n);

/* Text, right-aligned in a field of `width` characters (not bytes). */
void cp_out_right(struct cp_out *o, const char *text, size_t width);

void cp_out_u64(struct cp_out *o, uint64_t value);
void cp_out_i64(struct cp_out *o, int64_t value);

/* Decimal, right-aligned. */
void cp_out_i64_right(struct cp_out *o, int64_t value, size_t width);

/* Appends what `from` has in memory and empties it. */
void cp_out_join(struct cp_out *o, struct cp_out *from);

/* Writes what is buffered and reports the first failure, if any. */
enum cp_status cp_out_finish(struct cp_out *o, struct cp_error *err);

/* Frees the buffer; the descriptor stays the caller's. */
void cp_out_release(struct cp_out *o);

/* Characters in UTF-8 text; a byte that belongs to none counts as one. */
size_t cp_out_width(const char *text, size_t len);

#endif
