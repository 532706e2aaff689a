/*
 * json_string - the inside of a JSON string: where it ends, what it says.
 *
 * Used by the cursor (json.c). Knows bytes only; allocates nothing.
 */
#ifndef CP_JSON_STRING_H
#define CP_JSON_STRING_H

#include <stdbool.h>

#include "base/text_lines.h"

/* More than the text itself that cp_json_string_decode may write. */
#define CP_JSON_STRING_SPARE 4

/*
 * Behind the closing quote of the string whose inside begins at p; NULL: it
 * has none. *is_plain: what is inside stands for itself.
 */
const char *cp_json_string_end(const char *p, const char *end, bool *is_plain);

/*
 * Writes what the inside of a string says and returns the end of that; NULL
 * for an escape that there is not, whose backslash *bad then is.
 */
char *cp_json_string_decode(struct cp_text in, char *out, const char **bad);

#endif
