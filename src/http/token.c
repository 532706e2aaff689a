/* token.c - validates, compares and selects tokens. */
#include "http/token.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "base/assert/assert.h"
#include "http/address.h"

bool cp_http_token_is_valid(const char *token)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz"
                                  "0123456789-._~+/=";
    size_t len = strlen(token);

    return len > 0 && len < CP_HTTP_TOKEN_BYTES &&
           strspn(token, letters) == len;
}

bool cp_http_token_is(const char *token, const char *given)
{
    char one[CP_HTTP_TOKEN_BYTES] = "", other[CP_HTTP_TOKEN_BYTES] = "";
    volatile unsigned char differs = 0;

    CP_ASSERT(strlen(token) < sizeof(one));
    if (!given || strlen(given) >= sizeof(other))
        return false;
    (void)strcpy(one, token);
    (void)strcpy(other, given);
    for (size_t i = 0; i < sizeof(one); i++)
        differs = (unsigned char)(differs | (one[i] ^ other[i]));
    return differs == 0;
}

static bool is_this_machine(const struct cp_http_address *to)
{
    const struct sockaddr_in *in = (const void *)&to->socket;
    const struct sockaddr_in6 *in6 = (const void *)&to->socket;

    if (to->is_loopback || to->socket.ss_family == AF_UNIX)
        return true;
    if (to->socket.ss_family == AF_INET)
        return in->sin_addr.s_addr == htonl(INADDR_ANY);
    return to->socket.ss_family == AF_INET6 &&
           IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr);
}

const char *cp_http_token_for(const struct cp_http_address *to)
{
    const char *token = getenv(CP_HTTP_TOKEN_VARIABLE);

    return token && cp_http_token_is_valid(token) && is_this_machine(to) ? token
                                                                         : NULL;
}
