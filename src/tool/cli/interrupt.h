/*
 * interrupt - turns SIGINT into a flag that the caller polls.
 *
 * While SIGINT is caught, the handler sets the flag and makes a descriptor
 * readable, so that poll() returns at once. Catching nests (a fetch inside the
 * prompt).
 *
 * Context: one thread.
 */
#ifndef CP_INTERRUPT_H
#define CP_INTERRUPT_H

#include <stdbool.h>

/* Catches SIGINT until the matching release. */
void cp_interrupt_catch(void);
void cp_interrupt_release(void);

bool cp_interrupt_is_caught(void);

/* Whether SIGINT arrived since the last clear. */
bool cp_interrupt_seen(void);
void cp_interrupt_clear(void);

/*
 * Returns a descriptor that is readable once SIGINT has arrived; -1 if no
 * eventfd could be created.
 */
int cp_interrupt_fd(void);

#endif
