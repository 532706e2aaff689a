/*
 * peer - which user is at the other end of a connection of this machine.
 *
 * The kernel says it of a unix socket (SO_PEERCRED). Of a TCP connection over
 * loopback it is in /proc/net/tcp, where the other end has a line as well.
 *
 * Context: the server's thread; allocates nothing. Locking: none.
 * Failure: false, the user is not known.
 */
#ifndef CP_HTTP_PEER_H
#define CP_HTTP_PEER_H

#include <stdbool.h>
#include <sys/types.h>

bool cp_http_peer_user(int fd, uid_t *out);

#endif
