/*
 * re2_text - a growing string of PCRE2 pattern.
 *
 * Running out of memory is remembered rather than returned, so that code
 * which writes a pattern piece by piece asks once, at the end. Part of the
 * translator (re2.h); one thread at a time.
 */
#ifndef CP_RE2_TEXT_H
#define CP_RE2_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts as zeros. `data` is not terminated; cp_free it when done. */
struct cp_re2_text {
    char *data;
    size_t len, cap;
    bool is_short; /* memory ran out: the text lacks something */
};

void cp_re2_text_add(struct cp_re2_text *t, const char *s);
void cp_re2_text_add_bytes(struct cp_re2_text *t, const char *s, size_t len);

/* Adds a rune in a form that stands for itself, in and out of brackets. */
void cp_re2_text_add_rune(struct cp_re2_text *t, uint32_t rune);

/* Adds the range first to last as it is written in brackets. */
void cp_re2_text_add_range(struct cp_re2_text *t, uint32_t first,
                           uint32_t last);

#endif
