/*
 * own_fds - gives the endpoint thread a separate descriptor table.
 *
 * The program may close or reuse any descriptor of its own table, and must not
 * see the library's.
 *
 * Context: the endpoint thread. Locking: none.
 * Failure: false; the thread then uses the program's table.
 */
#ifndef CP_OWN_FDS_H
#define CP_OWN_FDS_H

#include <stdbool.h>

/*
 * Unshares the descriptor table of the calling thread and closes all
 * descriptors except `socket` and `lease`. A lease of 0 means none.
 */
bool cp_own_fds_unshare(int socket, int lease);

/* Whether n more descriptors can be opened; fd is any open one. */
bool cp_own_fds_can_open(int fd, int n);

#endif
