/*
 * peer - finds the user of the process at the other end of a connection.
 *
 * A unix socket has SO_PEERCRED. For a TCP connection on this machine,
 * /proc/net/tcp has a line for the other end with its user.
 *
 * Context: the thread of the server; allocates nothing.
 * Locking: none.
 * Failure: false; the user is unknown.
 */
#ifndef CP_HTTP_PEER_H
#define CP_HTTP_PEER_H

#include <stdbool.h>
#include <sys/types.h>

bool cp_http_peer_user(int fd, uid_t *out);

#endif
