/*
 * dot_text - text from a profile inside the quoted strings of Graphviz's
 * language.
 *
 * A quoted string ends at a quote that no backslash precedes. Text that ends
 * its string early adds attributes of its own to the node, such as a
 * javascript: URL. A NUL makes some versions of Graphviz skip the rest of the
 * line, closing quote included. No function here lets that happen.
 */
#ifndef CP_DOT_TEXT_H
#define CP_DOT_TEXT_H

#include <stdbool.h>

#include "base/strtab.h"

struct cp_out;

/* Quotes and backslashes get a backslash, line breaks become \l. */
void cp_dot_escape(struct cp_out *out, struct cp_str text);

/*
 * Text that the reference prints as it is: file names and units. Written as it
 * is unless it would leave its string, or is_drawn is set; then escaped.
 */
void cp_dot_raw(struct cp_out *out, struct cp_str text, bool is_drawn);

/* The same for joined label texts, between which \n is a line break. */
void cp_dot_labels(struct cp_out *out, struct cp_str text, bool is_drawn);

#endif
