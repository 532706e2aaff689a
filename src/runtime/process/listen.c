/*
 * listen.c - owns the endpoint of the process, and retries until its address is
 * free.
 */
#include "runtime/process/listen.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/endpoint/address_transfer.h"
#include "runtime/endpoint/endpoint.h"
#include "runtime/heap/heap.h"
#include "runtime/os/sandbox.h"
#include "runtime/process/cost.h"
#include "runtime/process/kinds.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/record.h"
#include "runtime/process/registry.h"
#include "runtime/process/settings.h"
#include "runtime/process/socket_file.h"
#include "runtime/profiles/custom.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/threads/internal_thread.h"

#define CHILD_DELAY_NS 100000000 /* before a forked child serves */
#define ADDRESS_HOLDER_DELAY_NS                                                \
    250000000 /* shorter commands leave the address alone */
#define MAX_RETRY_DELAY_NS 4000000000 /* exponential backoff */
#define N_TRIES 10
#define N_TRIES_AFTER_FORK 4

static const struct cp_settings no_settings;

static struct {
    struct cp_lock lock;
    char where[512]; /* requested address; "" if none */
    struct cp_endpoint *endpoint;
    const struct cp_settings *settings;
    int listen_fd;          /* socket for the next endpoint; 0 if none */
    int lease_fd;           /* lease of that socket; 0 if none */
    bool is_attach_session; /* cpprof attach has started the endpoint */
    _Atomic int n_tries;    /* tries left to get the address */
    int64_t delay_ns;       /* before the first try */
    char paused_at[CP_HTTP_ADDRESS_BYTES]; /* actual address, or "" */
} state = { .settings = &no_settings };

void cp_listen_configure(const struct cp_settings *s)
{
    state.settings = s;
    state.listen_fd = s->listen_fd;
}

static enum cp_status spawn(void (*run)(void *context), void *context,
                            struct cp_error *err)
{
    return cp_internal_thread_start("cpprof", run, context, err);
}

static bool on_serving(const char *address)
{
    cp_socket_file_own(address);
    cp_record_start(state.settings);
    return cp_registry_add(address, state.settings->app_id);
}

static void on_leased(void)
{
    cp_socket_file_disown();
    cp_registry_remove();
    cp_record_cancel();
}

static bool may_lease(void)
{
    return state.settings->follow != CP_FOLLOW_NONE &&
           cp_address_transfer_is_idle();
}

static void close_all(void *arg)
{
    (void)arg;
    cp_lifecycle_detach();
    (void)cp_listen_close();
}

static void on_detach(void)
{
    (void)cp_internal_thread_start("cpprof-end", close_all, NULL, NULL);
}

static enum cp_status start_endpoint(const char *where, struct cp_error *err)
{
    struct cp_endpoint_options options = {
        .listen = where,
        .kinds = cp_kinds,
        .more_kinds = cp_custom_kind,
        .cost = cp_cost,
        .listen_fd = state.listen_fd,
        .lease_fd = state.lease_fd,
        .token = state.settings->token,
        .is_quiet = state.settings->is_quiet || where != state.where,
        .on_serving = on_serving,
        .on_leased = on_leased,
        .may_lease = may_lease,
        .on_detach = state.settings->is_attached ? on_detach : NULL,
        .spawn = spawn
    };
    enum cp_status status = cp_endpoint_start(&state.endpoint, &options, err);
    struct cp_error heap_err = { 0 };

    state.is_attach_session = state.settings->is_attached;
    state.listen_fd = state.lease_fd = 0;
    if (status == CP_OK && cp_heap_enable(&heap_err) != CP_OK)
        cp_lifecycle_report(heap_err.msg);
    return status;
}

static enum cp_status listen_locked(const char *where, struct cp_error *err)
{
    enum cp_status status;

    if (state.endpoint)
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot listen: this process listens on %s already; call "
            "cpprof_close first",
            cp_endpoint_address(state.endpoint));
    if (strlen(where) >= sizeof(state.where))
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot listen: the address is longer than %zu bytes",
            sizeof(state.where) - 1);
    if (state.settings->is_token_bad)
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot listen on %s: PPROFTOKEN is not a token; use "
            "1 to 256 letters, digits and -._~+/=, or unset it",
            where);
    (void)strcpy(state.where, where);
    status = start_endpoint(state.where, err);
    if (status != CP_OK)
        state.where[0] = '\0';
    return status;
}

enum cp_status cp_listen(const char *where, struct cp_error *err)
{
    enum cp_status status;

    cp_lock_acquire(&state.lock);
    status = listen_locked(where, err);
    cp_lock_release(&state.lock);
    return status;
}

const char *cp_listen_address(void)
{
    const char *address = NULL;

    cp_lock_acquire(&state.lock);
    if (state.endpoint)
        address = cp_endpoint_address(state.endpoint);
    cp_lock_release(&state.lock);
    return address;
}

bool cp_listen_is_attach_session(void)
{
    bool is_attach_session;

    cp_lock_acquire(&state.lock);
    is_attach_session = state.endpoint && state.is_attach_session;
    cp_lock_release(&state.lock);
    return is_attach_session;
}

static bool close_locked(void)
{
    struct cp_endpoint *e = state.endpoint;

    if (!e)
        return true;
    cp_socket_file_disown();
    cp_registry_remove();
    cp_record_cancel();
    cp_endpoint_stop(e);
    state.where[0] = '\0';
    state.endpoint = NULL;
    if (!cp_endpoint_await_end(e))
        return false; /* the thread still uses it: leak it */
    cp_endpoint_free(e);
    return true;
}

