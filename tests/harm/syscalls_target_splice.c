/*
 * syscalls_target_splice.c - transfers that may be short, but are never empty,
 * never fail, and keep the order of the bytes.
 */
#include "syscalls_target.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PIECE ((size_t)4096)

/* Transfers some bytes that start at s->data + at. */
typedef ssize_t mover(struct slot *s, size_t at);

/* A failure is a difference; the rest is then written with write(). */
static void move_all(struct slot *s, mover *move)
{
    peer_begin(s, drain_slowly);
    for (size_t at = 0; at < s->total;) {
        ssize_t n = move(s, at);

        if (n <= 0) {
            (void)expect(s, s->call->name, n, 1);
            (void)write_all(s->fd[1], s->data + at, s->total - at);
            break;
        }
        at += (size_t)n;
    }
    peer_end(s);
    (void)expect(s, "the reader", (long)s->n_arrived, (long)s->total);
    if (s->is_garbled)
        differ(s, "the reader gets other bytes");
}

static size_t rest(struct slot *s, size_t at)
{
    return s->total - at;
}

static ssize_t sendfile_some(struct slot *s, size_t at)
{
    off_t offset = (off_t)at;

    return sendfile(s->fd[1], s->fd[2], &offset, rest(s, at));
}

static ssize_t splice_file_some(struct slot *s, size_t at)
{
    off64_t offset = (off64_t)at;

    return splice(s->fd[2], &offset, s->fd[1], NULL, rest(s, at), 0);
}

static ssize_t vmsplice_some(struct slot *s, size_t at)
{
    struct iovec part = { (void *)(uintptr_t)(s->data + at), rest(s, at) };

    return vmsplice(s->fd[1], &part, 1, 0);
}

/* The source pipe (fd[2], fd[3]) holds one piece at a time. */
static size_t fill_source(struct slot *s, size_t at)
{
    size_t n = rest(s, at) < PIECE ? rest(s, at) : PIECE;
    int held = 0;

    (void)syscall(SYS_ioctl, s->fd[2], 0x541B /* FIONREAD */, &held);
    if (held == 0 && !write_all(s->fd[3], s->data + at, n))
        fatal("write to a pipe");
    return held ? (size_t)held : n;
}

static ssize_t splice_pipe_some(struct slot *s, size_t at)
{
    return splice(s->fd[2], NULL, s->fd[1], NULL, fill_source(s, at), 0);
}

static ssize_t tee_some(struct slot *s, size_t at)
{
    ssize_t n = tee(s->fd[2], s->fd[1], fill_source(s, at), 0);

    if (n > 0 && !read_all(s->fd[2], s->room, (size_t)n))
        fatal("read from a pipe");
    if (n > 0)
        expect_bytes(s, "what tee leaves", s->room, at, (size_t)n);
    return n;
}

static void open_source(struct slot *s)
{
    int ends[2];

    must(pipe2(ends, O_CLOEXEC), "pipe2");
    s->fd[2] = ends[0];
    s->fd[3] = ends[1];
}

static void run_sendfile_pipe(struct slot *s)
{
    open_pipe_out(s);
    s->fd[2] = make_file(s);
    move_all(s, sendfile_some);
}

static void run_splice_file(struct slot *s)
{
    open_pipe_out(s);
    s->fd[2] = make_file(s);
    move_all(s, splice_file_some);
}

static void run_vmsplice(struct slot *s)
{
    open_pipe_out(s);
    move_all(s, vmsplice_some);
}

static void run_splice_pipe(struct slot *s)
{
    s->call->open(s);
    open_source(s);
    move_all(s, splice_pipe_some);
}

static void run_tee(struct slot *s)
{
    open_pipe_out(s);
    open_source(s);
    move_all(s, tee_some);
}

/* The call waits for late input and writes it into a file. */
static void splice_in(struct slot *s, int in, int out, size_t at)
{
    while (at < s->total) {
        ssize_t n = splice(in, NULL, out, NULL, rest(s, at), 0);

        if (n <= 0 && expect(s, "splice", n, 1) == false && n == 0)
            break;
        at += n > 0 ? (size_t)n : 0;
    }
    if (pread(out, s->room, s->total, 0) != (ssize_t)s->total)
        differ(s, "the file is shorter");
    else
        expect_bytes(s, "the file", s->room, 0, s->total);
}

static void run_splice_to_file(struct slot *s)
{
    open_pipe_in(s);
    s->fd[2] = make_file(s);
    must(ftruncate(s->fd[2], 0), "ftruncate");
    peer_begin(s, feed_slowly);
    splice_in(s, s->fd[1], s->fd[2], 0);
    peer_end(s);
}

/* From a socket into a pipe, one piece at a time; read() empties the pipe. */
static void run_splice_from_socket(struct slot *s)
{
    size_t at = 0;

    open_stream(s);
    open_source(s);
    peer_begin(s, feed_slowly);
    while (at < s->total) {
        ssize_t n = splice(s->fd[1], NULL, s->fd[3], NULL, PIECE, 0);

        if (n <= 0) {
            (void)expect(s, "splice", n, 1);
            continue;
        }
        if (!read_all(s->fd[2], s->room, (size_t)n))
            fatal("read from a pipe");
        expect_bytes(s, "splice", s->room, at, (size_t)n);
        at += (size_t)n;
    }
    peer_end(s);
}

/* tee waits for input too. */
static void run_tee_waits(struct slot *s)
{
    ssize_t n;

    open_pipe_in(s);
    s->total = 100;
    open_source(s);
    peer_begin(s, feed_slowly);
    n = tee(s->fd[1], s->fd[3], 1000, 0);
    if (n <= 0)
        (void)expect(s, "tee", n, 1);
    peer_end(s);
}

const struct call splice_calls[] = {
    { "sendfile-pipe", run_sendfile_pipe, NULL, NULL, 0 },
    { "splice-file-to-pipe", run_splice_file, NULL, NULL, 0 },
    { "vmsplice", run_vmsplice, NULL, NULL, 0 },
    { "splice-pipe-to-pipe", run_splice_pipe, open_pipe_out, NULL, 0 },
    { "splice-pipe-to-stream", run_splice_pipe, open_stream, NULL, 0 },
    { "splice-pipe-to-tcp", run_splice_pipe, open_tcp, NULL, 0 },
    { "splice-pipe-to-file", run_splice_to_file, NULL, NULL, 0 },
    { "splice-stream-to-pipe", run_splice_from_socket, NULL, NULL, 0 },
    { "tee-full-pipe", run_tee, NULL, NULL, 0 },
    { "tee-empty-pipe", run_tee_waits, NULL, NULL, 0 },
    { 0 },
};
