/*
 * endpoint.c - starts and stops the endpoint thread, and manages its descriptor
 * table and the lease of its address.
 *
 * The caller binds the socket, so that an address in use is an error at once.
 * The thread then unshares the descriptor table and closes everything but the
 * socket. The caller waits for that and closes the socket in the table of the
 * program. Caller and thread then share no descriptor, so the caller wakes the
 * thread by a directed signal, which the thread blocks and reads from a
 * signalfd.
 */
#include "runtime/endpoint/endpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "http/limits.h"
#include "runtime/endpoint/address_transfer.h"
#include "runtime/endpoint/service.h"
#include "runtime/endpoint/ui_page.h"
#include "runtime/os/own_fds.h"
#include "runtime/os/stderr.h"

#define WAKE_SIGNAL SIGURG /* harmless if unblocked: ignored by default */
#define STAGE_TIMEOUT_S 5
#define LEASE_POLL_NS ((int64_t)200000000)
#define MIN_SPARE_FDS 2 /* one connection and one file that it reads */

/* Stages of the thread; it only moves forward. */
enum stage {
    STARTING,
    SHARED,  /* serves with the descriptor table of the program */
    PRIVATE, /* serves with its own descriptor table */
    FAILED,  /* could not start; `failure` is set */
    ENDED,
};

struct cp_endpoint {
    struct cp_endpoint_options options;
    struct cp_http_address address;
    char text[CP_HTTP_ADDRESS_BYTES + 32]; /* as cp_endpoint_address returns */
    struct cp_service service;
    struct cp_http_server *server;
    int listen_fd, signal_fd;
    int transfer_fd;         /* accepts requests for a lease; -1 if none */
    int lease_fd;            /* lease that a descendant holds; -1 if none */
    pid_t pid;               /* process that started the thread */
    _Atomic int tid;         /* endpoint thread; 0 before it runs */
    _Atomic uint32_t stage;  /* enum stage; a futex */
    struct cp_error failure; /* reason of the stage FAILED */
    _Atomic bool is_leased;  /* a descendant serves this address */
    struct cp_http_timer poll_lease;
};

/* ---- stages ---- */

