/* filters - applies the filters of a report in google/pprof's order. */
#ifndef CP_FILTERS_H
#define CP_FILTERS_H

#include "base/error.h"

struct cp_report;

/*
 * Applies focus, ignore, hide, show, show_from, tagfocus, tagignore, tagshow,
 * taghide and prune_from. Warns about each one that matched no sample.
 */
enum cp_status cp_report_filter(struct cp_report *r, struct cp_error *err);

#endif
