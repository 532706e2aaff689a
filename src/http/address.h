/*
 * address - parses listen addresses, and binds sockets to them.
 *
 *   6060, :6060     the loopback interface, that port
 *   localhost:6060  the same; port 0 means any free port
 *   *:6060          every interface
 *   10.0.0.5:6060   that interface; a name is searched in /etc/hosts
 *   [::1]:6060      that interface, IPv6
 *   unix:/run/x.{pid}.sock   a socket in the file system
 *
 * DNS is not used: the resolver loads modules and opens sockets, which a
 * library must not do inside a profiled program.
 *
 * Context: any thread. Locking: none.
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

#define CP_HTTP_ADDRESS_BYTES 160 /* bytes of the longest formatted address */

/* Parses the forms above. Returns CP_EUSAGE for anything else. */
enum cp_status cp_http_address_parse(struct cp_http_address *out,
                                     const char *text, struct cp_error *err);

/* Formats the address: "127.0.0.1:6060", "[::1]:6060" or "unix:/path". */
void cp_http_address_text(const struct cp_http_address *a,
                          char out[CP_HTTP_ADDRESS_BYTES]);

/*
 * Binds a socket and listens. Sets the actual port in *a. A socket file without
 * a listener is replaced; a new one has mode 0600. On CP_EIO, err names the
 * address and the reason.
 */
enum cp_status cp_http_address_listen(struct cp_http_address *a, int *out_fd,
                                      struct cp_error *err);

#endif
