/* syscalls_target_common.c - clocks, peers, comparisons and channels: see
 * syscalls_target.h. */
#include "syscalls_target.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

static unsigned char pattern[PATTERN_BYTES + MAX_SHIFT];

__attribute__((constructor)) static void make_pattern(void)
{
    uint32_t x = 1;

    for (size_t i = 0; i < sizeof(pattern); i++) {
        x = x * 1664525 + 1013904223;
        pattern[i] = (unsigned char)(x >> 24);
    }
}

void fatal(const char *what)
{
    fprintf(stderr, "syscalls_target: %s: %s\n", what, strerror(errno));
    _exit(3);
}

int must(int result, const char *what)
{
    if (result != 0 && (result < 0 || strncmp(what, "pthread", 7) == 0))
        fatal(what);
    return result;
}

int64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct timespec after_ns(clockid_t clock, int64_t ns)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    ns += t.tv_nsec;
    t.tv_sec += (time_t)(ns / 1000000000);
    t.tv_nsec = (long)(ns % 1000000000);
    return t;
}

uint32_t draw(struct slot *s, uint32_t below)
{
    s->random = s->random * 1664525 + 1013904223;
    return (s->random >> 8) % below;
}

void burn(int64_t ns)
{
    int64_t end = now_ns() + ns;

    while (now_ns() < end)
        ;
}

void pause_ns(int64_t ns)
{
    struct timespec t = after_ns(CLOCK_MONOTONIC, ns);

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

void short_delay(struct slot *s)
{
    pause_ns(300000 + (int64_t)(s->n_arrived % 7) * 100000);
}

bool expect(struct slot *s, const char *what, long got, long wanted)
{
    int error = errno;

    if (got == wanted)
        return true;
    differ(s, "%s gives %ld (%s), not %ld", what, got,
           got < 0 ? strerrorname_np(error) : "-", wanted);
    return false;
}

bool expect_error(struct slot *s, const char *what, long got, int error)
{
    int is = errno;

    if (got == -1 && is == error)
        return true;
    differ(s, "%s gives %ld (%s), not -1 (%s)", what, got,
           got < 0 ? strerrorname_np(is) : "-", strerrorname_np(error));
    return false;
}

bool expect_code(struct slot *s, const char *what, int got, int wanted)
{
    if (got == wanted)
        return true;
    differ(s, "%s gives %s, not %s", what, strerrorname_np(got),
           strerrorname_np(wanted));
    return false;
}

void expect_lasted(struct slot *s, const char *what, int64_t start_ns,
                   int64_t min_ns)
{
    int64_t lasted = now_ns() - start_ns;

    if (lasted < min_ns)
        differ(s, "%s ends after %ld us, not %ld", what, (long)(lasted / 1000),
               (long)(min_ns / 1000));
}

void expect_bytes(struct slot *s, const char *what, const void *got, size_t at,
                  size_t n)
{
    if (memcmp(got, s->data + at, n) != 0)
        differ(s, "%s: other bytes from %zu on", what, at);
}

static void *serve_peer(void *arg)
{
    struct slot *s = arg;

    (void)pthread_mutex_lock(&s->lock);
    while (!s->is_over) {
        void (*job)(struct slot *) = s->job;

        if (job) {
            (void)pthread_mutex_unlock(&s->lock);
            job(s);
            (void)pthread_mutex_lock(&s->lock);
            s->job = NULL;
            (void)pthread_cond_broadcast(&s->changed);
        } else {
            (void)pthread_cond_wait(&s->changed, &s->lock);
        }
    }
    (void)pthread_mutex_unlock(&s->lock);
    return NULL;
}

void run_peer(struct slot *s)
{
    must(pthread_mutex_init(&s->lock, NULL), "pthread_mutex_init");
    must(pthread_cond_init(&s->changed, NULL), "pthread_cond_init");
    must(pthread_create(&s->peer, NULL, serve_peer, s), "pthread_create");
}

void peer_begin(struct slot *s, void (*job)(struct slot *s))
{
    (void)pthread_mutex_lock(&s->lock);
    s->n_arrived = 0;
    s->is_garbled = false;
    s->job = job;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

void peer_end(struct slot *s)
{
    (void)pthread_mutex_lock(&s->lock);
    while (s->job)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    (void)pthread_mutex_unlock(&s->lock);
    (void)syscall(
        SYS_getppid); /* lets pending signals of the peer be handled */
}

static bool await(int fd, short events)
{
    struct pollfd p = { .fd = fd, .events = events };

    while (poll(&p, 1, -1) < 0)
        if (errno != EINTR)
            return false;
    return true;
}

/* EAGAIN comes from a channel with a timeout. */
bool write_all(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;

    while (n > 0) {
        ssize_t done = write(fd, at, n);

        if (done < 0 && errno == EAGAIN)
            (void)await(fd, POLLOUT);
        else if (done < 0 && errno != EINTR)
            return false;
        if (done > 0) {
            at += done;
            n -= (size_t)done;
        }
    }
    return true;
}

bool read_all(int fd, void *bytes, size_t n)
{
    char *at = bytes;

    while (n > 0) {
        ssize_t done = read(fd, at, n);

        if (done < 0 && errno == EAGAIN)
            (void)await(fd, POLLIN);
        else if (done == 0 || (done < 0 && errno != EINTR))
            return false;
        if (done > 0) {
            at += done;
            n -= (size_t)done;
        }
    }
    return true;
}

void close_fds(struct slot *s)
{
    for (int i = 0; i < N_FDS; i++)
        if (s->fd[i] >= 0) {
            (void)close(s->fd[i]);
            s->fd[i] = -1;
        }
}

/* Reads at most 4 KB at a time, with pauses. */
void drain_slowly(struct slot *s)
{
    unsigned char bytes[4096];

    while (s->n_arrived < s->total) {
        ssize_t n;

        if (s->n_arrived % (16 << 10) < 4096)
            pause_ns(250000);
        n = read(s->fd[0], bytes, sizeof(bytes));
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0 || s->n_arrived + (size_t)n > s->total)
            break;
        if (memcmp(bytes, s->data + s->n_arrived, (size_t)n) != 0)
            s->is_garbled = true;
        s->n_arrived += (size_t)n;
    }
}

void feed_slowly(struct slot *s)
{
    size_t piece = s->total / 3 + 1;

    for (size_t at = 0; at < s->total; at += piece) {
        pause_ns(250000);
        if (!write_all(s->fd[0], s->data + at,
                       s->total - at < piece ? s->total - at : piece))
            break;
    }
}

static void choose_data(struct slot *s)
{
    s->total = LARGE;
    s->data = pattern + draw(s, MAX_SHIFT);
}

/* One page, so that a writer soon blocks. */
static void make_pipe(struct slot *s, int reader, int writer)
{
    int ends[2];

    choose_data(s);
    must(pipe2(ends, O_CLOEXEC), "pipe2");
    (void)fcntl(ends[1], F_SETPIPE_SZ, 4096);
    s->fd[reader] = ends[0];
    s->fd[writer] = ends[1];
}

void open_pipe_out(struct slot *s)
{
    make_pipe(s, 0, 1);
}

void open_pipe_in(struct slot *s)
{
    make_pipe(s, 1, 0);
}

void open_fifo_out(struct slot *s)
{
    char path[300];

    choose_data(s);
    (void)snprintf(path, sizeof(path), "%s/fifo-%d", s->folder, s->index);
    if (mkfifo(path, 0600) != 0 && errno != EEXIST)
        fatal("mkfifo");
    s->fd[0] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    s->fd[1] = open(path, O_WRONLY | O_CLOEXEC);
    must(s->fd[0] < 0 || s->fd[1] < 0 ? -1 : 0, "open of a FIFO");
    must(fcntl(s->fd[0], F_SETFL, 0), "fcntl");
    (void)fcntl(s->fd[1], F_SETPIPE_SZ, 4096);
}

static void make_pair(struct slot *s, int type)
{
    int size = 4096;

    choose_data(s);
    must(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, s->fd), "socketpair");
    for (int i = 0; i < 2; i++) {
        (void)setsockopt(s->fd[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
        (void)setsockopt(s->fd[i], SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
    }
}

void open_stream(struct slot *s)
{
    make_pair(s, SOCK_STREAM);
}

void open_seqpacket(struct slot *s)
{
    make_pair(s, SOCK_SEQPACKET);
}

void open_dgram(struct slot *s)
{
    make_pair(s, SOCK_DGRAM);
}

void set_timeouts(int fd, int64_t ns)
{
    struct timeval t = { ns / 1000000000, ns % 1000000000 / 1000 };

    must(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)), "SO_RCVTIMEO");
    must(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t)), "SO_SNDTIMEO");
}

