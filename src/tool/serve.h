/* serve - pprof -http: the web page on a profile, until interrupted. */
#ifndef CP_SERVE_H
#define CP_SERVE_H

#include "profile/profile.h"
#include "tool/command.h"

enum cp_status cp_serve(const struct cp_command *c, const struct cp_profile *p,
                        struct cp_error *err);

#endif
