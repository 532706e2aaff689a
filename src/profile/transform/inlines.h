/* inlines - forgets what was inlined. */
#ifndef CP_INLINES_H
#define CP_INLINES_H

#include <stdbool.h>

struct cp_profile;

/* Leaves each location its outermost line; without columns, too, if asked. */
void cp_inlines_drop(struct cp_profile *p, bool keep_columns);

#endif
