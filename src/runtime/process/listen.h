/*
 * listen - starts the endpoint on a thread of its own, and again after a fork.
 *
 * A child cannot have its parent's port. If the address says which process it
 * is of ({pid}, or port 0), a child gets an endpoint of its own once it has
 * lived for a moment: most children call exec at once. With any other address
 * it may get its parent's (address_transfer.h), or one with another port if the
 * settings say that all processes are followed.
 */
#ifndef CP_LISTEN_H
#define CP_LISTEN_H

#include <stdbool.h>

#include "base/error.h"

struct cp_settings;

/* What the endpoints to come are like; the settings are not copied. */
void cp_listen_configure(const struct cp_settings *s);

enum cp_status cp_listen(const char *where, struct cp_error *err);

/* Has cpprof attach started the endpoint that there is? */
bool cp_listen_is_attach_session(void);

/* Where it is; NULL: nowhere. */
const char *cp_listen_address(void);

/*
 * The address was taken, by a process that we descend from: tries again for a
 * while, on a thread of ours.
 */
void cp_listen_later(const char *where);

/*
 * Ends the endpoint and what it serves. What can be given back is: memory,
 * the signal, threads. False: its thread does not end.
 */
bool cp_listen_close(void);

/* In the child of a fork. */
void cp_listen_after_fork(void);

/*
 * Ends the endpoint's thread and its connections, and starts it again at the
 * same address (own_thread.h). Called on a thread of the program.
 */
void cp_listen_pause(void);
void cp_listen_resume(void);

#endif
