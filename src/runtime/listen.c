/* listen.c - see listen.h. */
#include "runtime/listen.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "runtime/cost.h"
#include "runtime/custom.h"
#include "runtime/endpoint.h"
#include "runtime/heap.h"
#include "runtime/kinds.h"
#include "runtime/lifecycle.h"
#include "runtime/lock.h"
#include "runtime/own_thread.h"

#define CHILD_DELAY_NS 100000000

static struct {
    struct cp_lock lock;
    char where[512]; /* "": nowhere */
    struct cp_endpoint *endpoint;
    bool is_quiet;
} state;

void cp_listen_set_quiet(void)
{
    state.is_quiet = true;
}

static bool spawn(void (*run)(void *context), void *context)
{
    return cp_own_thread_start("cpprof", run, context, NULL) == CP_OK;
}

static enum cp_status start_endpoint(struct cp_error *err)
{
    struct cp_endpoint_options options = { .listen = state.where,
                                           .kinds = cp_kinds,
                                           .more_kinds = cp_custom_kind,
                                           .cost = cp_cost,
                                           .is_quiet = state.is_quiet,
                                           .spawn = spawn };
    enum cp_status status = cp_endpoint_start(&state.endpoint, &options, err);
    struct cp_error unseen = { 0 };

    if (status == CP_OK && cp_heap_enable(&unseen) != CP_OK)
        cp_lifecycle_say(unseen.msg);
    return status;
}

static enum cp_status listen_locked(const char *where, struct cp_error *err)
{
    enum cp_status status;

    if (state.endpoint)
        return cp_error_set(err, CP_EUSAGE, "already listening on %s",
                            cp_endpoint_address(state.endpoint));
    if (strlen(where) >= sizeof(state.where))
        return cp_error_set(err, CP_EUSAGE, "address too long");
    (void)strcpy(state.where, where);
    status = start_endpoint(err);
    if (status != CP_OK)
        state.where[0] = '\0';
    return status;
}

enum cp_status cp_listen(const char *where, struct cp_error *err)
{
    enum cp_status status;

    cp_lock_take(&state.lock);
    status = listen_locked(where, err);
    cp_lock_give(&state.lock);
    return status;
}

const char *cp_listen_address(void)
{
    const char *address = NULL;

    cp_lock_take(&state.lock);
    if (state.endpoint)
        address = cp_endpoint_address(state.endpoint);
    cp_lock_give(&state.lock);
    return address;
}

/* Does every process get another address? */
static bool is_of_process(const char *where)
{
    size_t len = strlen(where);

    return strstr(where, "{pid}") ||
           (len >= 2 && strcmp(where + len - 2, ":0") == 0) ||
           strcmp(where, "0") == 0;
}

static void serve_child(void *arg)
{
    const struct timespec delay = { 0, CHILD_DELAY_NS };
    struct cp_error err = { 0 };
    enum cp_status status;

    (void)arg;
    (void)nanosleep(&delay, NULL);
    cp_lock_take(&state.lock);
    status = start_endpoint(&err);
    cp_lock_give(&state.lock);
    if (status != CP_OK)
        cp_lifecycle_say(err.msg);
}

void cp_listen_after_fork(void)
{
    bool had_one = state.endpoint != NULL;

    cp_lock_reset(&state.lock);
    if (had_one)
        cp_endpoint_abandon(state.endpoint);
    state.endpoint = NULL;
    if (had_one && is_of_process(state.where))
        (void)cp_own_thread_start("cpprof", serve_child, NULL, NULL);
    else
        state.where[0] = '\0';
}
