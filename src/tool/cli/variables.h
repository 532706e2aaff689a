/*
 * variables - the options as variables of the prompt: set and list them by
 * name.
 *
 * The variables are the command-line options (flags.h) that hold a value, and
 * the groups "sort" and "granularity".
 */
#ifndef CP_VARIABLES_H
#define CP_VARIABLES_H

#include <stdbool.h>

#include "base/error.h"

struct cp_command;
struct cp_out;
struct cp_profile;

/* Whether name is a variable, or a member of a group. */
bool cp_variable_exists(const char *name);

/* Whether the name alone sets it: a switch or a member of a group. */
bool cp_variable_is_switch(const char *name);

/*
 * Sets a variable. The command borrows value, which must outlive it; value is
 * NULL for the bare name of a switch. p supplies the sample types.
 */
enum cp_status cp_variable_set(struct cp_command *c, const struct cp_profile *p,
                               const char *name, const char *value,
                               struct cp_error *err);

/* Writes all variables and their values, one on each line. */
void cp_variable_list(const struct cp_command *c, const struct cp_profile *p,
                      struct cp_out *out);

#endif
