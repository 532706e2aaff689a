/*
 * own_fds - the descriptors of the endpoint thread.
 *
 * Context: the endpoint thread. Locking: none.
 * Failure: false; the thread goes on with the descriptors of the program.
 */
#ifndef CP_OWN_FDS_H
#define CP_OWN_FDS_H

#include <stdbool.h>

/*
 * Gives this thread a descriptor table of its own, which has only these two
 * (one: lease is 0). False: the kernel cannot.
 */
bool cp_own_fds_unshare(int socket, int lease);

/* Can n more descriptors be opened? fd is any open one. */
bool cp_own_fds_can_open(int fd, int n);

#endif
