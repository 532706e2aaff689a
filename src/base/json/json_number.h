/*
 * json_number - the numbers of JSON: where one ends, and its value.
 *
 * Used by the cursor (json.c). Knows bytes only; allocates nothing.
 */
#ifndef CP_JSON_NUMBER_H
#define CP_JSON_NUMBER_H

#include "base/text_lines.h"

/* Behind the number that begins at p; NULL if it is not one. */
const char *cp_json_number_end(const char *p, const char *end);

/*
 * The value of what cp_json_number_end has found the end of. Returns what is
 * wrong with it, *out being as it was, or NULL.
 */
const char *cp_json_number_value(struct cp_text number, double *out);

#endif
