/*
 * pcre - a PCRE2 pattern that is matched in bounded time.
 *
 * The only file that calls PCRE2. Patterns are as re2.h writes them: no
 * captures, no lookaround, no back-references, so that a machine without
 * backtracking can take over where backtracking needs too many steps. A
 * pattern may be matched by several threads at once.
 */
#ifndef CP_PCRE_H
#define CP_PCRE_H

#include <stddef.h>
#include <stdint.h>

struct cp_error;

struct cp_pcre;

enum cp_pcre_answer {
    CP_PCRE_NO,
    CP_PCRE_YES,
    CP_PCRE_GAVE_UP,   /* too many steps */
    CP_PCRE_NO_MEMORY, /* no answer for want of it */
};

/*
 * Compiles len bytes of pattern, which must outlive the result, for the
 * options named in re2.h. n_states is about how many states a machine for it
 * would have. NULL on failure; the message is only the words for what is
 * wrong: "expression too large".
 */
struct cp_pcre *cp_pcre_new(const char *pattern, size_t len, uint64_t n_states,
                            struct cp_error *err);

void cp_pcre_free(struct cp_pcre *p);

/* Whether the pattern matches somewhere in text, which must be UTF-8. */
enum cp_pcre_answer cp_pcre_match(struct cp_pcre *p, const char *text,
                                  size_t len);

#endif
