/* tree - writes each node with its callers and callees. */
#ifndef CP_TREE_H
#define CP_TREE_H

#include <stdbool.h>

#include "base/error.h"

struct cp_out;
struct cp_report;
struct cp_trimmed;

/*
 * Writes tree as JSON or as CSV (structured.c); keep is by index in the order.
 */
enum cp_status cp_write_tree_json(struct cp_report *r, struct cp_trimmed *t,
                                  const bool *keep, struct cp_out *out,
                                  struct cp_error *err);
enum cp_status cp_write_tree_csv(struct cp_report *r, struct cp_trimmed *t,
                                 const bool *keep, struct cp_out *out,
                                 struct cp_error *err);

#endif
