/* shell - the prompt of pprof: reads and runs commands line by line. */
#ifndef CP_SHELL_H
#define CP_SHELL_H

#include "base/error.h"

struct cp_command;
struct cp_profile;

/* Runs until the end of input or "quit". "reload" replaces *p. */
enum cp_status cp_shell_run(const struct cp_command *c, struct cp_profile **p,
                            struct cp_error *err);

#endif
