/* shell_report - runs report commands and help at the prompt. */
#ifndef CP_SHELL_REPORT_H
#define CP_SHELL_REPORT_H

#include "base/error.h"

struct cp_arena;
struct cp_command;
struct cp_profile;

/*
 * Runs a line such as "top 20 -cum http -gc > file". A number is a row count, a
 * word a focus, a word after a dash an ignore. Does not change c; allocates
 * strings in the arena.
 */
enum cp_status cp_shell_report(const struct cp_command *c,
                               const struct cp_profile *p, char *line,
                               struct cp_arena *arena, struct cp_error *err);

/* Prints help on a name, or on everything if name is empty. */
enum cp_status cp_shell_help(const char *name, struct cp_error *err);

#endif
