/* order - sorts the nodes of a report. */
#ifndef CP_ORDER_H
#define CP_ORDER_H

#include "base/error.h"

struct cp_graph;

enum cp_order {
    CP_ORDER_FLAT,    /* |flat|, name, |cum| */
    CP_ORDER_CUM,     /* |cum|, name, |flat| */
    CP_ORDER_ENTROPY, /* importance in a picture (order.c) */
};

/* Sorts g->order. */
enum cp_status cp_graph_sort(struct cp_graph *g, enum cp_order order,
                             struct cp_error *err);

#endif