static void publish_stage(struct cp_endpoint *e, enum stage stage)
{
    CP_ASSERT(stage > atomic_load(&e->stage));
    atomic_store(&e->stage, (uint32_t)stage);
    (void)syscall(SYS_futex, &e->stage, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/*
 * Waits until the stage differs from `now`, and returns it. Returns `now` after
 * the timeout.
 */
static enum stage wait_for_stage(struct cp_endpoint *e, enum stage now)
{
    struct timespec timeout = { STAGE_TIMEOUT_S, 0 };
    uint32_t stage;

    while ((stage = atomic_load(&e->stage)) == (uint32_t)now)
        if (syscall(SYS_futex, &e->stage, FUTEX_WAIT, now, &timeout, NULL, 0) !=
                0 &&
            errno == ETIMEDOUT)
            break;
    return (enum stage)stage;
}

static void block_signals(void)
{
    sigset_t all;

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
}

static const char *socket_path(const struct cp_endpoint *e)
{
    const struct sockaddr_un *un = (const void *)&e->address.socket;

    return un->sun_family == AF_UNIX ? un->sun_path : NULL;
}

/* ---- the lease of the address (address_transfer.h) ---- */

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* The descendant has removed the file of a unix socket: bind it again. */
static bool listen_again(struct cp_endpoint *e)
{
    int fd = -1;

    CP_ASSERT(atomic_load(&e->is_leased));
    if (!socket_path(e))
        return true;
    cp_http_server_unlisten(e->server);
    if (cp_http_address_listen(&e->address, &fd, NULL) != CP_OK)
        return false;
    if (cp_http_server_listen(e->server, fd, NULL) == CP_OK) {
        e->listen_fd = fd;
        return true;
    }
    (void)close(fd);
    return false;
}

/* Serves again after the descendant has closed the lease. */
static void poll_lease(void *context)
{
    struct cp_endpoint *e = context;

    CP_ASSERT(atomic_load(&e->is_leased) && e->server);
    if (e->lease_fd >= 0 && !cp_address_transfer_is_leased(e->lease_fd))
        close_fd(&e->lease_fd);
    if (e->lease_fd >= 0 || !listen_again(e)) {
        cp_http_server_after(e->server, &e->poll_lease, LEASE_POLL_NS);
        return;
    }
    atomic_store(&e->is_leased, false);
    cp_http_server_pause(e->server, false);
    if (e->options.on_serving)
        (void)e->options.on_serving(e->text);
}

static void on_transfer(void *context)
{
    struct cp_endpoint *e = context;
    int lease = cp_address_transfer_accept(e->transfer_fd);

    if (lease < 0 && errno != EAGAIN)
        close_fd(&e->transfer_fd); /* poll would report the error again */
    if (lease < 0)
        return;
    if (atomic_load(&e->is_leased) || e->service.n_waiting > 0 ||
        !e->options.may_lease() ||
        !cp_address_transfer_send(lease, e->listen_fd)) {
        (void)close(lease);
        return;
    }
    CP_ASSERT(e->lease_fd < 0);
    e->lease_fd = lease;
    atomic_store(&e->is_leased, true);
    cp_http_server_pause(e->server, true);
    if (e->options.on_leased)
        e->options.on_leased();
    e->poll_lease.fire = poll_lease;
    e->poll_lease.context = e;
    cp_http_server_after(e->server, &e->poll_lease, LEASE_POLL_NS);
}

/* On failure the endpoint works, but never leases its address. */
static void offer_transfer(struct cp_endpoint *e)
{
    if (!e->options.may_lease)
        return;
    e->transfer_fd = cp_address_transfer_open();
    if (e->transfer_fd >= 0 &&
        cp_http_server_watch(e->server, e->transfer_fd, on_transfer, e, NULL) !=
            CP_OK)
        close_fd(&e->transfer_fd);
}

/* ---- the thread ---- */

static void on_signal(void *context)
{
    struct cp_endpoint *e = context;
    struct signalfd_siginfo info;

    CP_ASSERT(e->signal_fd >= 0 && e->server);
    while (read(e->signal_fd, &info, sizeof(info)) > 0)
        ;
    cp_http_server_stop(e->server);
}

/*
 * Returns the limit of connections that RLIMIT_NOFILE allows: an eighth of it
 * in a shared descriptor table, all of it in a private one, minus 16 for files.
 */
static size_t connection_limit(size_t max, bool is_private)
{
    struct rlimit files = { 1024, 1024 };
    size_t share;

    (void)getrlimit(RLIMIT_NOFILE, &files);
    share = files.rlim_cur == RLIM_INFINITY ? max : (size_t)files.rlim_cur;
    if (!is_private)
        share /= 8;
    share = share > 32 ? share - 16 : 16;
    return share < max ? share : max;
}

static enum cp_status prepare(struct cp_endpoint *e, bool is_private)
{
    struct cp_http_limits limits = CP_HTTP_DEFAULT_LIMITS;
    struct cp_error *err = &e->failure;
    sigset_t wake;

    (void)sigemptyset(&wake);
    (void)sigaddset(&wake, WAKE_SIGNAL);
    limits.n_connections = connection_limit(limits.n_connections, is_private);
    e->signal_fd = signalfd(-1, &wake, SFD_CLOEXEC | SFD_NONBLOCK);
    if (e->signal_fd < 0)
        return cp_error_set(err, CP_EIO, "cannot serve profiles: signalfd: %s",
                            strerror(errno));
    if (cp_http_server_new(&e->server, &limits, cp_service_handle, &e->service,
                           err) != CP_OK)
        return err->status;
    CP_ASSERT(e->server && e->listen_fd >= 0);
    e->service.server = e->server;
    if (cp_http_server_watch(e->server, e->signal_fd, on_signal, e, err) !=
        CP_OK)
        return err->status;
    if (!cp_own_fds_can_open(e->listen_fd, MIN_SPARE_FDS))
        return cp_error_set(err, CP_EIO,
                            "cannot serve profiles: too few file descriptors; "
                            "raise ulimit -n");
    offer_transfer(e);
    if (!cp_own_fds_can_open(e->listen_fd, MIN_SPARE_FDS))
        close_fd(&e->transfer_fd);
    return cp_http_server_listen(e->server, e->listen_fd, err);
}

/* Runs on the endpoint thread, which owns the descriptors. */
static void close_server(struct cp_endpoint *e)
{
    cp_http_server_free(e->server);
    e->server = NULL;
    close_fd(&e->signal_fd);
    close_fd(&e->transfer_fd);
    close_fd(&e->lease_fd);
}

static void run(void *context)
{
    struct cp_endpoint *e = context;
    bool is_private;

    block_signals();
    (void)prctl(PR_SET_NAME, "cpprof");
    atomic_store(&e->tid, (int)syscall(SYS_gettid));
    is_private = !e->options.shares_descriptors &&
                 cp_own_fds_unshare(e->listen_fd, e->options.lease_fd);
    if (prepare(e, is_private) != CP_OK) {
        close_server(e);
        publish_stage(e, FAILED);
        return;
    }
    publish_stage(e, is_private ? PRIVATE : SHARED);
    (void)cp_http_server_run(e->server, NULL);
    close_server(e);
    if (socket_path(e) && !atomic_load(&e->is_leased))
        (void)unlink(socket_path(e));
    if (e->options.lease_fd)
        (void)close(
            e->options.lease_fd); /* last: the owner then binds the path */
    publish_stage(e, ENDED);
}

/* ---- the thread of the caller ---- */

/*
 * Writes the address as clients use it. The path of a unix socket becomes
 * absolute, because clients have different working directories.
 */
static void write_text(struct cp_endpoint *e)
{
    const char *path = socket_path(e);
    char address[CP_HTTP_ADDRESS_BYTES], folder[CP_HTTP_ADDRESS_BYTES];

    cp_http_address_text(&e->address, address);
    if (!path)
        (void)snprintf(e->text, sizeof(e->text), "http://%s/debug/pprof/",
                       address);
    else if (*path == '/' || !getcwd(folder, sizeof(folder)) ||
             snprintf(e->text, sizeof(e->text), "unix:%s/%s", folder, path) >=
                 (int)sizeof(e->text))
        (void)snprintf(e->text, sizeof(e->text), "%s", address);
}

/* Reports the address, to the registry and to the user. */
static void announce(struct cp_endpoint *e)
{
    char line[512];
    bool is_new = true;

    write_text(e);
    if (e->options.on_serving)
        is_new = e->options.on_serving(e->text);
    (void)snprintf(line, sizeof(line), "cpprof: pid %ld, profiles at %s\n",
                   (long)getpid(), e->text);
    if (is_new && !e->options.is_quiet)
        cp_stderr_write(line);
    if (atomic_load(&e->is_leased) && e->options.on_leased)
        e->options.on_leased(); /* it was leased before on_serving ran */
}

static bool is_same_address(const struct cp_http_address *a, int fd)
{
    struct cp_http_address its = { .len = sizeof(its.socket) };
    char one[CP_HTTP_ADDRESS_BYTES], other[CP_HTTP_ADDRESS_BYTES];
    int is_listening = 0;
    socklen_t len = sizeof(is_listening);

    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &len) ||
        !is_listening ||
        getsockname(fd, (struct sockaddr *)&its.socket, &its.len))
        return false;
    cp_http_address_text(a, one);
    cp_http_address_text(&its, other);
    return strcmp(one, other) == 0;
}