bool cp_listen_close(void)
{
    bool is_closed;

    cp_lock_acquire(&state.lock);
    is_closed = close_locked();
    cp_lock_release(&state.lock);
    cp_refresh_shut_down();
    return is_closed;
}

void cp_listen_pause(void)
{
    struct cp_endpoint *e;

    cp_lock_acquire(&state.lock);
    e = state.endpoint;
    if (e && cp_endpoint_pause(e, state.paused_at)) {
        state.endpoint = NULL;
        cp_endpoint_free(e);
    }
    cp_lock_release(&state.lock);
}

/* Silent if the endpoint cannot serve in the new namespace. */
void cp_listen_resume(void)
{
    cp_lock_acquire(&state.lock);
    if (state.paused_at[0] && !state.endpoint)
        (void)start_endpoint(state.paused_at, NULL);
    if (!state.endpoint && state.paused_at[0]) {
        cp_socket_file_disown();
        cp_registry_remove();
    }
    state.paused_at[0] = '\0';
    cp_lock_release(&state.lock);
}

/* Whether the address differs per process. */
static bool is_per_process(const char *where)
{
    size_t len = strlen(where);

    return strstr(where, "{pid}") ||
           (len >= 2 && strcmp(where + len - 2, ":0") == 0) ||
           strcmp(where, "0") == 0;
}

/* Replaces the port by 0. Returns false if the address has no port. */
static bool use_any_port(void)
{
    char *colon = strrchr(state.where, ':');

    if (strncmp(state.where, "unix:", 5) == 0)
        return false;
    if (!colon || colon == state.where)
        (void)strcpy(state.where, "localhost:0");
    else if ((size_t)(colon - state.where) + 3 <= sizeof(state.where))
        (void)strcpy(colon, ":0");
    return true;
}

static enum cp_status try_start(struct cp_error *err)
{
    enum cp_status status = CP_OK;

    cp_lock_acquire(&state.lock);
    if (!state.endpoint && state.where[0])
        status = start_endpoint(state.where, err);
    cp_lock_release(&state.lock);
    return status;
}

static void serve_child(void *arg)
{
    struct cp_error err = { 0 };

    (void)arg;
    if (!cp_internal_thread_sleep(CHILD_DELAY_NS))
        return;
    if (try_start(&err) != CP_OK)
        cp_lifecycle_report(err.msg);
    state.n_tries = 0;
}

/* Leases the socket of an ancestor and serves on it. */
static bool serve_on_lease(void)
{
    struct cp_address_transfer lease;
    enum cp_status status = CP_EIO;

    if (!cp_address_transfer_request(&lease))
        return false;
    cp_lock_acquire(&state.lock);
    state.listen_fd = lease.listen_fd;
    state.lease_fd = lease.lease_fd;
    if (!state.endpoint && state.where[0]) {
        status = start_endpoint(state.where, NULL);
    } else {
        (void)close(lease.listen_fd);
        (void)close(lease.lease_fd);
        state.listen_fd = state.lease_fd = 0;
    }
    cp_lock_release(&state.lock);
    return status == CP_OK;
}

/* Retries until the address is free or leased, or tries a different port. */
static void serve_as_address_holder(void *arg)
{
    int64_t delay = state.delay_ns;

    (void)arg;
    for (; state.n_tries > 0; state.n_tries--) {
        if (!cp_internal_thread_sleep(delay))
            return;
        if (try_start(NULL) == CP_OK || serve_on_lease())
            return;
        if (state.settings->follow == CP_FOLLOW_ALL && use_any_port() &&
            try_start(NULL) == CP_OK)
            return;
        delay = delay < MAX_RETRY_DELAY_NS / 2 ? delay * 2 : MAX_RETRY_DELAY_NS;
    }
}

static void start_address_holder(int n_tries, int64_t delay_ns)
{
    state.n_tries = n_tries;
    state.delay_ns = delay_ns;
    if (state.settings->follow != CP_FOLLOW_NONE)
        (void)cp_internal_thread_start("cpprof", serve_as_address_holder, NULL,
                                       NULL);
}

void cp_listen_later(const char *where)
{
    if (strlen(where) >= sizeof(state.where))
        return;
    (void)strcpy(state.where, where);
    start_address_holder(N_TRIES, ADDRESS_HOLDER_DELAY_NS);
}

/*
 * A daemon forks twice in a moment, so the parent may still be waiting for the
 * address. Such a child waits twice as long, so that the parent gets the
 * address first. If the parent has given up, the child does not try.
 */
void cp_listen_after_fork(void)
{
    bool had_one = state.endpoint != NULL;

    if (cp_sandbox_is_sealed())
        return;
    cp_lock_reset(&state.lock);
    if (had_one)
        cp_endpoint_abandon(state.endpoint);
    state.endpoint = NULL;
    if (!had_one && state.n_tries == 0)
        state.where[0] = '\0';
    if (!state.where[0])
        return;
    if (is_per_process(state.where)) {
        state.n_tries = 1;
        (void)cp_internal_thread_start("cpprof", serve_child, NULL, NULL);
    } else
        start_address_holder(N_TRIES_AFTER_FORK,
                             had_one ? ADDRESS_HOLDER_DELAY_NS
                                     : 2 * ADDRESS_HOLDER_DELAY_NS);
}
