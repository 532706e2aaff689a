/* jeprof_raw - jeprof's --raw: a profile that brings its names along. */
#ifndef CP_JEPROF_RAW_H
#define CP_JEPROF_RAW_H

#include "base/error.h"

struct cp_command;
struct cp_profile;

/*
 * Writes the profile in the form of profile/legacy/symbolized.h, for this tool,
 * for jeprof and for the Perl pprof: heap profiles as text, counted in samples
 * as the binary form of gperftools. Several sources become one, and the frames
 * of the allocator are gone.
 */
enum cp_status cp_jeprof_raw(const struct cp_command *c,
                             const struct cp_profile *p, struct cp_error *err);

#endif
