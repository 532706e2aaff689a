/*
 * syscalls_target_receive.c - reads that wait for a slow writer, and reads that
 * time out because of SO_RCVTIMEO.
 */
#include "syscalls_target.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define N_PACKETS 4
/* The kernel measures these timeouts in ticks, which are late in a slow virtual
 * machine, so their duration is not compared. */
#define TIMEOUT_NS (15 * MS)

/* Each call returns some bytes, in order; never an error or end of file. */
static void run_receive(struct slot *s)
{
    s->call->open(s);
    s->total = 3000;
    peer_begin(s, feed_slowly);
    for (size_t at = 0; at < s->total;) {
        ssize_t n = s->call->move(s);

        if (n <= 0) {
            (void)expect(s, "the read", n, 1);
            continue;
        }
        expect_bytes(s, "the read", s->room, at, (size_t)n);
        at += (size_t)n;
    }
    peer_end(s);
}

static void divide(struct slot *s, struct iovec *out)
{
    out[0] = (struct iovec){ s->room, 700 };
    out[1] = (struct iovec){ s->room + 700, 5000 };
}

static ssize_t by_read(struct slot *s)
{
    return read(s->fd[1], s->room, s->total);
}

static ssize_t by_raw_read(struct slot *s)
{
    return syscall(SYS_read, s->fd[1], s->room, s->total);
}

static ssize_t by_readv(struct slot *s)
{
    struct iovec parts[2];

    divide(s, parts);
    return readv(s->fd[1], parts, 2);
}

static ssize_t by_preadv2(struct slot *s)
{
    struct iovec parts[2];

    divide(s, parts);
    return preadv2(s->fd[1], parts, 2, -1, 0);
}

static ssize_t by_recv(struct slot *s)
{
    return recv(s->fd[1], s->room, s->total, 0);
}

static ssize_t by_raw_recvfrom(struct slot *s)
{
    return syscall(SYS_recvfrom, s->fd[1], s->room, s->total, 0, NULL, NULL);
}

static ssize_t by_recvfrom(struct slot *s)
{
    struct sockaddr_storage from;
    socklen_t len = sizeof(from);

    return recvfrom(s->fd[1], s->room, s->total, 0, (struct sockaddr *)&from,
                    &len);
}

static ssize_t by_recvmsg(struct slot *s)
{
    struct iovec parts[2];
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

    divide(s, parts);
    return recvmsg(s->fd[1], &message, 0);
}

/* All bytes in one call. */
static void run_wait_all(struct slot *s)
{
    ssize_t n;

    s->call->open(s);
    peer_begin(s, feed_slowly);
    n = s->call->move(s);
    (void)expect(s, "MSG_WAITALL", n, (long)s->total);
    if (n > 0)
        expect_bytes(s, "MSG_WAITALL", s->room, 0, (size_t)n);
    else
        n = 0;
    if (n < (ssize_t)s->total)
        (void)read_all(s->fd[1], s->room, s->total - (size_t)n);
    peer_end(s);
}

static ssize_t by_recv_all(struct slot *s)
{
    return recv(s->fd[1], s->room, s->total, MSG_WAITALL);
}

static ssize_t by_recvmsg_all(struct slot *s)
{
    struct iovec part = { s->room, s->total };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

    return recvmsg(s->fd[1], &message, MSG_WAITALL);
}

static void send_packets(struct slot *s)
{
    for (size_t i = 0; i < N_PACKETS; i++) {
        pause_ns(250000);
        (void)write_all(s->fd[0], s->data + i * 100, 100);
    }
}

