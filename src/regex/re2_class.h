/*
 * re2_class - translates character classes from RE2 to PCRE2.
 *
 * [a-z], \d, [[:alpha:]], \p{Greek}. Part of the translator (re2.h). On failure
 * *err of the cursor is set; the text keeps what was already written.
 */
#ifndef CP_RE2_CLASS_H
#define CP_RE2_CLASS_H

#include <stdbool.h>

#include "base/error.h"

struct cp_re2_scan;
struct cp_re2_text;

/* Translates a bracketed class; the cursor is at its opening bracket. */
enum cp_status cp_re2_class_brackets(struct cp_re2_scan *s, bool is_folded,
                                     struct cp_re2_text *out);

/* Whether the cursor is at \d, \s, \w, \p or their negations. */
bool cp_re2_class_at_escape(const struct cp_re2_scan *s);

/* Translates such an escape outside of brackets. */
enum cp_status cp_re2_class_escape(struct cp_re2_scan *s, bool is_folded,
                                   struct cp_re2_text *out);

#endif
