/*
 * live_term - controls the terminal for `cpprof top`.
 *
 * It redraws the whole screen and reads single keys. It restores the terminal's
 * settings however the program ends.
 */
#ifndef CP_LIVE_TERM_H
#define CP_LIVE_TERM_H

#include <stdbool.h>

#include "base/error.h"

struct cp_live_head {
    const char *name, *title, *keys;
};

enum cp_status cp_live_term_open(struct cp_error *err);
void cp_live_term_close(void);

/* In a child process: leaves the terminal's settings alone at exit. */
void cp_live_terminal_release(void);

/* Draws two header lines and as many lines of text as fit. */
void cp_live_term_draw(const struct cp_live_head *head, const char *text);

int cp_live_term_rows(void);

/* Returns the next key; 4 (Ctrl-D) at end of input. */
int cp_live_term_key(void);

/* Whether a terminating signal has arrived. */
bool cp_live_term_is_ended(void);

#endif
