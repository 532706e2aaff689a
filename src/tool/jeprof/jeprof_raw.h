/* jeprof_raw - jeprof's --raw: writes a profile with its symbols. */
#ifndef CP_JEPROF_RAW_H
#define CP_JEPROF_RAW_H

#include "base/error.h"

struct cp_command;
struct cp_profile;

/*
 * Writes the profile in the format of profile/legacy/symbolized.h, which this
 * tool, jeprof and the Perl pprof read. A heap profile becomes text, a CPU
 * profile gperftools' binary format. Sources are already merged, and allocator
 * frames removed.
 */
enum cp_status cp_jeprof_raw(const struct cp_command *c,
                             const struct cp_profile *p, struct cp_error *err);

#endif
