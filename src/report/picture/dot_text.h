/*
 * dot_text - writes text from a profile inside quoted strings of Graphviz's
 * language.
 *
 * A quoted string ends at a quote without a preceding backslash. A text that
 * ended its string early could add attributes to the node, such as a
 * javascript: URL. A NUL makes some versions of Graphviz skip the rest of the
 * line with the closing quote. The functions here prevent both.
 */
#ifndef CP_DOT_TEXT_H
#define CP_DOT_TEXT_H

#include <stdbool.h>

#include "base/strtab.h"

struct cp_out;

/* Puts a backslash before quotes and backslashes; line breaks become \l. */
void cp_dot_escape(struct cp_out *out, struct cp_str text);

/*
 * Writes text that google/pprof does not escape: file names and units. Writes
 * it unchanged unless it would leave its string, or is_drawn is set; then
 * escapes it.
 */
void cp_dot_raw(struct cp_out *out, struct cp_str text, bool is_drawn);

/* Like cp_dot_raw, for joined label strings, where \n is a line break. */
void cp_dot_labels(struct cp_out *out, struct cp_str text, bool is_drawn);

#endif
