/*
 * listener - the listening server of a page, and the check of its clients.
 * Shared by the pages of profiles and traces.
 */
#ifndef CP_WEB_LISTENER_H
#define CP_WEB_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

#include "http/address.h"
#include "http/server.h"

struct cp_http_exchange;
struct cp_http_server;

#define CP_WEB_URL_BYTES (CP_HTTP_ADDRESS_BYTES + 16)

/* A server and its address. Initialize with { 0 }. */
struct cp_web_listener {
    struct cp_http_server *server;
    struct cp_http_address address;
    char url[CP_WEB_URL_BYTES]; /* "http://localhost:18090" */
};

/* Parameters of the server. */
struct cp_web_service {
    const char *host_port; /* host and port may be empty: ":" */
    size_t output_bytes;   /* limit of buffered replies */
    cp_http_handler *handler;
    void *context;
};

/* Starts to listen. Call cp_web_listener_close even after a failure. */
enum cp_status cp_web_listener_open(struct cp_web_listener *p,
                                    const struct cp_web_service *service,
                                    struct cp_error *err);
void cp_web_listener_close(struct cp_web_listener *p);

/*
 * Whether the request comes from this page and not from a different site
 * (http/guard.h). If it returns false, the error response is already sent.
 */
bool cp_web_listener_allows(const struct cp_web_listener *p,
                            struct cp_http_exchange *x);

#endif
