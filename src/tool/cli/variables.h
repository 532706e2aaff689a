/*
 * variables - the options as the prompt sees them: names to set and show.
 *
 * They are the options of the command line (flags.h) that have a value of
 * their own, and the groups "sort" and "granularity".
 */
#ifndef CP_VARIABLES_H
#define CP_VARIABLES_H

#include <stdbool.h>

#include "base/error.h"

struct cp_command;
struct cp_out;
struct cp_profile;

/* Whether that is the name of a variable or of a choice of one. */
bool cp_variable_exists(const char *name);

/* Whether it may be set by its name alone: a switch or a choice. */
bool cp_variable_is_switch(const char *name);

/*
 * Sets a variable: value is text that outlives the command, or NULL for the
 * bare name of a switch. The profile tells which sample types there are.
 */
enum cp_status cp_variable_set(struct cp_command *c, const struct cp_profile *p,
                               const char *name, const char *value,
                               struct cp_error *err);

/* Writes all variables and their values, a line each. */
void cp_variable_list(const struct cp_command *c, const struct cp_profile *p,
                      struct cp_out *out);

#endif
