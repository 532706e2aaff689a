/*
 * endpoint.c - the thread, its descriptors and its end; see endpoint.h.
 *
 * The socket is bound by the caller, so that a taken port is known at once.
 * The thread then takes a copy of the descriptor table, closes in it all but
 * the socket, and tells the caller, who closes the socket in the program's
 * table. Waking the thread must work without a descriptor there, so it is
 * done by a signal, directed at the thread, which blocks it and reads it from
 * a signalfd.
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
#include "base/error.h"
#include "http/address.h"
#include "http/limits.h"
#include "http/server.h"
#include "http/timer.h"
#include "runtime/endpoint/address_transfer.h"
#include "runtime/endpoint/service.h"
#include "runtime/endpoint/token_gate.h"
#include "runtime/endpoint/ui_page.h"
#include "runtime/os/own_fds.h"
#include "runtime/os/stderr.h"

#define WAKE_SIGNAL SIGURG /* ignored by default, should all else fail */
#define START_SECONDS 5
#define LEASE_POLL_NS ((int64_t)200000000)
#define MIN_SPARE_FDS 2 /* a connection, and a file to read for its answer */

/* What the thread tells the one who started it. */
enum stage {
    STARTING,
    SHARED,  /* serving, with the program's descriptors */
    PRIVATE, /* serving, with its own */
    FAILED,
    ENDED,
};

struct cp_endpoint {
    struct cp_endpoint_options options;
    struct cp_http_address address;
    char text[CP_HTTP_ADDRESS_BYTES + 32];
    struct cp_service service;
    struct cp_http_server *server;
    int listen_fd, signal_fd;
    int transfer_fd; /* descendants connect to it; -1: none */
    int lease_fd;    /* of the descendant that has our address; -1: none */
    pid_t pid;       /* of the process that started it */
    _Atomic int tid;
    _Atomic uint32_t stage;
    struct cp_error failure; /* why the stage is FAILED */
    _Atomic bool is_lent;    /* a descendant serves in our place */
    struct cp_http_timer poll_lease;
};

/* ---- small calls ---- */

