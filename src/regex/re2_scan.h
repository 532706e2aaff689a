/*
 * re2_scan - a cursor over an RE2 pattern, and RE2's error messages.
 *
 * Reads runes, escapes for one rune, and repeat counts. Part of the translator
 * (re2.h); one thread at a time. A function that fails sets *err and leaves the
 * cursor undefined, because the whole translation has failed.
 */
#ifndef CP_RE2_SCAN_H
#define CP_RE2_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_re2_scan {
    const char *text;
    size_t len;
    size_t pos;
    struct cp_error *err;
};

#define CP_RE2_BAD_RANGE "invalid character class range"
#define CP_RE2_BAD_CAPTURE "invalid named capture"
#define CP_RE2_BAD_COUNT "invalid repeat count"

/*
 * Sets "error parsing regexp: what: `...`", quoting bytes [from, to) of the
 * pattern; returns CP_EUSAGE.
 */
enum cp_status cp_re2_scan_fail(const struct cp_re2_scan *s, const char *what,
                                size_t from, size_t to);

/* Returns the byte `ahead` positions after the cursor, or -1 past the end. */
int cp_re2_scan_peek(const struct cp_re2_scan *s, size_t ahead);

/*
 * Returns the next position of `what` at or after `from`; SIZE_MAX if there is
 * none.
 */
size_t cp_re2_scan_find(const struct cp_re2_scan *s, size_t from,
                        const char *what);

/* Fails unless bytes [from, to) are UTF-8. */
enum cp_status cp_re2_scan_check_utf8(const struct cp_re2_scan *s, size_t from,
                                      size_t to);

/* Reads one rune; the pattern must not be at its end. */
enum cp_status cp_re2_scan_rune(struct cp_re2_scan *s, uint32_t *out);

/* Reads an escape that stands for one rune; the cursor is at its \. */
enum cp_status cp_re2_scan_escape(struct cp_re2_scan *s, uint32_t *out);

/*
 * Reads {min}, {min,} (*out_max is -1) or {min,max}; numbers that are too large
 * become INT_MAX. Returns false and leaves the cursor if the text is none of
 * these; the brace is then an ordinary character.
 */
bool cp_re2_scan_counts(struct cp_re2_scan *s, int *out_min, int *out_max);

#endif
