/* guard.c - checks the Host and Sec-Fetch headers of a request. */
#include "http/guard.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "http/request.h"

#define NAME_BYTES 256

/*
 * Extracts the host of "host:port" or "[v6]:port". Returns false if it is too
 * long.
 */
static bool host_of(const char *text, char out[NAME_BYTES])
{
    size_t len = *text == '[' ? strcspn(text, "]") : strcspn(text, ":");

    if (*text == '[') {
        text++;
        len -= len > 0;
    }
    if (len >= NAME_BYTES)
        return false;
    memcpy(out, text, len);
    out[len] = '\0';
    return true;
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);

    return len >= end_len && strcasecmp(text + len - end_len, end) == 0;
}

/* Whether browsers resolve the name to this machine without the network. */
static bool is_local_name(const char *host)
{
    unsigned char address[sizeof(struct in6_addr)];

    return strcasecmp(host, "localhost") == 0 ||
           ends_with(host, ".localhost") ||
           inet_pton(AF_INET, host, address) == 1 ||
           inet_pton(AF_INET6, host, address) == 1;
}

static bool is_browser(const struct cp_http_request *r)
{
    const char *agent = cp_http_request_header(r, "User-Agent");

    return (agent && strncmp(agent, "Mozilla/", 8) == 0) ||
           cp_http_request_header(r, "Origin") ||
           cp_http_request_header(r, "Accept-Language") ||
           cp_http_request_header(r, "Sec-Fetch-Mode");
}

bool cp_http_guard_allows(const struct cp_http_request *r)
{
    const char *host = cp_http_request_header(r, "Host");
    const char *site = cp_http_request_header(r, "Sec-Fetch-Site");
    const char *mode = cp_http_request_header(r, "Sec-Fetch-Mode");
    char name[NAME_BYTES];

    if (site && strcmp(site, "cross-site") == 0 &&
        !(mode && strcmp(mode, "navigate") == 0))
        return false;
    if (!host || !is_browser(r))
        return true;
    return host_of(host, name) && is_local_name(name);
}
