/*
 * regex - regular expressions with RE2's syntax and answers, run by PCRE2.
 *
 * The pattern is checked and translated (re2.h) so that what RE2 refuses is
 * refused with RE2's words and what means something else in Perl (\s, \v, $)
 * means what it means in RE2. Matching is compiled by PCRE2's JIT and bounded
 * in steps, so no pattern can hang the program. Matching is by "contains",
 * on any bytes.
 *
 * A compiled expression may be used by several threads at once.
 */
#ifndef CP_REGEX_H
#define CP_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cp_regex;

/*
 * Compiles pattern. NULL with *err set on failure; the message is RE2's:
 * "error parsing regexp: missing closing ): `(`".
 */
struct cp_regex *cp_regex_new(const char *pattern, size_t len,
                              struct cp_error *err);

void cp_regex_free(struct cp_regex *re);

/*
 * Whether the expression matches somewhere in text. When the step limit is
 * met the answer is false, then and ever after: the expression remembers it
 * (see below) and what was found with it is not to be used.
 */
bool cp_regex_match(struct cp_regex *re, const char *text, size_t len);

/*
 * CP_OK; or CP_EUSAGE with a message once a match has met the step limit, or
 * CP_ENOMEM once one has run out of memory.
 */
enum cp_status cp_regex_check(const struct cp_regex *re, struct cp_error *err);

#endif
