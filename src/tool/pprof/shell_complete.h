/* shell_complete - completions for Tab at the prompt. */
#ifndef CP_SHELL_COMPLETE_H
#define CP_SHELL_COMPLETE_H

#include <stdbool.h>

struct cp_candidates;
struct cp_profile;

/*
 * Offers commands and options for the first word and after "help", values after
 * "option=", and otherwise function names, escaped to match literally as
 * regular expressions. cp_prompt_complete defines the result.
 */
bool cp_shell_complete(const struct cp_profile *p, const char *before,
                       const char *begin, struct cp_candidates *c);

#endif
