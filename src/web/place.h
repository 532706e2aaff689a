/*
 * place - where a page of ours is served, and to whom: what the pages of
 * profiles and of traces have in common.
 */
#ifndef CP_WEB_PLACE_H
#define CP_WEB_PLACE_H

#include "http/address.h"
#include "http/exchange.h"

#define CP_WEB_URL_BYTES (CP_HTTP_ADDRESS_BYTES + 16)

/* Reads "host:port", of which either may be missing. */
enum cp_status cp_web_place_read(struct cp_http_address *a, const char *text,
                                 struct cp_error *err);

/* "http://localhost:18090", of an address that is listened on. */
void cp_web_place_url(const struct cp_http_address *a,
                      char out[CP_WEB_URL_BYTES]);

/*
 * Whether to answer: no other site is behind it (see http/guard.h), and for
 * the second, it is a GET or HEAD. If not, it has been answered.
 */
bool cp_web_place_is_ours(const struct cp_http_address *a,
                          struct cp_http_exchange *x);
bool cp_web_place_allows(const struct cp_http_address *a,
                         struct cp_http_exchange *x);

#endif
