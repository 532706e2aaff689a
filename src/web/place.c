/* place.c - see place.h. */
#include "web/place.h"

#include <stdio.h>
#include <string.h>

#include "http/guard.h"

enum cp_status cp_web_place_read(struct cp_http_address *a, const char *text,
                                 struct cp_error *err)
{
    const char *colon = strrchr(text, ':');
    char full[CP_HTTP_ADDRESS_BYTES];
    int host_len;

    if (!colon)
        return cp_error_set(err, CP_EUSAGE,
                            "could not split http address: address %s: "
                            "missing port in address",
                            text);
    host_len = (int)(colon - text);
    (void)snprintf(full, sizeof(full), "%.*s:%s",
                   host_len ? host_len : (int)sizeof("localhost") - 1,
                   host_len ? text : "localhost", colon[1] ? colon + 1 : "0");
    return cp_http_address_parse(a, full, err);
}

void cp_web_place_url(const struct cp_http_address *a,
                      char out[CP_WEB_URL_BYTES])
{
    char text[CP_HTTP_ADDRESS_BYTES];
    const char *port;

    cp_http_address_text(a, text);
    port = strrchr(text, ':');
    if (a->is_loopback && port)
        (void)snprintf(out, CP_WEB_URL_BYTES, "http://localhost%s", port);
    else
        (void)snprintf(out, CP_WEB_URL_BYTES, "http://%s", text);
}

bool cp_web_place_is_ours(const struct cp_http_address *a,
                          struct cp_http_exchange *x)
{
    if (!a->is_loopback || cp_http_guard_allows(cp_http_request_of(x)))
        return true;
    cp_http_answer_text(x, 403,
                        "refused: this page was asked for by "
                        "another site or under another name\n");
    return false;
}

bool cp_web_place_allows(const struct cp_http_address *a,
                         struct cp_http_exchange *x)
{
    const struct cp_http_request *r = cp_http_request_of(x);

    if (!cp_web_place_is_ours(a, x))
        return false;
    if (cp_http_request_is(r, "GET") || cp_http_request_is(r, "HEAD"))
        return true;
    cp_http_answer_text(x, 405, "only GET and HEAD\n");
    return false;
}
