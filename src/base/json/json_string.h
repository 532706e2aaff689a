/*
 * json_string - finds the end of a JSON string and decodes it.
 *
 * Used by json.c. Allocates nothing.
 */
#ifndef CP_JSON_STRING_H
#define CP_JSON_STRING_H

#include <stdbool.h>

#include "base/text_lines.h"

/* Bytes that cp_json_string_decode may write beyond the length of the input. */
#define CP_JSON_STRING_SPARE 4

/*
 * Returns the position behind the closing quote; p is the first byte of the
 * string. NULL if there is no closing quote. *is_plain tells whether the string
 * has no escapes.
 */
const char *cp_json_string_end(const char *p, const char *end, bool *is_plain);

/*
 * Decodes a string; returns the end of the output. On an invalid escape returns
 * NULL and sets *bad to its backslash.
 */
char *cp_json_string_decode(struct cp_text in, char *out, const char **bad);

#endif
