/* shell_greet - prints the heading of the profile that the prompt opens. */
#ifndef CP_SHELL_GREET_H
#define CP_SHELL_GREET_H

struct cp_command;
struct cp_profile;

/*
 * Prints the heading of the profile on standard error. `before` is the profile
 * before a reload, or NULL; the heading then includes the differences.
 */
void cp_shell_greet(const struct cp_command *c, const struct cp_profile *p,
                    const struct cp_profile *before);

#endif
