/*
 * mapping_assign - sorts the mappings of a legacy profile and assigns one to
 * each location.
 *
 * The last step of every legacy reader. Later code treats the first mapping as
 * the main program.
 */
#ifndef CP_MAPPING_ASSIGN_H
#define CP_MAPPING_ASSIGN_H

#include "base/error.h"

struct cp_builder;

/*
 * Expects the mappings in the order of the memory map, and no location with a
 * mapping.
 */
enum cp_status cp_mapping_assign(struct cp_builder *b, struct cp_error *err);

#endif
