/*
 * regex - regular expressions with RE2's syntax and semantics, matched by
 * PCRE2.
 *
 * The pattern is validated and translated (re2.h): a pattern that RE2 rejects
 * is rejected with RE2's message, and operators that differ from Perl (\s, \v,
 * $) have RE2's meaning. Matching uses PCRE2's JIT and limits the number of
 * steps, so no pattern can hang the program. It searches anywhere in the text,
 * which may contain any bytes.
 *
 * Context: several threads may use one compiled expression at once.
 */
#ifndef CP_REGEX_H
#define CP_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cp_regex;

/*
 * Compiles pattern. NULL with *err set on failure; the message is RE2's: "error
 * parsing regexp: missing closing ): `(`".
 */
struct cp_regex *cp_regex_new(const char *pattern, size_t len,
                              struct cp_error *err);

void cp_regex_free(struct cp_regex *re);

/*
 * Whether the expression matches anywhere in text. When the step limit is
 * exceeded it returns false, and for all later texts too; cp_regex_check then
 * reports the error, and all results of this expression are invalid.
 */
bool cp_regex_match(struct cp_regex *re, const char *text, size_t len);

/*
 * Returns CP_OK; CP_EUSAGE with a message if a match has exceeded the step
 * limit; CP_ENOMEM if a match has run out of memory.
 */
enum cp_status cp_regex_check(const struct cp_regex *re, struct cp_error *err);

#endif
