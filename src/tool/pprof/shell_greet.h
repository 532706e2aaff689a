/* shell_greet - what the prompt says about a profile that it opens. */
#ifndef CP_SHELL_GREET_H
#define CP_SHELL_GREET_H

struct cp_command;
struct cp_profile;

/*
 * Prints the heading of the profile on standard error; after `before`, which
 * may be NULL, also what is different.
 */
void cp_shell_greet(const struct cp_command *c, const struct cp_profile *p,
                    const struct cp_profile *before);

#endif
