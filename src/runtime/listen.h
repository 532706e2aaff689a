/*
 * listen - starts the endpoint on a thread of its own, and again after a fork.
 *
 * A child cannot have its parent's port. If the address says which process it
 * is of ({pid}, or port 0), a child gets an endpoint of its own once it has
 * lived for a moment: most children call exec at once.
 */
#ifndef CP_LISTEN_H
#define CP_LISTEN_H

#include "base/error.h"

enum cp_status cp_listen(const char *where, struct cp_error *err);

/* From now on nothing is said of where it is. */
void cp_listen_set_quiet(void);

/* Where it is; NULL: nowhere. */
const char *cp_listen_address(void);

/* In the child of a fork. */
void cp_listen_after_fork(void);

#endif
