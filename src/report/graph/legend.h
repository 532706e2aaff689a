/* legend - the lines at the head of a report. */
#ifndef CP_LEGEND_H
#define CP_LEGEND_H

#include <stdbool.h>

struct cp_out;
struct cp_report;
struct cp_trimmed;

/* What the profile is: file, build id, comments, type, time, duration. */
void cp_legend_profile(const struct cp_report *r, struct cp_out *out);

/*
 * The whole head of a graph report: the profile (unless compact), active
 * filters, what is shown and what was dropped. A picture (is_full) also names
 * dropped edges.
 */
void cp_legend_graph(const struct cp_report *r, const struct cp_trimmed *t,
                     bool is_full, struct cp_out *out);

#endif
