/* jeprof_flags - the options that jeprof has and pprof has not. */
#ifndef CP_JEPROF_FLAGS_H
#define CP_JEPROF_FLAGS_H

#include <stddef.h>

struct cp_flag;
struct cp_out;

/* What jeprof's --maxdegree is if it is not given. */
#define CP_JEPROF_DEGREE 8

/* The i-th flag of jeprof's own; NULL behind the last. */
const struct cp_flag *cp_jeprof_flag_at(size_t i);

/*
 * The flag that jeprof takes by this name: one of its own, one of pprof's, or
 * the only one of both that begins so. NULL if there is none.
 */
const struct cp_flag *cp_jeprof_flag_find(const char *name, size_t len);

/* Writes jeprof's help text. */
void cp_jeprof_help(struct cp_out *out);

#endif