void open_stream_timed(struct slot *s)
{
    make_pair(s, SOCK_STREAM);
    set_timeouts(s->fd[1], LONG_NS);
}

/* Closes with a reset, so that no port stays in TIME_WAIT. */
static void tune(int fd)
{
    const struct linger reset = { 1, 0 };
    int size = 4096, one = 1;

    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

void open_tcp(struct slot *s)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t len = sizeof(at);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    choose_data(s);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    must(bind(listener, (struct sockaddr *)&at, sizeof(at)), "bind");
    must(listen(listener, 4), "listen");
    must(getsockname(listener, (struct sockaddr *)&at, &len), "getsockname");
    s->fd[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    tune(s->fd[1]);
    if (connect(s->fd[1], (struct sockaddr *)&at, len) != 0)
        must(errno == EINTR && await(s->fd[1], POLLOUT) ? 0 : -1, "connect");
    do
        s->fd[0] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    while (s->fd[0] < 0 && errno == EINTR);
    must(s->fd[0] < 0 ? -1 : 0, "accept");
    tune(s->fd[0]);
    (void)close(listener);
}

void open_tcp_timed(struct slot *s)
{
    open_tcp(s);
    set_timeouts(s->fd[1], LONG_NS);
}

void open_pty(struct slot *s)
{
    struct termios raw;
    char name[64];

    choose_data(s);
    s->total = 16 << 10;
    s->fd[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (s->fd[0] < 0 || grantpt(s->fd[0]) != 0 || unlockpt(s->fd[0]) != 0 ||
        ptsname_r(s->fd[0], name, sizeof(name)) != 0)
        fatal("posix_openpt");
    s->fd[1] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    must(s->fd[1] < 0 ? -1 : 0, "open of a terminal");
    must(tcgetattr(s->fd[1], &raw), "tcgetattr");
    cfmakeraw(&raw);
    must(tcsetattr(s->fd[1], TCSANOW, &raw), "tcsetattr");
}

int make_file(struct slot *s)
{
    char path[300];
    int fd;

    if (!s->data)
        choose_data(s);
    (void)snprintf(path, sizeof(path), "%s/file-XXXXXX", s->folder);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0 || unlink(path) != 0 || !write_all(fd, s->data, s->total))
        fatal("mkostemp");
    (void)lseek(fd, 0, SEEK_SET);
    return fd;
}
