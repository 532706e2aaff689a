/*
 * address - where to listen, as a user writes it.
 *
 *   6060, :6060     the loopback interface, that port
 *   localhost:6060  the same; port 0 means any free one
 *   *:6060          every interface
 *   10.0.0.5:6060   that interface; a name is looked for in /etc/hosts
 *   [::1]:6060      that interface, IPv6
 *   unix:/run/x.{pid}.sock   a socket in the file system
 *
 * Names are not asked of DNS: the resolver loads modules and opens sockets,
 * which is not for a library that lives in somebody else's process.
 */
#ifndef CP_HTTP_ADDRESS_H
#define CP_HTTP_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/error.h"

struct cp_http_address {
    struct sockaddr_storage socket;
    socklen_t len;
    bool is_loopback; /* only this machine can reach it */
};

#define CP_HTTP_ADDRESS_BYTES 160 /* room for any address as text */

/* Reads the forms above. CP_EUSAGE with the text in *err. */
enum cp_status cp_http_address_parse(struct cp_http_address *out,
                                     const char *text, struct cp_error *err);

/* "127.0.0.1:6060", "[::1]:6060" or "unix:/path". */
void cp_http_address_text(const struct cp_http_address *a,
                          char out[CP_HTTP_ADDRESS_BYTES]);

/*
 * Opens, binds and listens. *a then has the port that was given out. A socket
 * file that nobody listens on any more is replaced; a new one is for its
 * owner only. CP_EIO when it cannot be.
 */
enum cp_status cp_http_address_listen(struct cp_http_address *a, int *out_fd,
                                      struct cp_error *err);

#endif
