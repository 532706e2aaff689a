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
#include "runtime/endpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <sched.h>
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
#include "base/instance.h"
#include "http/address.h"
#include "http/server.h"
#include "runtime/sandbox.h"
#include "runtime/service.h"
#include "runtime/stderr.h"
#include "runtime/ui_page.h"
#include "signal/syscall.h"

#define WAKE_SIGNAL SIGURG /* ignored by default, should all else fail */
#define START_SECONDS 5
#define MAX_CLOSED 65536 /* descriptors, where close_range is not used */
#define LOOK_NS ((int64_t)500000000) /* after who was given the address */

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
    pid_t pid; /* of the process that started it */
    _Atomic int tid;
    _Atomic uint32_t stage;
    struct cp_error failure; /* why the stage is FAILED */
    _Atomic pid_t heir;      /* who has the address for now; 0: we */
    uint64_t heir_start;
    struct cp_http_timer look;
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

/* To ThreadSanitizer a number is the same file in all tables. */
#if defined(__SANITIZE_THREAD__)
static const bool can_part = false;
#else
static const bool can_part = true;
#endif

static bool part_by_range(int keep)
{
    unsigned first = (unsigned)keep + 1;

    if (CP_SYSCALL(SYS_close_range, first, ~0u, CLOSE_RANGE_UNSHARE) != 0)
        return false;
    if (keep > 0)
        (void)CP_SYSCALL(SYS_close_range, 0, (unsigned)keep - 1, 0);
    return true;
}

static void close_others(int keep)
{
    struct rlimit files = { MAX_CLOSED, MAX_CLOSED };
    int end = MAX_CLOSED;

    (void)getrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur < (rlim_t)end)
        end = (int)files.rlim_cur;
    for (int fd = 0; fd < end; fd++)
        if (fd != keep)
            (void)CP_SYSCALL(SYS_close, fd);
}

/*
 * Whether this thread now has a table of its own, with the socket alone. Under
 * a seccomp filter close_range may end the process: systemd 247 and 248 do not
 * have it in @system-service. A filter that refuses unshare with an error is
 * one that gives errors.
 */
static bool part_descriptors(int keep)
{
    long result;

    if (!can_part)
        return false;
    if (!cp_sandbox_is_filtered())
        return part_by_range(keep);
    result = CP_SYSCALL(SYS_unshare, CLONE_FILES);
    if (result == -EPERM)
        return part_by_range(keep);
    if (result == 0)
        close_others(keep);
    return result == 0;
}

static const char *socket_path(const struct cp_endpoint *e)
{
    const struct sockaddr_un *un = (const void *)&e->address.socket;

    return un->sun_family == AF_UNIX ? un->sun_path : NULL;
}

/* ---- the address on loan ---- */

/* Takes the address back when the heir has ended. */
static void look(void *context)
{
    struct cp_endpoint *e = context;
    int fd = -1;

    if (cp_instance_start_ticks(e->heir) != e->heir_start &&
        cp_http_address_listen(&e->address, &fd, NULL) == CP_OK) {
        if (cp_http_server_listen(e->server, fd, NULL) == CP_OK) {
            e->heir = 0;
            if (e->options.serving)
                (void)e->options.serving(e->text);
            return;
        }
        (void)close(fd);
    }
    cp_http_server_after(e->server, &e->look, LOOK_NS);
}

/* Whether that process can have our address now. */
static bool hand_on(struct cp_endpoint *e, long pid)
{
    if (e->heir || !e->options.may_hand(pid))
        return false;
    e->heir = (pid_t)pid;
    e->heir_start = cp_instance_start_ticks(e->heir);
    if (e->options.handed)
        e->options.handed();
    cp_http_server_unlisten(e->server);
    if (socket_path(e))
        (void)unlink(socket_path(e));
    e->look.fire = look;
    e->look.context = e;
    cp_http_server_after(e->server, &e->look, LOOK_NS);
    return true;
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
    return cp_http_server_listen(e->server, e->listen_fd, err);
}

/* On the thread whose descriptors they are; not all of it may be there. */
static void take_down(struct cp_endpoint *e)
{
    cp_http_server_free(e->server);
    e->server = NULL;
    if (e->signal_fd >= 0)
        (void)close(e->signal_fd);
}

static void run(void *context)
{
    struct cp_endpoint *e = context;
    bool is_private;

    block_signals();
    (void)prctl(PR_SET_NAME, "cpprof");
    atomic_store(&e->tid, (int)syscall(SYS_gettid));
    is_private =
        !e->options.shares_descriptors && part_descriptors(e->listen_fd);
    if (prepare(e, is_private) != CP_OK) {
        take_down(e);
        tell(e, FAILED);
        return;
    }
    tell(e, is_private ? PRIVATE : SHARED);
    (void)cp_http_server_run(e->server, NULL);
    take_down(e);
    if (socket_path(e) && !e->heir)
        (void)unlink(socket_path(e));
    tell(e, ENDED);
}

/* ---- the caller ---- */

/* Says where it is: to who is to know, and to the user. */
static void announce(struct cp_endpoint *e)
{
    char address[CP_HTTP_ADDRESS_BYTES], line[512];
    bool is_new = true;

    cp_http_address_text(&e->address, address);
    if (socket_path(e))
        (void)snprintf(e->text, sizeof(e->text), "%s", address);
    else
        (void)snprintf(e->text, sizeof(e->text), "http://%s/debug/pprof/",
                       address);
    if (e->options.serving)
        is_new = e->options.serving(e->text);
    (void)snprintf(line, sizeof(line), "cpprof: pid %ld, profiles at %s\n",
                   (long)getpid(), e->text);
    if (is_new && !e->options.is_quiet)
        cp_stderr_write(line);
    if (atomic_load(&e->heir) && e->options.handed)
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

/* A socket that was handed to us, or one of our own. */
static enum cp_status have_socket(struct cp_endpoint *e, struct cp_error *err)
{
    int fd = e->options.listen_fd;

    if (fd <= STDERR_FILENO || !is_same_address(&e->address, fd))
        return cp_http_address_listen(&e->address, &e->listen_fd, err);
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

    s->hand_on = options->may_hand ? hand_on : NULL;
    s->endpoint = e;
    s->ending = options->ending;
    s->cost = options->cost;
    s->ui = cp_ui_page;
    s->ui_context = s;
    s->more = options->more_kinds;
    s->is_guarded = e->address.is_loopback && !options->allows_any_host;
    s->socket_path = socket_path(e);
    s->is_local = e->address.is_loopback || socket_path(e);
}

enum cp_status cp_endpoint_start(struct cp_endpoint **out,
                                 const struct cp_endpoint_options *options,
                                 struct cp_error *err)
{
    struct cp_endpoint *e = cp_alloc(1, sizeof(*e), err);
    enum cp_status status;

    if (!e)
        return CP_ENOMEM;
    e->options = *options;
    e->pid = getpid();
    e->listen_fd = e->signal_fd = -1;
    status = cp_service_init(&e->service, options->kinds, err);
    if (status == CP_OK)
        status = cp_http_address_parse(&e->address, options->listen, err);
    if (status == CP_OK)
        status = have_socket(e, err);
    if (status == CP_OK) {
        equip(&e->service, e);
        status = launch(e, err);
    }
    if (status != CP_OK) {
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
    if (atomic_load(&e->heir))
        return false;
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
    if (atomic_load(&e->stage) == SHARED)
        (void)close(e->signal_fd);
}
