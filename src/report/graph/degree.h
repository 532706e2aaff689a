/* degree - keeps the nodes of a picture from drowning in edges. */
#ifndef CP_DEGREE_H
#define CP_DEGREE_H

#include <stdint.h>

#include "base/error.h"

struct cp_graph;

/*
 * Marks edges dead so that about `most` enter and leave a node: the heaviest
 * stay. The heaviest edge into a node always stays, so that each has a
 * caller; a node with many callees may therefore keep more.
 */
enum cp_status cp_degree_limit(struct cp_graph *g, uint32_t most,
                               struct cp_error *err);

#endif
