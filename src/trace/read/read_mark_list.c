/* read_mark_list.c - groups marks by lane and matches the ends of regions. */
#include "trace/read/read_mark_list.h"

#include <fcntl.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "trace/read/read_spans.h"

#define MAX_OPEN 64 /* nested regions */

/*
 * Returns the index of a lane in `first`; the program's marks follow all lanes.
 */
static size_t slot_of(const struct cp_trace_mark_list *l, uint32_t lane)
{
    return lane < l->n_lanes ? lane : l->n_lanes;
}

/*
 * Closes the innermost open region of that name, or of any name if it has none.
 */
static void close_region(struct cp_trace_mark *marks, size_t *open,
                         size_t *n_open, const struct cp_trace_mark *end)
{
    size_t i = *n_open;

    while (i > 0 && end->name && marks[open[i - 1]].name != end->name)
        i--;
    if (i == 0)
        return;
    marks[open[i - 1]].value = end->time_ns;
    memmove(open + i - 1, open + i, (*n_open - i) * sizeof(*open));
    --*n_open;
}

/* Sets the ends of the regions of a lane; open regions have none. */
static void join_regions(struct cp_trace_mark *marks, size_t n)
{
    size_t open[MAX_OPEN], n_open = 0;

    for (size_t i = 0; i < n; i++) {
        struct cp_trace_mark *m = &marks[i];

        if (m->kind == CP_TRACE_MARK_REGION_END) {
            close_region(marks, open, &n_open, m);
        } else if (m->kind == CP_TRACE_MARK_REGION_BEGIN && n_open < MAX_OPEN) {
            m->kind = CP_TRACE_MARK_REGION;
            m->value = UINT64_MAX;
            open[n_open++] = i;
        }
    }
}

/* Groups the marks, sorted by time, by lane and fills `first`. */
static void group(struct cp_trace_mark_list *l, struct cp_trace_mark *sorted)
{
    size_t sum = 0;

    for (size_t i = 0; i < l->n; i++)
        l->first[slot_of(l, l->items[i].lane)]++;
    for (size_t i = 0; i <= l->n_lanes + 1; i++) {
        size_t n = l->first[i];

        l->first[i] = sum;
        sum += n;
    }
    for (size_t i = 0; i < l->n; i++)
        sorted[l->first[slot_of(l, l->items[i].lane)]++] = l->items[i];
    for (size_t i = l->n_lanes + 1; i > 0; i--)
        l->first[i] = l->first[i - 1];
    l->first[0] = 0;
}

enum cp_status cp_trace_mark_list_sort(struct cp_trace_mark_list *l,
                                       size_t n_lanes, struct cp_error *err)
{
    struct cp_trace_mark *sorted = cp_alloc(l->n, sizeof(*sorted), err);
    enum cp_status status = CP_ENOMEM;

    l->n_lanes = n_lanes;
    l->first = cp_alloc(n_lanes + 2, sizeof(*l->first), err);
    if (sorted && l->first)
        status = cp_sort_structs(l->items, l->n, sizeof(*l->items),
                                 offsetof(struct cp_trace_mark, time_ns), err);
    if (status != CP_OK) {
        cp_free(sorted);
        return status;
    }
    group(l, sorted);
    cp_free(l->items);
    l->items = sorted;
    l->cap = l->n;
    for (size_t i = 0; i <= n_lanes; i++)
        join_regions(l->items + l->first[i], l->first[i + 1] - l->first[i]);
    return CP_OK;
}

enum cp_status cp_trace_mark_list_add(struct cp_trace_mark_list *l,
                                      const struct cp_trace_mark *m,
                                      struct cp_error *err)
{
    if (cp_reserve(&l->items, &l->cap, l->n + 1, sizeof(*l->items), err) !=
        CP_OK)
        return CP_ENOMEM;
    l->items[l->n++] = *m;
    return CP_OK;
}

const struct cp_trace_mark *
cp_trace_mark_list_of(const struct cp_trace_mark_list *l, uint32_t lane,
                      size_t *n)
{
    size_t i = slot_of(l, lane);

    *n = l->first[i + 1] - l->first[i];
    return l->items + l->first[i];
}

void cp_trace_mark_list_release(struct cp_trace_mark_list *l)
{
    cp_free(l->items);
    cp_free(l->first);
    *l = (struct cp_trace_mark_list){ 0 };
}
