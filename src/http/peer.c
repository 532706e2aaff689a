/* peer.c - reads SO_PEERCRED, or searches /proc/net/tcp and tcp6. */
#include "http/peer.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert/assert.h"

#define LINE_BYTES 512

/* One end of a connection; an IPv4 address is mapped into IPv6. */
struct end {
    unsigned char address[16];
    uint16_t port; /* host byte order */
};

static const unsigned char v4_prefix[12] = { 0, 0, 0, 0, 0,    0,
                                             0, 0, 0, 0, 0xff, 0xff };

static bool end_of_address(const struct sockaddr_storage *from, struct end *out)
{
    const struct sockaddr_in *in = (const void *)from;
    const struct sockaddr_in6 *in6 = (const void *)from;

    memset(out, 0, sizeof(*out));
    if (from->ss_family == AF_INET) {
        memcpy(out->address, v4_prefix, sizeof(v4_prefix));
        memcpy(out->address + 12, &in->sin_addr, 4);
        out->port = ntohs(in->sin_port);
    } else if (from->ss_family == AF_INET6) {
        memcpy(out->address, &in6->sin6_addr, 16);
        out->port = ntohs(in6->sin6_port);
    } else {
        return false;
    }
    return true;
}

/* Parses "0100007F:17AC": 32-bit words of the address in host byte order. */
static bool parse_end(const char *text, struct end *out)
{
    size_t n_digits = strspn(text, "0123456789ABCDEFabcdef");
    size_t at = n_digits == 8 ? 12 : 0;

    if ((n_digits != 8 && n_digits != 32) || text[n_digits] != ':')
        return false;
    memset(out, 0, sizeof(*out));
    memcpy(out->address, v4_prefix, at);
    for (size_t i = 0; i < n_digits; i += 8, at += 4) {
        char word[9] = "";
        uint32_t value;

        CP_ASSERT(at + 4 <= sizeof(out->address));
        memcpy(word, text + i, 8);
        value = (uint32_t)strtoul(word, NULL, 16);
        memcpy(out->address + at, &value, 4);
    }
    out->port = (uint16_t)strtoul(text + n_digits + 1, NULL, 16);
    return true;
}

/* Parses a line "  sl: LOCAL REMOTE ST TX:RX TR:WHEN RETRANSMITS UID ...". */
static bool match_line(char *line, const struct end *local,
                       const struct end *remote, uid_t *out)
{
    char *fields[8], *rest = NULL;
    struct end its_local, its_remote;

    for (int i = 0; i < 8; i++) {
        fields[i] = strtok_r(i ? NULL : line, " ", &rest);
        if (!fields[i])
            return false;
    }
    if (!parse_end(fields[1], &its_local) ||
        !parse_end(fields[2], &its_remote) ||
        memcmp(&its_local, local, sizeof(*local)) != 0 ||
        memcmp(&its_remote, remote, sizeof(*remote)) != 0)
        return false;
    *out = (uid_t)strtoul(fields[7], NULL, 10);
    return true;
}

/* Finds the line of the client, where local and remote are swapped. */
static bool find_user(const char *path, const struct end *local,
                      const struct end *remote, uid_t *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char bytes[16384], *line, *end;
    size_t len = 0;
    bool is_found = false;
    ssize_t n;

    while (fd >= 0 && !is_found &&
           (n = read(fd, bytes + len, sizeof(bytes) - 1 - len)) > 0) {
        len += (size_t)n;
        CP_ASSERT(len < sizeof(bytes));
        bytes[len] = '\0';
        for (line = bytes; !is_found && (end = strchr(line, '\n'));
             line = end + 1) {
            *end = '\0';
            is_found = match_line(line, local, remote, out);
        }
        len -= (size_t)(line - bytes);
        if (len > LINE_BYTES)
            len = 0; /* not a line of this file */
        memmove(bytes, line, len);
    }
    if (fd >= 0)
        (void)close(fd);
    return is_found;
}

bool cp_http_peer_user(int fd, uid_t *out)
{
    struct sockaddr_storage here = { 0 }, there = { 0 };
    socklen_t here_len = sizeof(here), there_len = sizeof(there);
    struct ucred peer;
    socklen_t len = sizeof(peer);
    struct end local, remote;

    if (getsockname(fd, (struct sockaddr *)&here, &here_len) != 0)
        return false;
    if (here.ss_family == AF_UNIX) {
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
            return false;
        *out = peer.uid;
        return true;
    }
    return getpeername(fd, (struct sockaddr *)&there, &there_len) == 0 &&
           end_of_address(&there, &local) && end_of_address(&here, &remote) &&
           (find_user("/proc/thread-self/net/tcp", &local, &remote, out) ||
            find_user("/proc/thread-self/net/tcp6", &local, &remote, out));
}
