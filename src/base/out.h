/*
 * out - buffered output to a file descriptor or into memory.
 *
 * Made for reports with millions of short pieces. The first error is stored and
 * later output is dropped, so the caller needs to check only cp_out_finish.
 */
#ifndef CP_OUT_H
#define CP_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/strtab.h"

/*
 * Initialize with { .fd = -1 } for memory, with an open descriptor, or with
 * cp_out_terminal.
 */
struct cp_out {
    int fd;       /* -1 collects everything in buf */
    bool escapes; /* whether to escape control sequences (printable.h) */
    char *buf;
    size_t len, cap;
    struct cp_error err; /* first error */
};

/*
 * Returns an output for untrusted text to standard output or error: escapes
 * control sequences if it is a terminal.
 */
struct cp_out cp_out_terminal(int fd);

/*
 * Ensures space for n bytes; false on failure, and the caller must drop the
 * bytes.
 */
bool cp_out_reserve(struct cp_out *o, size_t n);

static inline void cp_out_bytes(struct cp_out *o, const char *bytes, size_t n)
{
    if (o->cap - o->len < n && !cp_out_reserve(o, n))
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

/* Appends n copies of c. */
void cp_out_fill(struct cp_out *o, char c, size_t n);

/* Appends text, right-aligned in a field of `width` characters (not bytes). */
void cp_out_right(struct cp_out *o, const char *text, size_t width);

void cp_out_u64(struct cp_out *o, uint64_t value);
void cp_out_i64(struct cp_out *o, int64_t value);

/* Appends a decimal number, right-aligned. */
void cp_out_i64_right(struct cp_out *o, int64_t value, size_t width);

/* Appends the buffer of `from` and clears it. */
void cp_out_join(struct cp_out *o, struct cp_out *from);

/* Flushes the buffer and returns the first error, if any. */
enum cp_status cp_out_finish(struct cp_out *o, struct cp_error *err);

/* Frees the buffer; does not close the descriptor. */
void cp_out_release(struct cp_out *o);

/*
 * Returns the number of characters in UTF-8 text; an invalid byte counts as
 * one.
 */
size_t cp_out_width(const char *text, size_t len);

#endif
