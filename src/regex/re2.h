/*
 * re2 - validates a pattern by RE2's rules and translates it for PCRE2.
 *
 * The rules, limits and messages are those of Go's regexp package: no
 * back-references and no lookaround. The translated pattern matches the same
 * texts as RE2; it captures nothing. Used by regex.c. Any thread; no shared
 * state.
 *
 *   re2.c         the parser: groups, alternatives, flags
 *   re2_scan.c    runes, escapes and counts in the pattern
 *   re2_class.c   [a-z], \d, \p{Greek}
 *   re2_names.c   names of character sets
 *   re2_tree.c    the tree and RE2's limits on it
 *   re2_write.c   writes the tree as PCRE2 text
 *   re2_text.c    a growing string
 */
#ifndef CP_RE2_H
#define CP_RE2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * A translated pattern. If it is a plain string, text holds its bytes.
 * Otherwise text holds the alternatives of a PCRE2 pattern, separated by |, for
 * PCRE2_UTF, PCRE2_DOTALL, PCRE2_MULTILINE, PCRE2_ALT_CIRCUMFLEX and LF
 * newlines. Alternative i starts at branches[i] and ends one byte before
 * branches[i + 1], or at len.
 */
struct cp_re2 {
    char *text; /* not NUL-terminated */
    size_t len;
    size_t *branches;
    size_t n_branches;
    bool is_literal;
    uint64_t size; /* approximate number of automaton states */
};

/*
 * Translates into *out; release it with cp_re2_release. On failure *out is
 * unchanged; the status is CP_EUSAGE with RE2's message, or CP_ENOMEM.
 */
enum cp_status cp_re2_init(struct cp_re2 *out, const char *pattern, size_t len,
                           struct cp_error *err);

void cp_re2_release(struct cp_re2 *re2);

#endif
