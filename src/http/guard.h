/*
 * guard - rejects requests that web pages of other sites cause.
 *
 * A server on loopback trusts the users of the machine, but their browsers also
 * run scripts of other sites. Two attacks are rejected:
 *
 * - DNS rebinding: evil.example resolves to 127.0.0.1, and the browser sends
 *   Host: evil.example. Only numeric addresses, localhost and names under
 *   .localhost are allowed. A name without a dot or under .local is not: any
 *   machine of the network may answer for it (LLMNR, mDNS). Clients that are
 *   not browsers (curl, go tool pprof, scrapers) may send any Host.
 * - Cross-site requests: the browser sends Sec-Fetch-Site: cross-site.
 * Following a link (Sec-Fetch-Mode: navigate) is allowed.
 *
 * Context: the thread of the server. Locking: none. Failure: false.
 */
#ifndef CP_HTTP_GUARD_H
#define CP_HTTP_GUARD_H

#include <stdbool.h>

struct cp_http_request;

/* Whether a server on loopback may answer the request. */
bool cp_http_guard_allows(const struct cp_http_request *r);

#endif
