/*
 * pcre - matches a PCRE2 pattern in bounded time.
 *
 * The only file that calls PCRE2. Patterns are those that re2.h writes: no
 * captures, no lookaround, no back-references, so that a matcher without
 * backtracking can take over when backtracking exceeds the step limit. Several
 * threads may match one pattern at once.
 */
#ifndef CP_PCRE_H
#define CP_PCRE_H

#include <stddef.h>
#include <stdint.h>

struct cp_error;

struct cp_pcre;

enum cp_pcre_result {
    CP_PCRE_NO,
    CP_PCRE_YES,
    CP_PCRE_GAVE_UP,   /* step limit exceeded */
    CP_PCRE_NO_MEMORY, /* allocation failed */
};

/*
 * Compiles len bytes of pattern, which must outlive the result, with the
 * options listed in re2.h. n_states is the approximate number of states of an
 * automaton for it. NULL on failure; the message is only the reason:
 * "expression too large".
 */
struct cp_pcre *cp_pcre_new(const char *pattern, size_t len, uint64_t n_states,
                            struct cp_error *err);

void cp_pcre_free(struct cp_pcre *p);

/* Whether the pattern matches anywhere in text, which must be UTF-8. */
enum cp_pcre_result cp_pcre_match(struct cp_pcre *p, const char *text,
                                  size_t len);

#endif
