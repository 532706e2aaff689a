/* filters - the filters of a report, in their order. */
#ifndef CP_FILTERS_H
#define CP_FILTERS_H

#include "base/error.h"

struct cp_report;

/*
 * Applies focus, ignore, hide, show, show_from, tagfocus, tagignore, tagshow,
 * taghide and prune_from, and warns of those that matched nothing.
 */
enum cp_status cp_report_filter(struct cp_report *r, struct cp_error *err);

#endif
