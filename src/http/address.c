/* address.c - parses, formats and binds listen addresses. */
#include "http/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "base/bytes.h"
#include "base/pid_name.h"

#define BACKLOG 512
#define HOSTS_FILE "/etc/hosts"
#define HOSTS_BYTES ((size_t)1 << 20)
#define HOST_BYTES 256

/* ---- paths ---- */

static enum cp_status parse_path(struct cp_http_address *out, const char *path,
                                 struct cp_error *err)
{
    struct sockaddr_un *un = (struct sockaddr_un *)&out->socket;

    if (!cp_pid_name_expand(path, (long)getpid(), un->sun_path,
                            sizeof(un->sun_path)))
        return cp_error_set(err, CP_EUSAGE,
                            *path ? "cannot listen on a path of more than %zu "
                                    "bytes; use a shorter one"
                                  : "no path after unix:; use unix:/PATH",
                            sizeof(un->sun_path) - 1);
    un->sun_family = AF_UNIX;
    out->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
                           strlen(un->sun_path) + 1);
    out->is_loopback = true;
    return CP_OK;
}

/* ---- hosts ---- */

static void set_port(struct cp_http_address *a, uint16_t port)
{
    if (a->socket.ss_family == AF_INET6)
        ((struct sockaddr_in6 *)&a->socket)->sin6_port = htons(port);
    else
        ((struct sockaddr_in *)&a->socket)->sin_port = htons(port);
}

static void set_any(struct cp_http_address *out)
{
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&out->socket;

    in6->sin6_family = AF_INET6;
    in6->sin6_addr = in6addr_any;
    out->len = sizeof(*in6);
    out->is_loopback = false;
}

static bool set_numeric(struct cp_http_address *out, const char *host)
{
    struct sockaddr_in *in = (struct sockaddr_in *)&out->socket;
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&out->socket;

    if (inet_pton(AF_INET, host, &in->sin_addr) == 1) {
        in->sin_family = AF_INET;
        out->len = sizeof(*in);
        out->is_loopback = ntohl(in->sin_addr.s_addr) >> 24 == 127;
        return true;
    }
    if (inet_pton(AF_INET6, host, &in6->sin6_addr) == 1) {
        in6->sin6_family = AF_INET6;
        out->len = sizeof(*in6);
        out->is_loopback = IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
        return true;
    }
    return false;
}

/*
 * Whether a line of the hosts file contains `host`; stores its address in *out.
 */
static bool match_line(struct cp_http_address *out, char *line,
                       const char *host)
{
    char *rest, *word = strtok_r(line, " \t\r", &rest);
    const char *address = word;

    if (!word || *word == '#')
        return false;
    while ((word = strtok_r(NULL, " \t\r", &rest)) && *word != '#')
        if (strcasecmp(word, host) == 0)
            return set_numeric(out, address);
    return false;
}

static bool set_named(struct cp_http_address *out, const char *host)
{
    struct cp_bytes file = { 0 };
    bool is_found = false;
    char *line, *rest;

    if (cp_bytes_read_file(&file, HOSTS_FILE, HOSTS_BYTES, NULL) == CP_OK &&
        cp_bytes_reserve(&file, file.len + 1, NULL) == CP_OK) {
        file.data[file.len] = '\0';
        line = strtok_r((char *)file.data, "\n", &rest);
        for (; line && !is_found; line = strtok_r(NULL, "\n", &rest))
            is_found = match_line(out, line, host);
    }
    cp_bytes_release(&file);
    return is_found;
}

static bool set_host(struct cp_http_address *out, const char *host)
{
    if (strcmp(host, "*") == 0) {
        set_any(out);
        return true;
    }
    if (!*host || strcasecmp(host, "localhost") == 0)
        return set_numeric(out, "127.0.0.1");
    return set_numeric(out, host) || set_named(out, host);
}

static bool parse_port(const char *text, uint16_t *out)
{
    unsigned long port = 0;

    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        port = port * 10 + (unsigned long)(*text - '0');
        if (port > 65535)
            return false;
    }
    *out = (uint16_t)port;
    return true;
}

/* Splits "[::1]:80", "host:80", ":80" and "80" into host and port. */
static bool split(const char *text, char host[HOST_BYTES], const char **port)
{
    const char *colon = strrchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : 0;

    *port = colon ? colon + 1 : text;
    host[0] = '\0';
    if (!colon)
        return true;
    if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
        text++;
        len -= 2;
    } else if (memchr(text, ':', len)) {
        return false; /* IPv6 without brackets */
    }
    if (len >= HOST_BYTES)
        return false;
    CP_ASSERT(len < HOST_BYTES);
    memcpy(host, text, len);
    host[len] = '\0';
    return true;
}

