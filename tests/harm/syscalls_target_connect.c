/* syscalls_target_connect.c - accept, connect, and open of a FIFO. */
#include "syscalls_target.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* The kernel measures these timeouts in ticks, which are late in a slow virtual
 * machine, so their duration is not compared. */
#define TIMEOUT_NS (15 * MS)

/* An abstract name for each run: a forked child may still have the previous
 * listener open. */
static socklen_t name_of(struct slot *s, struct sockaddr_un *out)
{
    int len;

    *out = (struct sockaddr_un){ .sun_family = AF_UNIX };
    len = snprintf(out->sun_path + 1, sizeof(out->sun_path) - 1, "cp-%d-%d-%u",
                   (int)getpid(), s->index, s->random);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                       (size_t)len);
}

static int make_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    must(fd < 0 ? -1 : 0, "socket");
    return fd;
}

/* fd[0] is the listening socket. */
static void listen_at(struct slot *s, int backlog)
{
    struct sockaddr_un at;
    socklen_t len = name_of(s, &at);

    s->fd[0] = make_socket();
    must(bind(s->fd[0], (struct sockaddr *)&at, len), "bind");
    must(listen(s->fd[0], backlog), "listen");
}

static int connect_to(struct slot *s, int fd)
{
    struct sockaddr_un at;
    socklen_t len = name_of(s, &at);

    return connect(fd, (struct sockaddr *)&at, len);
}

static void connect_late(struct slot *s)
{
    short_delay(s);
    s->fd[2] = make_socket();
    while (connect_to(s, s->fd[2]) != 0 && errno == EINTR)
        ;
}

static long accept_plain(struct slot *s)
{
    return accept(s->fd[0], NULL, NULL);
}

static long accept_four(struct slot *s)
{
    struct sockaddr_un from;
    socklen_t len = sizeof(from);

    return accept4(s->fd[0], (struct sockaddr *)&from, &len, SOCK_CLOEXEC);
}

static long accept_raw(struct slot *s)
{
    return syscall(SYS_accept, s->fd[0], NULL, NULL);
}

static void run_accept(struct slot *s)
{
    listen_at(s, 4);
    if (s->call->open)
        set_timeouts(s->fd[0], LONG_NS);
    peer_begin(s, connect_late);
    s->fd[1] = (int)s->call->move(s);
    if (s->fd[1] < 0)
        (void)expect(s, "accept", s->fd[1], 0);
    peer_end(s);
}

static void run_accept_timeout(struct slot *s)
{
    listen_at(s, 4);
    set_timeouts(s->fd[0], TIMEOUT_NS);
    s->fd[1] = (int)s->call->move(s);
    (void)expect_error(s, "accept", s->fd[1], EAGAIN);
}

/* The backlog of the listener is full. */
static void accept_late(struct slot *s)
{
    short_delay(s);
    do
        s->fd[3] = accept(s->fd[0], NULL, NULL);
    while (s->fd[3] < 0 && errno == EINTR);
}

static void fill_backlog(struct slot *s)
{
    listen_at(s, 0);
    s->fd[2] = make_socket();
    if (connect_to(s, s->fd[2]) != 0)
        fatal("connect");
    s->fd[1] = make_socket();
}

static void run_connect(struct slot *s)
{
    fill_backlog(s);
    if (s->call->open)
        set_timeouts(s->fd[1], LONG_NS);
    peer_begin(s, accept_late);
    (void)expect(s, "connect", connect_to(s, s->fd[1]), 0);
    peer_end(s);
}

static void run_connect_timeout(struct slot *s)
{
    fill_backlog(s);
    set_timeouts(s->fd[1], TIMEOUT_NS);
    (void)expect_error(s, "connect", connect_to(s, s->fd[1]), EAGAIN);
}

static const char *fifo_of(struct slot *s, char path[300])
{
    (void)snprintf(path, 300, "%s/late-%d", s->folder, s->index);
    if (mkfifo(path, 0600) != 0 && errno != EEXIST)
        fatal("mkfifo");
    return path;
}

/* Opens the other end before or after the call under test blocks. */
static void open_fifo_late(struct slot *s)
{
    char path[300];

    short_delay(s);
    do
        s->fd[2] = open(fifo_of(s, path), O_RDWR | O_CLOEXEC);
    while (s->fd[2] < 0 && errno == EINTR);
    while (!s->is_acked)
        pause_ns(100000);
}

static void run_fifo(struct slot *s, int flags)
{
    char path[300];

    (void)fifo_of(s, path);
    peer_begin(s, open_fifo_late);
    s->fd[1] = open(path, flags | O_CLOEXEC);
    if (s->fd[1] < 0)
        (void)expect(s, "open", s->fd[1], 0);
    s->is_acked = 1;
    peer_end(s);
}

static void run_fifo_read(struct slot *s)
{
    run_fifo(s, O_RDONLY);
}

static void run_fifo_write(struct slot *s)
{
    run_fifo(s, O_WRONLY);
}

#define TIMED open_stream /* any duration: the socket has a long timeout */

const struct call connect_calls[] = {
    { "accept", run_accept, NULL, accept_plain, 0 },
    { "accept-timed", run_accept, TIMED, accept_plain, 0 },
    { "accept4", run_accept, NULL, accept_four, 0 },
    { "raw-accept", run_accept, NULL, accept_raw, 0 },
    { "accept-times-out", run_accept_timeout, NULL, accept_plain, 0 },
    { "connect-full-backlog", run_connect, NULL, NULL, 0 },
    { "connect-full-backlog-timed", run_connect, TIMED, NULL, 0 },
    { "connect-times-out", run_connect_timeout, NULL, NULL, 0 },
    { "open-fifo-read", run_fifo_read, NULL, NULL, 0 },
    { "open-fifo-write", run_fifo_write, NULL, NULL, 0 },
    { 0 },
};
