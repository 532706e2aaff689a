/*
 * re2_names - names of character sets in RE2 patterns.
 *
 * Two kinds: sets of ASCII characters (\d, [:alpha:]) and Unicode properties
 * (\p{Greek}, \p{Lu}). Constant tables; part of the translator (re2.h).
 */
#ifndef CP_RE2_NAMES_H
#define CP_RE2_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the ASCII set [:name:] as pairs of first and last character; NULL if
 * unknown.
 */
const char *cp_re2_names_posix(const char *name, size_t len);

/* Returns the ASCII set of \d, \s or \w by its letter, in the same form. */
const char *cp_re2_names_perl(int letter);

/* Buffer size for cp_re2_names_property. */
#define CP_RE2_PROPERTY_MAX 64

/*
 * Writes PCRE2's text between \p{ and }, with its sign, to out: "Greek" gives
 * "sc:greek". False if RE2 has no such property. Case, blanks, hyphens and
 * underscores in the name are ignored. With is_folded, upper and lower case
 * letters are one property.
 */
bool cp_re2_names_property(const char *name, size_t len, bool is_folded,
                           char out[static CP_RE2_PROPERTY_MAX]);

#endif
