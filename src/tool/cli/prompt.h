/*
 * prompt - lines from a person, or from a script.
 *
 * On a terminal: editing, history kept between runs, completion by libedit.
 * Ctrl-C empties the line, a resized window is drawn anew. Otherwise plain
 * lines, and no prompt is shown.
 */
#ifndef CP_PROMPT_H
#define CP_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

struct cp_error;

struct cp_prompt;

/* What may stand in place of the word that is being typed. */
struct cp_candidates;

/*
 * Offers completions with cp_candidates_add, in any order. `before` is the
 * line up to the word, `begin` the word as far as it is typed. True if all of
 * them go on from there, false if they are to replace it.
 */
typedef bool (*cp_prompt_complete)(void *shell, const char *before,
                                   const char *begin, struct cp_candidates *c);

void cp_candidates_add(struct cp_candidates *c, const char *text);

struct cp_prompt *cp_prompt_new(cp_prompt_complete complete, void *shell,
                                struct cp_error *err);

/* The next line without its end, borrowed until the next call; NULL at the
 * end. A line that Ctrl-C took back is empty. */
const char *cp_prompt_line(struct cp_prompt *p);

/* If a signal ended the prompt, it now ends the program. */
void cp_prompt_free(struct cp_prompt *p);

#endif
