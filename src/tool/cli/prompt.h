/*
 * prompt - reads lines from a terminal or from a script.
 *
 * On a terminal it uses libedit: editing, completion, and a history that is
 * kept between runs. Ctrl-C discards the line; a resized window is redrawn.
 * Other input is read line by line, without a prompt.
 */
#ifndef CP_PROMPT_H
#define CP_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

struct cp_error;

struct cp_prompt;

/* Completions of the word before the cursor. */
struct cp_candidates;

/*
 * Adds completions with cp_candidates_add, in any order. `before` is the line
 * up to the word, `begin` the typed part of the word. Returns true if all
 * completions extend `begin`, false if they replace it.
 */
typedef bool (*cp_prompt_complete)(void *shell, const char *before,
                                   const char *begin, struct cp_candidates *c);

void cp_candidates_add(struct cp_candidates *c, const char *text);

struct cp_prompt *cp_prompt_new(cp_prompt_complete complete, void *shell,
                                struct cp_error *err);

/*
 * Returns the next line without its newline, borrowed until the next call; NULL
 * at the end of input. A line that Ctrl-C discarded is empty.
 */
const char *cp_prompt_line(struct cp_prompt *p);

/* Frees the prompt. If a terminating signal ended it, raises that signal. */
void cp_prompt_free(struct cp_prompt *p);

#endif
