/*
 * mapping_assign - puts the mappings of a legacy profile in order and gives
 * each location its own.
 *
 * The last step of every legacy reader. Later code takes the first mapping
 * for the main program, so it is looked for and put there.
 */
#ifndef CP_MAPPING_ASSIGN_H
#define CP_MAPPING_ASSIGN_H

#include "base/error.h"

struct cp_builder;

/* The profile's mappings are as a memory map lists them; none is in use. */
enum cp_status cp_mapping_assign(struct cp_builder *b, struct cp_error *err);

#endif
