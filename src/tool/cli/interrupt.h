/*
 * interrupt - Ctrl-C as something to ask about instead of the end.
 *
 * While it is caught, SIGINT only leaves a note. Waiting in poll() ends at
 * once where the descriptor is among those waited for. Catching may be
 * nested (the prompt, and a fetch within it); one thread does it.
 */
#ifndef CP_INTERRUPT_H
#define CP_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT is noted, until the matching release. */
void cp_interrupt_catch(void);
void cp_interrupt_release(void);

bool cp_interrupt_is_caught(void);

/* Whether there was one since it was last forgotten. */
bool cp_interrupt_seen(void);
void cp_interrupt_forget(void);

/* Becomes readable with a note; -1 if none could be had. */
int cp_interrupt_fd(void);

#endif
