/* run - one report on one profile, to where the command says. */
#ifndef CP_RUN_H
#define CP_RUN_H

#include "base/warn.h"
#include "profile/model/profile.h"
#include "tool/cli/command.h"

/* Writes the report. The profile is changed: give a copy to keep it. */
enum cp_status cp_run_report(const struct cp_command *c, struct cp_profile *p,
                             cp_warn warn, void *context, struct cp_error *err);

#endif
