/*
 * prompt - lines from a person, or from a script.
 *
 * On a terminal: editing, history kept between runs, completion by libedit.
 * Otherwise plain lines, and no prompt is shown.
 */
#ifndef CP_PROMPT_H
#define CP_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cp_prompt;

/*
 * Offers completions of the word that begins a line (word 0) or follows
 * (others): calls add(context, text) for each that begins with `begin`.
 */
typedef void (*cp_prompt_complete)(void *shell, int word, const char *begin,
                                   void (*add)(void *context, const char *text),
                                   void *context);

struct cp_prompt *cp_prompt_new(cp_prompt_complete complete, void *shell,
                                struct cp_error *err);

/* The next line without its end, borrowed until the next call; NULL at the
 * end. */
const char *cp_prompt_line(struct cp_prompt *p);

void cp_prompt_free(struct cp_prompt *p);

#endif
