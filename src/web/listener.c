/* listener.c - parses the listen address, opens the server and checks requests.
 */
#include "web/listener.h"

#include <stdio.h>
#include <string.h>

#include "http/exchange.h"
#include "http/guard.h"
#include "http/limits.h"

static enum cp_status read_address(struct cp_http_address *a, const char *text,
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

static void make_url(const struct cp_http_address *a,
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

enum cp_status cp_web_listener_open(struct cp_web_listener *p,
                                    const struct cp_web_service *service,
                                    struct cp_error *err)
{
    struct cp_http_limits limits = CP_HTTP_DEFAULT_LIMITS;
    enum cp_status status = read_address(&p->address, service->host_port, err);
    int fd = -1;

    limits.output_bytes = service->output_bytes;
    if (status == CP_OK)
        status = cp_http_server_new(&p->server, &limits, service->handler,
                                    service->context, err);
    if (status == CP_OK)
        status = cp_http_address_listen(&p->address, &fd, err);
    if (status == CP_OK)
        status = cp_http_server_listen(p->server, fd, err);
    if (status == CP_OK)
        make_url(&p->address, p->url);
    return status;
}

void cp_web_listener_close(struct cp_web_listener *p)
{
    cp_http_server_free(p->server);
    p->server = NULL;
}

bool cp_web_listener_allows(const struct cp_web_listener *p,
                            struct cp_http_exchange *x)
{
    if (!p->address.is_loopback || cp_http_guard_allows(cp_http_request_of(x)))
        return true;
    cp_http_answer_text(x, 403,
                        "refused: the request comes from another site or "
                        "names another host\n");
    return false;
}
