/*
 * live_term - the terminal while `cpprof top` has it.
 *
 * One screen, drawn as a whole; keys come one at a time. However the program
 * ends, the terminal is as it was before.
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

/* In a child, which leaves the terminal alone. */
void cp_live_term_forget(void);

/* Two lines of head, and as much of the text as there is room for. */
void cp_live_term_draw(const struct cp_live_head *head, const char *text);

int cp_live_term_rows(void);

/* The next key; 4 at the end of input. */
int cp_live_term_key(void);

/* Did a signal ask for the end? */
bool cp_live_term_is_ended(void);

#endif
