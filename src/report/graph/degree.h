/* degree - limits the number of edges at each node of a picture. */
#ifndef CP_DEGREE_H
#define CP_DEGREE_H

#include <stdint.h>

#include "base/error.h"

struct cp_graph;

/*
 * Marks edges dead so that about max_degree enter and leave each node; the
 * heaviest stay. The heaviest edge into a node always stays, so that each node
 * has a caller. A node with many callees may therefore keep more.
 */
enum cp_status cp_degree_limit(struct cp_graph *g, uint32_t max_degree,
                               struct cp_error *err);

#endif
