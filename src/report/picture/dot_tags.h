/* dot_tags - draws the tags (nodelets) of a node as small boxes. */
#ifndef CP_DOT_TAGS_H
#define CP_DOT_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct cp_out;
struct cp_report;
struct cp_trimmed;

/*
 * Writes the nodelets of a node with this number; reports whether it wrote any.
 */
enum cp_status cp_dot_tags(const struct cp_report *r,
                           const struct cp_trimmed *t, uint32_t node,
                           uint32_t number, struct cp_out *out, bool *any,
                           struct cp_error *err);

#endif
