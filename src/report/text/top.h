/* top - the table of functions: its columns and its output styles. */
#ifndef CP_TOP_H
#define CP_TOP_H

#include <stdint.h>

#include "base/error.h"

struct cp_graph;
struct cp_node;
struct cp_out;
struct cp_report;
struct cp_trimmed;

/* Writes flat, its share, the running share, cum and its share. */
void cp_top_columns(const struct cp_report *r, const struct cp_node *n,
                    int64_t *sum, struct cp_out *out);

/*
 * Returns " (inline)", " (partial-inline)" or "", according to the shown calls.
 */
const char *cp_top_inline_mark(const struct cp_graph *g, uint32_t node);

/* Writes top as JSON or as CSV (structured.c). */
enum cp_status cp_write_top_json(struct cp_report *r, struct cp_trimmed *t,
                                 struct cp_out *out, struct cp_error *err);
enum cp_status cp_write_top_csv(struct cp_report *r, struct cp_trimmed *t,
                                struct cp_out *out, struct cp_error *err);

/* Writes top in jeprof's layout (top_jeprof.c). */
enum cp_status cp_write_top_jeprof(struct cp_report *r, struct cp_trimmed *t,
                                   struct cp_out *out, struct cp_error *err);

#endif
