/*
 * place - where a page of ours is served, and to whom: what the pages of
 * profiles and of traces have in common.
 */
#ifndef CP_WEB_PLACE_H
#define CP_WEB_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "http/address.h"
#include "http/server.h"

struct cp_http_exchange;
struct cp_http_server;

#define CP_WEB_URL_BYTES (CP_HTTP_ADDRESS_BYTES + 16)

/* A server and its address; starts as { 0 }. */
struct cp_web_place {
    struct cp_http_server *server;
    struct cp_http_address address;
    char url[CP_WEB_URL_BYTES]; /* "http://localhost:18090" */
};

/* What is to be served. */
struct cp_web_service {
    const char *host_port; /* either part may be missing: ":" */
    size_t output_bytes;   /* answers that wait for readers */
    cp_http_handler *handler;
    void *context;
};

/* Listens. On failure too it ends with cp_web_place_close. */
enum cp_status cp_web_place_open(struct cp_web_place *p,
                                 const struct cp_web_service *service,
                                 struct cp_error *err);
void cp_web_place_close(struct cp_web_place *p);

/*
 * Whether no other site is behind the request (see http/guard.h). If not, it
 * has been answered.
 */
bool cp_web_place_allows(const struct cp_web_place *p,
                         struct cp_http_exchange *x);

#endif
