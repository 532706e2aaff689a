/*
 * re2 - checks a pattern by RE2's rules and translates it for PCRE2.
 *
 * The rules are those of Go's regexp package: no back-references and no
 * lookaround, its limits, its messages. The result answers "does it match
 * somewhere in the text" as RE2 would, nothing more: it captures nothing.
 * Used by regex.c. Any thread, no shared state.
 *
 *   re2.c         groups, alternatives, flags: the parser
 *   re2_scan.c    runes, escapes and counts in the pattern
 *   re2_class.c   [a-z], \d, \p{Greek}
 *   re2_names.c   names of character sets
 *   re2_tree.c    the tree and RE2's limits on it
 *   re2_write.c   the tree as PCRE2 text
 *   re2_text.c    a growing string
 */
#ifndef CP_RE2_H
#define CP_RE2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * A translation. Either the pattern is a plain string, and text holds its
 * bytes; or text holds the alternatives of a PCRE2 pattern with a | between
 * them, for PCRE2_UTF, PCRE2_DOTALL, PCRE2_MULTILINE and
 * PCRE2_ALT_CIRCUMFLEX and newlines that are LF. The i-th alternative starts
 * at branches[i] and ends a byte before branches[i + 1], or at len.
 */
struct cp_re2 {
    char *text; /* not terminated */
    size_t len;
    size_t *branches;
    size_t n_branches;
    bool is_literal;
    uint64_t size; /* about how many states a machine for it would have */
};

/*
 * Translates into *out, which then needs cp_re2_release. On failure *out is
 * untouched; the status is CP_EUSAGE with RE2's message, or CP_ENOMEM.
 */
enum cp_status cp_re2_init(struct cp_re2 *out, const char *pattern, size_t len,
                           struct cp_error *err);

void cp_re2_release(struct cp_re2 *re2);

#endif
