/*
 * json_number - finds the end of a JSON number and parses its value.
 *
 * Used by json.c. Allocates nothing.
 */
#ifndef CP_JSON_NUMBER_H
#define CP_JSON_NUMBER_H

#include "base/text_lines.h"

/*
 * Returns the end of the number that begins at p; NULL if it is not a number.
 */
const char *cp_json_number_end(const char *p, const char *end);

/*
 * Parses a number that cp_json_number_end has delimited. Returns NULL on
 * success. On failure returns an error message and leaves *out unchanged.
 */
const char *cp_json_number_value(struct cp_text number, double *out);

#endif
