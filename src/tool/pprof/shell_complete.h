/* shell_complete - what Tab offers at the prompt. */
#ifndef CP_SHELL_COMPLETE_H
#define CP_SHELL_COMPLETE_H

#include <stdbool.h>

struct cp_candidates;
struct cp_profile;

/*
 * Commands and options for the first word of a line and after "help", values
 * after "option=", else names of functions, written so that as regular
 * expressions they match themselves. For the result see cp_prompt_complete.
 */
bool cp_shell_complete(const struct cp_profile *p, const char *before,
                       const char *begin, struct cp_candidates *c);

#endif
