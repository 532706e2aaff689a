/*
 * guard - keeps other people's web pages away from a local server.
 *
 * A server on the loopback interface trusts whoever is on the machine, but a
 * browser there also runs scripts of strangers. Two ways in are closed:
 *
 * - A page of evil.example whose name was made to point at 127.0.0.1 (DNS
 *   rebinding): a browser that says Host: evil.example is refused. Only
 *   addresses, localhost and names under .localhost pass: a name without a
 *   dot, or under .local, is answered by any machine of the network (LLMNR,
 *   mDNS). Every client that is no browser passes, whatever its Host: curl,
 *   go tool pprof, scrapers.
 * - A page that makes the browser load from localhost behind the scenes:
 *   refused when the browser says so (Sec-Fetch-Site: cross-site); following
 *   a link is fine.
 */
#ifndef CP_HTTP_GUARD_H
#define CP_HTTP_GUARD_H

#include <stdbool.h>

struct cp_http_request;

/* Whether a server that only this machine can reach should answer. */
bool cp_http_guard_allows(const struct cp_http_request *r);

#endif
