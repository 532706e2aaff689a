/*
 * address_transfer - passes the listening socket to a descendant.
 *
 * `PPROFLISTEN=:6060 timeout 60 ./server` loads the library into both
 * processes, and timeout binds the address first. The user wants the profiles
 * of the server. So each endpoint (the owner) accepts connections on an
 * abstract unix socket that is named after its process. A process that finds
 * its address in use (the future holder) connects to the sockets of its
 * ancestors.
 *
 * The owner sends its listening socket (SCM_RIGHTS) if the kernel says
 * (SO_PEERCRED) that the peer has its user and descends from it, and if the
 * owner itself only waits: one thread, in a call that waits for children or
 * signals. The holder checks the owner in the same way. The owner keeps its own
 * descriptor of the socket, so no other process can bind the address. It stops
 * accepting until the connection, the lease, is closed: the holder has ended,
 * has called exec, or has closed its endpoint.
 *
 * Context: owner: the endpoint thread; holder: a different thread of the
 * library.
 * Locking: none.
 * Ordering: none; all state is in the kernel.
 * Failure: -1 or false; the address stays with the owner.
 */
#ifndef CP_ADDRESS_TRANSFER_H
#define CP_ADDRESS_TRANSFER_H

#include <stdbool.h>

/* Owner: the socket that holders connect to; -1 if there is none. */
int cp_address_transfer_open(void);

/* Owner: the next connection of a descendant of the same user, or -1. */
int cp_address_transfer_accept(int fd);

/* Owner: whether this process only waits for children or signals. */
bool cp_address_transfer_is_idle(void);

/* Owner: sends a copy of the listening socket. */
bool cp_address_transfer_send(int lease, int listen_fd);

/* Owner: whether the holder still keeps the lease. */
bool cp_address_transfer_is_leased(int lease);

/* Holder: two descriptors, close-on-exec. The caller owns both. */
struct cp_address_transfer {
    int listen_fd, lease_fd;
};

/* Holder: asks each ancestor, the parent first. */
bool cp_address_transfer_request(struct cp_address_transfer *out);

/* Whether the parent process was started with the same PPROFLISTEN. */
bool cp_address_transfer_is_inherited(const char *listen);

#endif
