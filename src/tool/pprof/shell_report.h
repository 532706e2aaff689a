/* shell_report - report commands and help at the prompt. */
#ifndef CP_SHELL_REPORT_H
#define CP_SHELL_REPORT_H

#include "base/error.h"

struct cp_arena;
struct cp_command;
struct cp_profile;

/*
 * Runs a line such as "top 20 -cum http -gc > file": a number is a row
 * count, a word a focus, a word after a dash an ignore. c is not changed;
 * texts are made in the arena.
 */
enum cp_status cp_shell_report(const struct cp_command *c,
                               const struct cp_profile *p, char *line,
                               struct cp_arena *arena, struct cp_error *err);

/* Prints help on a name, or on everything for an empty one. */
enum cp_status cp_shell_help(const char *name, struct cp_error *err);

#endif
