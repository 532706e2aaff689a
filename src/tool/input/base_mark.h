/* base_mark - tells the samples of a base from the others. */
#ifndef CP_BASE_MARK_H
#define CP_BASE_MARK_H

#include "base/error.h"

struct cp_profile;

/* Gives every sample the label "pprof::base": "true". */
enum cp_status cp_base_mark(struct cp_profile *p, struct cp_error *err);

#endif
