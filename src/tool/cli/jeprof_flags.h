/* jeprof_flags - the options of jeprof that pprof lacks. */
#ifndef CP_JEPROF_FLAGS_H
#define CP_JEPROF_FLAGS_H

#include <stddef.h>

struct cp_flag;
struct cp_out;

/* Default of jeprof's --maxdegree. */
#define CP_JEPROF_DEGREE 8

/* Returns the i-th flag that only jeprof has; NULL past the end. */
const struct cp_flag *cp_jeprof_flag_at(size_t i);

/*
 * Returns the flag that jeprof means by this name: one of its own, one of
 * pprof's, or the only flag with this prefix. NULL if the name is unknown or
 * ambiguous.
 */
const struct cp_flag *cp_jeprof_flag_find(const char *name, size_t len);

/* Writes jeprof's help text. */
void cp_jeprof_help(struct cp_out *out);

#endif
