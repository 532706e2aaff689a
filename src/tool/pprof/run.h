/* run - makes one report on one profile and writes it to the destination. */
#ifndef CP_RUN_H
#define CP_RUN_H

#include "base/error.h"
#include "base/warn.h"

struct cp_command;
struct cp_profile;

/* Writes the report. Modifies the profile; pass a copy to keep it. */
enum cp_status cp_run_report(const struct cp_command *c, struct cp_profile *p,
                             cp_warn warn, void *context, struct cp_error *err);

#endif
