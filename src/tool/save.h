/* save - keeps a copy of what was fetched. */
#ifndef CP_SAVE_H
#define CP_SAVE_H

#include "profile/profile.h"
#include "tool/run.h"

/*
 * Writes the profile to pprof.BINARY.TYPES.NNN.pb.gz in $PPROF_TMPDIR,
 * ~/pprof or the system's temporary folder, the first that can be used, and
 * tells where. What goes wrong is told too, and is no failure.
 */
void cp_save_profile(const struct cp_profile *p, cp_warn warn, void *context);

#endif
