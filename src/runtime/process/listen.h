/*
 * listen - starts, pauses and closes the endpoint, and restarts it after
 * fork().
 *
 * A child cannot bind the port of its parent. If the address differs per
 * process ({pid} or port 0), the child starts its own endpoint after 100 ms,
 * because most children call exec at once. With any other address it may lease
 * the address of its parent (address_transfer.h), or use a different port if
 * the settings follow all processes.
 *
 * Context: threads of the program and of the library.
 * Locking: one lock, held during each call.
 * Failure: err, or silence where a retry on a thread fails.
 */
#ifndef CP_LISTEN_H
#define CP_LISTEN_H

#include <stdbool.h>

#include "base/error.h"

struct cp_settings;

/* Sets the settings of future endpoints; they are not copied. */
void cp_listen_configure(const struct cp_settings *s);

enum cp_status cp_listen(const char *where, struct cp_error *err);

/* Whether cpprof attach has started the current endpoint. */
bool cp_listen_is_attach_session(void);

/* Returns the address of the endpoint, or NULL if there is none. */
const char *cp_listen_address(void);

/*
 * Retries on a thread of the library, after an ancestor was found to use the
 * address.
 */
void cp_listen_later(const char *where);

/*
 * Ends the endpoint, its threads and its use of the signal, and frees memory.
 * Returns false if the thread did not end in 5 s.
 */
bool cp_listen_close(void);

/* In the child of a fork; starts threads (fork_handlers.c). */
void cp_listen_after_fork(void);

/*
 * Used by pause.h: ends the endpoint thread and its connections, and later
 * starts a new one at the same address. Called on a thread of the program.
 */
void cp_listen_pause(void);
void cp_listen_resume(void);

#endif
