/* legend - the heading lines of a report. */
#ifndef CP_LEGEND_H
#define CP_LEGEND_H

#include <stdbool.h>

struct cp_out;
struct cp_report;
struct cp_trimmed;

/* Writes the profile's file, build id, comments, type, time and duration. */
void cp_legend_profile(const struct cp_report *r, struct cp_out *out);

/*
 * Writes the whole heading of a graph report: the profile (unless compact), the
 * active filters, the shown and the dropped nodes. A picture (is_full) also
 * reports dropped edges.
 */
void cp_legend_graph(const struct cp_report *r, const struct cp_trimmed *t,
                     bool is_full, struct cp_out *out);

#endif
