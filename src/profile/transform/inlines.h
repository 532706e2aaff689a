/* inlines - removes inlined calls from a profile. */
#ifndef CP_INLINES_H
#define CP_INLINES_H

#include <stdbool.h>

struct cp_profile;

/*
 * Keeps only the outermost line of each location; clears columns unless
 * keep_columns.
 */
void cp_inlines_drop(struct cp_profile *p, bool keep_columns);

#endif