/* Uses options.listen_fd if it has the address, or binds a new socket. */
static enum cp_status open_listen_socket(struct cp_endpoint *e,
                                         struct cp_error *err)
{
    int fd = e->options.listen_fd;

    if (fd <= STDERR_FILENO || !is_same_address(&e->address, fd)) {
        if (e->options.lease_fd)
            return cp_error_set(
                err, CP_EIO,
                "cannot take over the address: the parent process "
                "sent a socket of another address");
        return cp_http_address_listen(&e->address, &e->listen_fd, err);
    }
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    e->listen_fd = fd;
    return CP_OK;
}

static enum cp_status start_thread(struct cp_endpoint *e, struct cp_error *err)
{
    int fd = e->listen_fd;
    enum cp_status status = e->options.spawn(run, e, err);

    if (status != CP_OK) {
        (void)close(fd);
        return status;
    }
    switch (wait_for_stage(e, STARTING)) {
    case PRIVATE:
        (void)close(fd); /* the thread has a copy */
        if (e->options.lease_fd)
            (void)close(e->options.lease_fd);
        return CP_OK;
    case SHARED:
        return CP_OK;
    case FAILED:
        (void)close(fd);
        if (socket_path(e))
            (void)unlink(socket_path(e));
        if (err)
            *err = e->failure;
        return e->failure.status;
    default:
        return cp_error_set(
            err, CP_EIO,
            "cannot serve profiles: the endpoint thread did not start within "
            "5 s; try again");
    }
}

