/*
 * read_mark_list - the kept marks of a trace: appended in any order, then
 * sorted by lane and time, with regions joined to their ends.
 */
#ifndef CP_TRACE_READ_MARK_LIST_H
#define CP_TRACE_READ_MARK_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_trace_mark;

struct cp_trace_mark_list {
    struct cp_trace_mark *items;
    size_t n, cap;
    size_t *first; /* indexed by lane: first mark; the program's at the end */
    size_t n_lanes;
};

void cp_trace_mark_list_release(struct cp_trace_mark_list *l);

enum cp_status cp_trace_mark_list_add(struct cp_trace_mark_list *l,
                                      const struct cp_trace_mark *m,
                                      struct cp_error *err);

/* Sorts once, after all marks are added. An open region ends at UINT64_MAX. */
enum cp_status cp_trace_mark_list_sort(struct cp_trace_mark_list *l,
                                       size_t n_lanes, struct cp_error *err);

/*
 * Returns the marks of a lane after sorting; CP_TRACE_NO_LANE selects those of
 * the program.
 */
const struct cp_trace_mark *
cp_trace_mark_list_of(const struct cp_trace_mark_list *l, uint32_t lane,
                      size_t *n);

#endif
