/* start.c - sets LD_PRELOAD, CPPROF and PPROFLISTEN, and calls execv(). */
#include "launch/start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/out.h"
#include "base/pid_name.h"
#include "http/address.h"

/* Sets NAME to the non-empty parts, joined; `parts` ends in NULL. */
static enum cp_status set_joined(const char *name, const char *const *parts,
                                 char separator, struct cp_error *err)
{
    struct cp_out out = { .fd = -1 };
    enum cp_status status;

    for (; *parts; parts++) {
        if (out.len > 0 && **parts)
            cp_out_char(&out, separator);
        cp_out_cstr(&out, *parts);
    }
    cp_out_char(&out, '\0');
    status = cp_out_finish(&out, err);
    if (status == CP_OK && setenv(name, out.buf, 1) != 0)
        status = cp_error_nomem(err);
    cp_out_release(&out);
    return status;
}

static const char *env_or_empty(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "";
}

/*
 * Sets LD_PRELOAD. libcpprof.so comes first, so that its malloc hook calls the
 * others.
 */
static enum cp_status set_preload(const char *library, struct cp_error *err)
{
    const char *parts[] = { library, env_or_empty("LD_PRELOAD"), NULL };

    return set_joined("LD_PRELOAD", parts, ':', err);
}

static enum cp_status set_settings(const struct cp_start *s, int fd,
                                   struct cp_error *err)
{
    char socket[40] = "";
    const char *parts[] = { env_or_empty("CPPROF"), s->settings,
                            s->follows ? "follow:1" : "", socket, NULL };

    if (fd >= 0)
        (void)snprintf(socket, sizeof(socket), "listen_fd:%d", fd);
    for (size_t i = 0; parts[i]; i++)
        if (*parts[i])
            return set_joined("CPPROF", parts, ',', err);
    return CP_OK;
}

/* Whether each process opens its own socket. */
static bool is_per_process(const struct cp_start *s)
{
    size_t len = strlen(s->listen);

    return strstr(s->listen, CP_PID_NAME) ||
           strncmp(s->listen, "unix:", 5) == 0 ||
           (s->follows && len >= 2 && strcmp(s->listen + len - 2, ":0") == 0);
}

/* Checks that the library can create the socket file. */
static enum cp_status try_path(const struct cp_http_address *at,
                               struct cp_error *err)
{
    const struct sockaddr_un *un = (const struct sockaddr_un *)&at->socket;
    struct cp_http_address address = *at;
    int fd;
    enum cp_status status = cp_http_address_listen(&address, &fd, err);

    if (status != CP_OK)
        return status;
    (void)unlink(un->sun_path);
    (void)close(fd);
    return CP_OK;
}

/* Moves fd to 100 or above, because programs may expect the low numbers. */
static int move_fd_up(int fd)
{
    int high = fcntl(fd, F_DUPFD, 100);

    if (high < 0)
        high = fcntl(fd, F_DUPFD, STDERR_FILENO + 1);
    (void)close(fd);
    return high;
}

enum cp_status cp_start_prepare(const struct cp_start *s,
                                char out_address[CP_START_ADDRESS],
                                struct cp_error *err)
{
    char text[CP_HTTP_ADDRESS_BYTES];
    struct cp_http_address address;
    enum cp_status status = cp_http_address_parse(&address, s->listen, err);
    const char *listen = s->listen;
    int fd = -1;

    out_address[0] = '\0';
    if (status == CP_OK && address.socket.ss_family == AF_UNIX &&
        !strstr(s->listen, CP_PID_NAME))
        status = try_path(&address, err);
    if (status == CP_OK && !is_per_process(s)) {
        status = cp_http_address_listen(&address, &fd, err);
        if (status != CP_OK)
            return status;
        fd = move_fd_up(fd);
        cp_http_address_text(&address, text);
        listen = text;
        (void)snprintf(out_address, CP_START_ADDRESS, "http://%s/debug/pprof/",
                       text);
    }
    if (status == CP_OK)
        status = set_preload(s->library, err);
    if (status == CP_OK)
        status = set_settings(s, fd, err);
    if (status == CP_OK && setenv("PPROFLISTEN", listen, 1) != 0)
        status = cp_error_nomem(err);
    return status;
}

void cp_start_execute(const char *path, char *const *argv)
{
    size_t n = 0;
    char **words;

    (void)execv(path, argv);
    if (errno != ENOEXEC)
        return;
    while (argv[n])
        n++;
    words = cp_alloc(n + 2, sizeof(*words), NULL);
    if (!words) {
        errno = ENOMEM;
        return;
    }
    words[0] = (char *)"/bin/sh";
    words[1] = (char *)path;
    for (size_t i = 1; i < n; i++)
        words[i + 1] = argv[i];
    (void)execv(words[0], words);
    cp_free(words);
}