/* The fields of the service that depend on the address and the options. */
static void configure_service(struct cp_service *s, struct cp_endpoint *e)
{
    const struct cp_endpoint_options *options = &e->options;

    s->on_detach = options->on_detach;
    s->cost = options->cost;
    s->ui = cp_ui_page;
    s->ui_context = s;
    s->more = options->more_kinds;
    s->is_guarded = e->address.is_loopback && !options->allows_any_host;
    s->socket_path = socket_path(e);
    cp_token_gate_init(&s->gate, options->token ? options->token : "");
    s->checks_user = true;
    s->is_local = e->address.is_loopback || socket_path(e);
}

static enum cp_status start(struct cp_endpoint *e,
                            const struct cp_endpoint_options *options,
                            struct cp_error *err)
{
    enum cp_status status;

    e->options = *options;
    e->pid = getpid();
    e->listen_fd = e->signal_fd = e->transfer_fd = e->lease_fd = -1;
    status = cp_service_init(&e->service, options->kinds, err);
    if (status == CP_OK)
        status = cp_http_address_parse(&e->address, options->listen, err);
    if (status == CP_OK)
        status = open_listen_socket(e, err);
    if (status == CP_OK) {
        configure_service(&e->service, e);
        status = start_thread(e, err);
    }
    return status;
}

/* On failure: the endpoint owns a leased socket. start_thread closes its own.
 */
static void close_leased(const struct cp_endpoint_options *options,
                         const struct cp_endpoint *e)
{
    if (!options->lease_fd)
        return;
    (void)close(options->lease_fd);
    if (!e || e->listen_fd < 0)
        (void)close(options->listen_fd);
}

enum cp_status cp_endpoint_start(struct cp_endpoint **out,
                                 const struct cp_endpoint_options *options,
                                 struct cp_error *err)
{
    struct cp_endpoint *e = cp_alloc(1, sizeof(*e), err);
    enum cp_status status = e ? start(e, options, err) : CP_ENOMEM;

    if (status != CP_OK) {
        close_leased(options, e);
        cp_endpoint_free(e);
        return status;
    }
    announce(e);
    *out = e;
    return CP_OK;
}

bool cp_endpoint_await_end(struct cp_endpoint *e)
{
    enum stage now = (enum stage)atomic_load(&e->stage);

    CP_ASSERT(now != STARTING && now != FAILED);
    return now == ENDED || wait_for_stage(e, now) == ENDED;
}

void cp_endpoint_stop(struct cp_endpoint *e)
{
    int saved_errno = errno;

    (void)syscall(SYS_tgkill, e->pid, atomic_load(&e->tid), WAKE_SIGNAL);
    errno = saved_errno;
}

bool cp_endpoint_pause(struct cp_endpoint *e, char at[CP_HTTP_ADDRESS_BYTES])
{
    at[0] = '\0';
    cp_endpoint_stop(e);
    if (!cp_endpoint_await_end(e))
        return false;
    cp_http_address_text(&e->address, at);
    return true;
}

const char *cp_endpoint_address(const struct cp_endpoint *e)
{
    return e->text;
}

void cp_endpoint_free(struct cp_endpoint *e)
{
    if (!e)
        return;
    if (socket_path(e) && e->listen_fd >= 0 && atomic_load(&e->stage) != ENDED)
        (void)unlink(socket_path(e));
    cp_service_release(&e->service);
    cp_free(e);
}

void cp_endpoint_abandon(struct cp_endpoint *e)
{
    if (atomic_load(&e->stage) == SHARED && e->server)
        cp_http_server_abandon(e->server);
    if (atomic_load(&e->stage) != SHARED)
        return;
    close_fd(&e->signal_fd);
    close_fd(&e->transfer_fd);
    close_fd(&e->lease_fd);
    if (e->options.lease_fd)
        (void)close(e->options.lease_fd);
}
