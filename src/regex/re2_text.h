/*
 * re2_text - a growing string of PCRE2 pattern.
 *
 * An allocation failure is stored, so the writer checks once, at the end. Part
 * of the translator (re2.h); one thread at a time.
 */
#ifndef CP_RE2_TEXT_H
#define CP_RE2_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initialize with { 0 }. `data` is not NUL-terminated; free it with cp_free. */
struct cp_re2_text {
    char *data;
    size_t len, cap;
    bool
        is_out_of_memory; /* whether an allocation failed and text is missing */
};

void cp_re2_text_add(struct cp_re2_text *t, const char *s);
void cp_re2_text_add_bytes(struct cp_re2_text *t, const char *s, size_t len);

/* Adds a rune, escaped so that it is literal inside and outside of brackets. */
void cp_re2_text_add_rune(struct cp_re2_text *t, uint32_t rune);

/* Adds the range first to last in the form used in brackets. */
void cp_re2_text_add_range(struct cp_re2_text *t, uint32_t first,
                           uint32_t last);

#endif