static void tell(struct cp_endpoint *e, enum stage stage)
{
    atomic_store(&e->stage, (uint32_t)stage);
    (void)syscall(SYS_futex, &e->stage, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* The stage that comes after `now`, or that itself if none does. */
static enum stage wait_for_stage(struct cp_endpoint *e, enum stage now)
{
    struct timespec patience = { START_SECONDS, 0 };
    uint32_t stage;

    while ((stage = atomic_load(&e->stage)) == (uint32_t)now)
        if (syscall(SYS_futex, &e->stage, FUTEX_WAIT, now, &patience, NULL,
                    0) != 0 &&
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

/* ---- the address on loan (address_transfer.h) ---- */

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

/* Serves again once the descendant has given up the lease. */
static void poll_lease(void *context)
{
    struct cp_endpoint *e = context;

    if (e->lease_fd >= 0 && !cp_address_transfer_is_leased(e->lease_fd))
        close_fd(&e->lease_fd);
    if (e->lease_fd >= 0 || !listen_again(e)) {
        cp_http_server_after(e->server, &e->poll_lease, LEASE_POLL_NS);
        return;
    }
    atomic_store(&e->is_lent, false);
    cp_http_server_pause(e->server, false);
    if (e->options.serving)
        (void)e->options.serving(e->text);
}

static void on_transfer(void *context)
{
    struct cp_endpoint *e = context;
    int lease = cp_address_transfer_accept(e->transfer_fd);

    if (lease < 0 && errno != EAGAIN)
        close_fd(&e->transfer_fd); /* else the loop would spin */
    if (lease < 0)
        return;
    if (atomic_load(&e->is_lent) || e->service.n_windows > 0 ||
        !e->options.may_hand() ||
        !cp_address_transfer_send(lease, e->listen_fd)) {
        (void)close(lease);
        return;
    }
    e->lease_fd = lease;
    atomic_store(&e->is_lent, true);
    cp_http_server_pause(e->server, true);
    if (e->options.handed)
        e->options.handed();
    e->poll_lease.fire = poll_lease;
    e->poll_lease.context = e;
    cp_http_server_after(e->server, &e->poll_lease, LEASE_POLL_NS);
}

/* Without it the endpoint works, but keeps its address. */
static void offer_transfer(struct cp_endpoint *e)
{
    if (!e->options.may_hand)
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

    while (read(e->signal_fd, &info, sizeof(info)) > 0)
        ;
    cp_http_server_stop(e->server);
}

/* Connections use descriptors: a share of what the program may have. */
static size_t connection_limit(size_t most, bool is_private)
{
    struct rlimit files = { 1024, 1024 };
    size_t share;

    (void)getrlimit(RLIMIT_NOFILE, &files);
    share = files.rlim_cur == RLIM_INFINITY ? most : (size_t)files.rlim_cur;
    if (!is_private)
        share /= 8;
    share = share > 32 ? share - 16 : 16;
    return share < most ? share : most;
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
        return cp_error_set(err, CP_EIO, "signalfd: %s", strerror(errno));
    if (cp_http_server_new(&e->server, &limits, cp_service_handle, &e->service,
                           err) != CP_OK)
        return err->status;
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

/* On the thread whose descriptors they are; not all of it may be there. */
static void take_down(struct cp_endpoint *e)
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
        take_down(e);
        tell(e, FAILED);
        return;
    }
    tell(e, is_private ? PRIVATE : SHARED);
    (void)cp_http_server_run(e->server, NULL);
    take_down(e);
    if (socket_path(e) && !atomic_load(&e->is_lent))
        (void)unlink(socket_path(e));
    if (e->options.lease_fd)
        (void)close(e->options.lease_fd); /* last: the owner binds the path */
    tell(e, ENDED);
}

/* ---- the caller ---- */

/* Other processes have other working directories: the path is absolute. */
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
    if (e->options.serving)
        is_new = e->options.serving(e->text);
    (void)snprintf(line, sizeof(line), "cpprof: pid %ld, profiles at %s\n",
                   (long)getpid(), e->text);
    if (is_new && !e->options.is_quiet)
        cp_stderr_write(line);
    if (atomic_load(&e->is_lent) && e->options.handed)
        e->options.handed(); /* before we had said that it was ours */
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

/* A socket that was given to us, or one of our own. */
static enum cp_status have_socket(struct cp_endpoint *e, struct cp_error *err)
{
    int fd = e->options.listen_fd;

    if (fd <= STDERR_FILENO || !is_same_address(&e->address, fd)) {
        if (e->options.lease_fd)
            return cp_error_set(err, CP_EIO, "the socket has another address");
        return cp_http_address_listen(&e->address, &e->listen_fd, err);
    }
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    e->listen_fd = fd;
    return CP_OK;
}

static enum cp_status launch(struct cp_endpoint *e, struct cp_error *err)
{
    int fd = e->listen_fd;
    enum cp_status status = e->options.spawn(run, e, err);

    if (status != CP_OK) {
        (void)close(fd);
        return status;
    }
    switch (wait_for_stage(e, STARTING)) {
    case PRIVATE:
        (void)close(fd); /* the thread has its own */
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
        return cp_error_set(err, CP_EIO, "the endpoint's thread hangs");
    }
}

/* What the service does for an endpoint that knows its address. */
static void equip(struct cp_service *s, struct cp_endpoint *e)
{
    const struct cp_endpoint_options *options = &e->options;

    s->ending = options->ending;
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
        status = have_socket(e, err);
    if (status == CP_OK) {
        equip(&e->service, e);
        status = launch(e, err);
    }
    return status;
}

/* The endpoint owns a leased socket; launch() closes the one that it got. */
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

    return now == ENDED || wait_for_stage(e, now) == ENDED;
}

void cp_endpoint_stop(struct cp_endpoint *e)
{
    int number = errno;

    (void)syscall(SYS_tgkill, e->pid, atomic_load(&e->tid), WAKE_SIGNAL);
    errno = number;
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
