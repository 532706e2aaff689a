/*
 * live_table.c - the profiles that `cpprof top` shows, and how it fetches one.
 */
#include "tool/attach/live_table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "http/client.h"
#include "http/token.h"
#include "tool/cli/print.h"
#include "tool/pprof/pprof.h"

#define GRACE_MS 60000
#define MAX_PROFILE_BYTES ((uint64_t)256 << 20)
#define TARGET_BYTES 1200

static const char off_hint[] =
    "no waits, or the profile is off; switch it on with curl -X POST "
    "'ADDRESS/block?rate=100000' or 'ADDRESS/mutex?fraction=1'";

static const struct cp_live_view views[] = {
    { "cpu", "CPU", 'c', "profile", true, NULL, "no thread used CPU time" },
    { "wall", "wall clock", 'w', "wall", true, NULL, "" },
    { "heap", "heap in use", 'h', "heap", false, "-sample_index=inuse_space",
      "no allocation was sampled yet, or the program was not started with "
      "cpprof run" },
    { "allocs", "allocations", 'a', "allocs", true, "-sample_index=alloc_space",
      "nothing was allocated, or the program was not started with "
      "cpprof run" },
    { "locks", "waiting for locks", 'l', "block", true, "-sample_index=delay",
      off_hint },
    { "mutex", "holding locks", 'm', "mutex", true, "-sample_index=delay",
      off_hint },
};

#define N_VIEWS (sizeof(views) / sizeof(views[0]))

const struct cp_live_view *cp_live_view_named(const char *name)
{
    for (size_t i = 0; i < N_VIEWS; i++)
        if (strcmp(views[i].name, name) == 0)
            return &views[i];
    return NULL;
}

const struct cp_live_view *cp_live_view_keyed(int key)
{
    for (size_t i = 0; i < N_VIEWS; i++)
        if (views[i].key == key)
            return &views[i];
    return NULL;
}

const char *cp_live_view_keys(void)
{
    return "c CPU  w wall  h heap  a allocs  l locks  m mutex  q quit";
}

/*
 * Returns the length of the address without the endpoint's root path and what
 * follows.
 */
static int root_len(const char *address)
{
    const char *root = strstr(address, "/debug/pprof");
    size_t len = root ? (size_t)(root - address) : strcspn(address, "?#");

    while (!root && len > 0 && address[len - 1] == '/')
        len--;
    return (int)len;
}

static void write_target(const struct cp_live_table *t, const char *before,
                         char out[TARGET_BYTES])
{
    (void)snprintf(out, TARGET_BYTES, "%.*s/debug/pprof/%s", root_len(before),
                   before, t->view->kind);
    if (t->view->is_interval)
        (void)snprintf(out + strlen(out), 32, "?seconds=%.0f", t->seconds);
}

/*
 * Fetches the profile into a memfd. Returns its descriptor, or -1 with *err
 * set.
 */
static int fetch(const struct cp_live_table *t, struct cp_error *err)
{
    char target[TARGET_BYTES];
    struct cp_http_client_request question = {
        .method = "GET",
        .target = target,
        .timeout_ms = (int)(t->seconds * 1000) + GRACE_MS,
        .max_bytes = MAX_PROFILE_BYTES,
    };
    struct cp_http_address where;
    struct cp_http_reply reply;
    enum cp_status status = cp_http_client_parse(&where, t->address, err);
    int fd = memfd_create("profile", MFD_CLOEXEC);

    write_target(t, "", target);
    question.out_fd = fd;
    if (status == CP_OK && fd < 0)
        status = cp_error_set(err, CP_EIO, "cannot create a memory file: %s",
                              strerror(errno));
    if (status == CP_OK) {
        question.token = cp_http_token_for(&where);
        status = cp_http_client_send(&where, &question, &reply, err);
    }
    if (status == CP_OK && reply.status != 200)
        status =
            cp_error_set(err, CP_EIO, "cannot fetch the profile: status %d: %s",
                         reply.status, reply.text);
    if (status == CP_OK)
        return fd;
    if (fd >= 0)
        (void)close(fd);
    cp_error_prefix(err, "%s: ", t->address);
    return -1;
}

/* Waits for the interval. A profile of current state is served at once. */
static void wait_interval(const struct cp_live_table *t)
{
    struct timespec left = { (time_t)t->seconds, 0 };

    if (!t->view->is_interval)
        while (nanosleep(&left, &left) != 0)
            ;
}

bool cp_live_table_is_empty(const char *report)
{
    const char *head = strstr(report, "cum%\n");

    return head && head[5] == '\0';
}

int cp_live_table_print(const struct cp_live_table *t)
{
    struct cp_error err = { 0 };
    char source[TARGET_BYTES], rows[32];
    const char *args[9] = { "pprof", "-top", rows, "-symbolize=none" };
    int n = 4, fd = -1;

    if (t->is_url) {
        write_target(t, t->address, source);
        args[n++] = "-no_save";
    } else {
        fd = fetch(t, &err);
        if (fd < 0) {
            wait_interval(t);
            cp_print_line("", err.msg);
            return 1;
        }
        (void)snprintf(source, sizeof(source), "/proc/self/fd/%d", fd);
    }
    wait_interval(t);
    (void)snprintf(rows, sizeof(rows), "-nodecount=%d",
                   t->rows > 1 ? t->rows : 1);
    if (t->view->value)
        args[n++] = t->view->value;
    args[n++] = source;
    return cp_pprof_main(n, args);
}