/* Waits for all packets with a long timeout. */
static void run_recvmmsg(struct slot *s)
{
    struct iovec parts[N_PACKETS];
    struct mmsghdr messages[N_PACKETS] = { 0 };
    struct timespec timeout = { 3600, 0 };
    int n;

    s->call->open(s);
    for (size_t i = 0; i < N_PACKETS; i++) {
        parts[i] = (struct iovec){ s->room + i * 100, 100 };
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    peer_begin(s, send_packets);
    n = recvmmsg(s->fd[1], messages, N_PACKETS, 0, &timeout);
    (void)expect(s, "recvmmsg", n, N_PACKETS);
    if (n > 0)
        expect_bytes(s, "recvmmsg", s->room, 0, (size_t)n * 100);
    for (n = n < 0 ? 0 : n; n < N_PACKETS; n++)
        (void)read_all(s->fd[1], s->room, 100);
    peer_end(s);
}

/* Without data the call returns EAGAIN. */
static void run_timeout(struct slot *s)
{
    s->call->open(s);
    set_timeouts(s->fd[1], TIMEOUT_NS);
    (void)expect_error(s, "the read", s->call->move(s), EAGAIN);
}

/* Without a reader the call fills the channel and times out. */
static void run_send_timeout(struct slot *s)
{
    ssize_t n;

    s->call->open(s);
    set_timeouts(s->fd[1], TIMEOUT_NS);
    do
        n = send(s->fd[1], s->data, 100, MSG_DONTWAIT);
    while (n > 0);
    n = send(s->fd[1], s->data, s->total, 0);
    (void)expect_error(s, "the send", n, EAGAIN);
}

const struct call receive_calls[] = {
    { "read-pipe", run_receive, open_pipe_in, by_read, 0 },
    { "read-stream", run_receive, open_stream, by_read, 0 },
    { "read-stream-timed", run_receive, open_stream_timed, by_read, 0 },
    { "read-tcp", run_receive, open_tcp, by_read, 0 },
    { "read-tcp-timed", run_receive, open_tcp_timed, by_read, 0 },
    { "read-pty", run_receive, open_pty, by_read, 0 },
    { "raw-read-pipe", run_receive, open_pipe_in, by_raw_read, 0 },
    { "raw-read-stream-timed", run_receive, open_stream_timed, by_raw_read, 0 },
    { "readv-pipe", run_receive, open_pipe_in, by_readv, 0 },
    { "readv-stream-timed", run_receive, open_stream_timed, by_readv, 0 },
    { "preadv2-pipe", run_receive, open_pipe_in, by_preadv2, 0 },
    { "recv-stream", run_receive, open_stream, by_recv, 0 },
    { "recv-stream-timed", run_receive, open_stream_timed, by_recv, 0 },
    { "recv-seqpacket", run_receive, open_seqpacket, by_recv, 0 },
    { "recvfrom-dgram", run_receive, open_dgram, by_recvfrom, 0 },
    { "raw-recvfrom-tcp", run_receive, open_tcp, by_raw_recvfrom, 0 },
    { "recvmsg-stream", run_receive, open_stream, by_recvmsg, 0 },
    { "recvmsg-tcp-timed", run_receive, open_tcp_timed, by_recvmsg, 0 },
    { "recv-waitall-stream", run_wait_all, open_stream, by_recv_all, 0 },
    { "recv-waitall-stream-timed", run_wait_all, open_stream_timed, by_recv_all,
      0 },
    { "recv-waitall-tcp", run_wait_all, open_tcp, by_recv_all, 0 },
    { "recv-waitall-tcp-timed", run_wait_all, open_tcp_timed, by_recv_all, 0 },
    { "recvmsg-waitall-stream", run_wait_all, open_stream, by_recvmsg_all, 0 },
    { "recvmmsg-dgram", run_recvmmsg, open_dgram, NULL, 0 },
    { "recvmmsg-seqpacket", run_recvmmsg, open_seqpacket, NULL, 0 },
    { "read-times-out", run_timeout, open_stream, by_read, 0 },
    { "recv-tcp-times-out", run_timeout, open_tcp, by_recv, 0 },
    { "recvmsg-dgram-times-out", run_timeout, open_dgram, by_recvmsg, 0 },
    { "send-stream-times-out", run_send_timeout, open_stream, NULL, 0 },
    { 0 },
};
