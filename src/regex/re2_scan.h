/*
 * re2_scan - a cursor over an RE2 pattern, and the words RE2 refuses it with.
 *
 * Reads the small pieces: runes, escapes for one rune, repeat counts. Part
 * of the translator (re2.h); one thread at a time. A reader that fails sets
 * *err and leaves the cursor anywhere: the whole translation has failed.
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
 * Sets "error parsing regexp: what: `...`", quoting the pattern from byte
 * `from` up to byte `to`, and returns CP_EUSAGE.
 */
enum cp_status cp_re2_scan_fail(const struct cp_re2_scan *s, const char *what,
                                size_t from, size_t to);

/* The byte `ahead` places after the cursor, or -1 past the end. */
int cp_re2_scan_peek(const struct cp_re2_scan *s, size_t ahead);

/* Where `what` next starts at or after byte `from`; SIZE_MAX if nowhere. */
size_t cp_re2_scan_find(const struct cp_re2_scan *s, size_t from,
                        const char *what);

/* Fails unless the bytes from `from` up to `to` are UTF-8. */
enum cp_status cp_re2_scan_check_utf8(const struct cp_re2_scan *s, size_t from,
                                      size_t to);

/* Reads one rune; the pattern must not be at its end. */
enum cp_status cp_re2_scan_rune(struct cp_re2_scan *s, uint32_t *out);

/* Reads an escape that stands for one rune; the cursor is at its \. */
enum cp_status cp_re2_scan_escape(struct cp_re2_scan *s, uint32_t *out);

/*
 * Reads {min}, {min,} (*out_max is -1) or {min,max}; numbers too large to
 * hold come out as INT_MAX. False, with the cursor where it was, when the
 * text is none of these and the brace is an ordinary character.
 */
bool cp_re2_scan_counts(struct cp_re2_scan *s, int *out_min, int *out_max);

#endif
