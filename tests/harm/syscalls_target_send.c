/*
 * syscalls_target_send.c - large transfers to a slow reader: one call must
 * transfer all its bytes, in order, on each kind of channel.
 */
#include "syscalls_target.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#define PACKET ((size_t)1024)
#define PIECE ((size_t)4096)

/* One call must transfer all. After a short one the rest is sent anyway,
 * because the peer expects it. */
static void run_send(struct slot *s)
{
    ssize_t done;

    s->call->open(s);
    peer_begin(s, drain_slowly);
    done = s->call->move(s);
    (void)expect(s, "the transfer", done, (long)s->total);
    if (done < (ssize_t)s->total) {
        size_t at = done > 0 ? (size_t)done : 0;

        (void)write_all(s->fd[1], s->data + at, s->total - at);
    }
    peer_end(s);
    (void)expect(s, "the reader", (long)s->n_arrived, (long)s->total);
    if (s->is_garbled)
        differ(s, "the reader gets other bytes");
}

static void divide(struct slot *s, struct iovec *out)
{
    size_t third = s->total / 3;

    for (size_t i = 0; i < 3; i++)
        out[i] = (struct iovec){ (void *)(uintptr_t)(s->data + i * third),
                                 i < 2 ? third : s->total - 2 * third };
}

static ssize_t by_write(struct slot *s)
{
    return write(s->fd[1], s->data, s->total);
}

static ssize_t by_raw_write(struct slot *s)
{
    return syscall(SYS_write, s->fd[1], s->data, s->total);
}

static ssize_t by_writev(struct slot *s)
{
    struct iovec parts[3];

    divide(s, parts);
    return writev(s->fd[1], parts, 3);
}

static ssize_t by_raw_writev(struct slot *s)
{
    struct iovec parts[3];

    divide(s, parts);
    return syscall(SYS_writev, s->fd[1], parts, 3);
}

static ssize_t by_pwritev2(struct slot *s)
{
    struct iovec parts[3];

    divide(s, parts);
    return pwritev2(s->fd[1], parts, 3, -1, 0);
}

static ssize_t by_send(struct slot *s)
{
    return send(s->fd[1], s->data, s->total, 0);
}

static ssize_t by_sendto(struct slot *s)
{
    return sendto(s->fd[1], s->data, s->total, MSG_NOSIGNAL, NULL, 0);
}

static ssize_t by_raw_sendto(struct slot *s)
{
    return syscall(SYS_sendto, s->fd[1], s->data, s->total, 0, NULL, 0);
}

static ssize_t by_sendmsg(struct slot *s)
{
    struct iovec parts[3];
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = 3 };

    divide(s, parts);
    return sendmsg(s->fd[1], &message, 0);
}

static ssize_t by_sendmmsg(struct slot *s)
{
    struct iovec parts[3];
    struct mmsghdr messages[3] = { 0 };
    ssize_t sum = 0;
    int n;

    divide(s, parts);
    for (int i = 0; i < 3; i++) {
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    n = sendmmsg(s->fd[1], messages, 3, 0);
    for (int i = 0; i < n; i++)
        sum += messages[i].msg_len;
    return n < 0 ? n : sum;
}

static ssize_t by_sendfile(struct slot *s)
{
    off_t at = 0;
    ssize_t n;

    s->fd[2] = make_file(s);
    n = sendfile(s->fd[1], s->fd[2], &at, s->total);
    if (n >= 0)
        (void)expect(s, "the offset after sendfile", at, n);
    return n;
}

/* Each call sends one complete packet. */
static ssize_t by_packets(struct slot *s)
{
    size_t at = 0;

    while (at < s->total) {
        ssize_t n = send(s->fd[1], s->data + at, PACKET, 0);

        if (!expect(s, "send of a packet", n, PACKET) && n < 0)
            continue;
        at += PACKET;
    }
    return (ssize_t)s->total;
}

static ssize_t by_packet_batches(struct slot *s)
{
    size_t at = 0;

    while (at < s->total) {
        struct iovec parts[4];
        struct mmsghdr messages[4] = { 0 };
        size_t n = 0;
        int done;

        for (; n < 4 && at + n * PACKET < s->total; n++) {
            parts[n] =
                (struct iovec){ (void *)(uintptr_t)(s->data + at + n * PACKET),
                                PACKET };
            messages[n].msg_hdr.msg_iov = &parts[n];
            messages[n].msg_hdr.msg_iovlen = 1;
        }
        done = sendmmsg(s->fd[1], messages, (unsigned)n, 0);
        (void)expect(s, "sendmmsg", done, (long)n);
        at += done > 0 ? (size_t)done * PACKET : 0;
    }
    return (ssize_t)s->total;
}

/* Writes to a slow terminal, then tcdrain waits for it. */
static ssize_t by_write_and_drain(struct slot *s)
{
    ssize_t n = write(s->fd[1], s->data, s->total);

    (void)expect(s, "tcdrain", tcdrain(s->fd[1]), 0);
    return n;
}

const struct call stream_calls[] = {
    { "write-pipe", run_send, open_pipe_out, by_write, 0 },
    { "write-fifo", run_send, open_fifo_out, by_write, 0 },
    { "write-stream", run_send, open_stream, by_write, 0 },
    { "write-stream-timed", run_send, open_stream_timed, by_write, 0 },
    { "write-tcp", run_send, open_tcp, by_write, 0 },
    { "write-pty", run_send, open_pty, by_write, 0 },
    { "write-pty-tcdrain", run_send, open_pty, by_write_and_drain, 0 },
    { "raw-write-pipe", run_send, open_pipe_out, by_raw_write, 0 },
    { "raw-write-stream", run_send, open_stream, by_raw_write, 0 },
    { "writev-pipe", run_send, open_pipe_out, by_writev, 0 },
    { "writev-stream", run_send, open_stream, by_writev, 0 },
    { "writev-pty", run_send, open_pty, by_writev, 0 },
    { "raw-writev-pipe", run_send, open_pipe_out, by_raw_writev, 0 },
    { "pwritev2-pipe", run_send, open_pipe_out, by_pwritev2, 0 },
    { "pwritev2-stream", run_send, open_stream, by_pwritev2, 0 },
    { "send-stream", run_send, open_stream, by_send, 0 },
    { "send-stream-timed", run_send, open_stream_timed, by_send, 0 },
    { "send-tcp", run_send, open_tcp, by_send, 0 },
    { "send-tcp-timed", run_send, open_tcp_timed, by_send, 0 },
    { "send-seqpacket", run_send, open_seqpacket, by_packets, 0 },
    { "send-dgram", run_send, open_dgram, by_packets, 0 },
    { "sendto-stream", run_send, open_stream, by_sendto, 0 },
    { "raw-sendto-stream", run_send, open_stream, by_raw_sendto, 0 },
    { "sendmsg-stream", run_send, open_stream, by_sendmsg, 0 },
    { "sendmsg-tcp", run_send, open_tcp, by_sendmsg, 0 },
    { "sendmmsg-stream", run_send, open_stream, by_sendmmsg, 0 },
    { "sendmmsg-seqpacket", run_send, open_seqpacket, by_packet_batches, 0 },
    { "sendfile-stream", run_send, open_stream, by_sendfile, 0 },
    { "sendfile-tcp", run_send, open_tcp, by_sendfile, 0 },
    { 0 },
};
