/*
 * base_mark - labels the samples of a base profile, so that a diff can tell
 * them from the others.
 */
#ifndef CP_BASE_MARK_H
#define CP_BASE_MARK_H

#include "base/error.h"

struct cp_profile;

/* Adds the label "pprof::base" = "true" to every sample. */
enum cp_status cp_base_mark(struct cp_profile *p, struct cp_error *err);

#endif