enum cp_status cp_http_address_parse(struct cp_http_address *out,
                                     const char *text, struct cp_error *err)
{
    struct cp_http_address a = { 0 };
    char host[HOST_BYTES];
    const char *port_text;
    uint16_t port = 0;

    if (strncmp(text, "unix:", 5) == 0) {
        enum cp_status status = parse_path(&a, text + 5, err);

        if (status == CP_OK)
            *out = a;
        return status;
    }
    if (!split(text, host, &port_text) || !parse_port(port_text, &port))
        return cp_error_set(err, CP_EUSAGE,
                            "\"%s\" is not host:port, port or unix:/path",
                            text);
    if (!set_host(&a, host))
        return cp_error_set(err, CP_EUSAGE,
                            "cannot listen on \"%s\": neither an address nor a "
                            "name in " HOSTS_FILE,
                            host);
    set_port(&a, port);
    *out = a;
    return CP_OK;
}

void cp_http_address_text(const struct cp_http_address *a,
                          char out[CP_HTTP_ADDRESS_BYTES])
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)&a->socket;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&a->socket;
    const struct sockaddr_un *un = (const struct sockaddr_un *)&a->socket;
    char host[INET6_ADDRSTRLEN] = "";

    if (a->socket.ss_family == AF_UNIX) {
        (void)snprintf(out, CP_HTTP_ADDRESS_BYTES, "unix:%s", un->sun_path);
    } else if (a->socket.ss_family == AF_INET6) {
        (void)inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof(host));
        (void)snprintf(out, CP_HTTP_ADDRESS_BYTES, "[%s]:%u", host,
                       ntohs(in6->sin6_port));
    } else {
        (void)inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
        (void)snprintf(out, CP_HTTP_ADDRESS_BYTES, "%s:%u", host,
                       ntohs(in->sin_port));
    }
}

/* ---- listening ---- */

/* Whether the socket file exists without a listener. */
static bool is_stale(const struct cp_http_address *a)
{
    const struct sockaddr_un *un = (const struct sockaddr_un *)&a->socket;
    bool is_refused = false;
    struct stat st;
    int fd;

    if (lstat(un->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode))
        return false;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0)
        is_refused = connect(fd, (const struct sockaddr *)&a->socket, a->len) &&
                     errno == ECONNREFUSED;
    if (fd >= 0)
        (void)close(fd);
    return is_refused;
}

static int bind_to(int fd, const struct cp_http_address *a)
{
    const struct sockaddr *name = (const struct sockaddr *)&a->socket;
    int failed = bind(fd, name, a->len);

    if (failed && errno == EADDRINUSE && name->sa_family == AF_UNIX) {
        if (is_stale(a)) {
            (void)unlink(((const struct sockaddr_un *)name)->sun_path);
            return bind(fd, name, a->len);
        }
        errno = EADDRINUSE;
    }
    return failed;
}

/* Returns a non-blocking socket with the options of its family, or -1. */
static int open_socket(const struct cp_http_address *a)
{
    int family = a->socket.ss_family, on = 1, off = 0;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    if (family == AF_UNIX) {
        (void)fchmod(fd, 0600); /* becomes the mode of the file */
        return fd;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    return fd;
}

/* Replaces "*" by every IPv4 interface if the kernel has no IPv6. */
static bool fall_back_to_ipv4(struct cp_http_address *a)
{
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&a->socket;
    struct sockaddr_in in = { .sin_family = AF_INET };

    if (a->socket.ss_family != AF_INET6 ||
        !IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr))
        return false;
    in.sin_port = in6->sin6_port;
    memcpy(&a->socket, &in, sizeof(in));
    a->len = sizeof(in);
    return true;
}

static enum cp_status report_failure(const struct cp_http_address *a,
                                     struct cp_error *err)
{
    char text[CP_HTTP_ADDRESS_BYTES];
    int number = errno;

    cp_http_address_text(a, text);
    return cp_error_set(err, CP_EIO, "cannot listen on %s: %s", text,
                        number == EADDRINUSE ? "address already in use"
                                             : strerror(number));
}

/* Returns a bound socket, or -1 with errno. */
static int open_bound(const struct cp_http_address *a)
{
    int fd = open_socket(a);

    if (fd >= 0 && bind_to(fd, a)) {
        int number = errno;

        (void)close(fd);
        errno = number;
        return -1;
    }
    return fd;
}

enum cp_status cp_http_address_listen(struct cp_http_address *a, int *out_fd,
                                      struct cp_error *err)
{
    socklen_t len = sizeof(a->socket);
    int fd = open_bound(a);

    if (fd < 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL) &&
        fall_back_to_ipv4(a))
        fd = open_bound(a);
    if (fd < 0)
        return report_failure(a, err);
    if (listen(fd, BACKLOG)) {
        enum cp_status status = report_failure(a, err);

        (void)close(fd);
        return status;
    }
    if (a->socket.ss_family != AF_UNIX)
        (void)getsockname(fd, (struct sockaddr *)&a->socket, &len);
    *out_fd = fd;
    return CP_OK;
}
