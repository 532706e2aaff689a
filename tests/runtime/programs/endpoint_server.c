/*
 * endpoint_server.c - a program with an endpoint and synthetic profiles.
 *
 *   endpoint_server LISTEN [close | fork]
 *
 * For tests/cli/endpoint: the addresses in its profiles are those of its own
 * functions, the values are known, and `heap` and `mutex` grow by one step at
 * each snapshot. It ends with its standard input. `profile` has a sample for
 * each profile that was running at its end. With `close` it closes all
 * descriptors but the first three, as daemons do. With `fork` the endpoint
 * shares the descriptor table, and a forked child prints how many descriptors
 * it had and has after it has closed the library's.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/model/build.h"
#include "runtime/endpoint/endpoint.h"
#include "runtime/kind/kind.h"

/* ---- functions that the profiles name ---- */

int endpoint_test_leaf(int x);
int endpoint_test_caller(int x);

__attribute__((noinline)) int endpoint_test_leaf(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x * 3;
}

__attribute__((noinline)) int endpoint_test_caller(int x)
{
    return endpoint_test_leaf(x) + 1;
}

/* ---- profiles ---- */

struct spec {
    const char *types[4][2];
    const char *period_type[2];
    int64_t period;
};

static enum cp_status begin_types(struct cp_builder *b, const struct spec *s,
                                  struct cp_error *err)
{
    enum cp_status status = cp_builder_init(b, err);

    for (int i = 0; i < 4 && s->types[i][0] && status == CP_OK; i++)
        status = cp_builder_type(b, s->types[i][0], s->types[i][1], err);
    return status == CP_OK
               ? cp_builder_period(b, s->period_type[0], s->period_type[1],
                                   s->period, err)
               : status;
}

/* A sample leaf <- caller with a label, all values multiplied by n. */
static enum cp_status add_sample(struct cp_builder *b, const int64_t *values,
                                 int64_t n, const char *user,
                                 struct cp_error *err)
{
    uint32_t locs[2] = {
        cp_builder_location(b, (uint64_t)(uintptr_t)endpoint_test_leaf + 2,
                            err),
        cp_builder_location(b, (uint64_t)(uintptr_t)endpoint_test_caller + 6,
                            err),
    };
    struct cp_label label = { .num = 0 };
    int64_t scaled[4];
    uint32_t set;

    label.key = cp_builder_str(b, "user", 4, err);
    label.str = cp_builder_str(b, user, strlen(user), err);
    set = cp_builder_label_set(b, &label, 1, err);
    for (int i = 0; i < 4; i++)
        scaled[i] = values[i] * n;
    return cp_builder_sample(b, locs, 2, scaled, set, err);
}

static enum cp_status finish_with(const struct spec *s, const int64_t *values,
                                  int64_t n, struct cp_profile **out,
                                  struct cp_error *err)
{
    struct cp_builder b = { 0 };
    enum cp_status status = begin_types(&b, s, err);

    if (status == CP_OK)
        status = add_sample(&b, values, n,
                            "b\xc3\xb6"
                            "b",
                            err);
    if (status == CP_OK)
        status = add_sample(&b, values, 1, "broken \xff utf-8", err);
    *out = status == CP_OK ? cp_builder_take(&b) : NULL;
    cp_builder_release(&b);
    return status;
}

/* ---- kinds ---- */

static atomic_int n_open, n_cancelled, n_steps;

static enum cp_status begin(const struct cp_kind_request *request, void **out,
                            struct cp_error *err)
{
    if (request->hz == 1234)
        return cp_error_set(err, CP_EIO, "that is not possible");
    atomic_fetch_add(&n_open, 1);
    *out = &n_open;
    return CP_OK;
}

static void cancel(void *window)
{
    (void)window;
    atomic_fetch_sub(&n_open, 1);
    atomic_fetch_add(&n_cancelled, 1);
}

static enum cp_status finish_cpu(void *window, struct cp_profile **out,
                                 struct cp_error *err)
{
    static const struct spec s = {
        { { "samples", "count" }, { "cpu", "nanoseconds" } },
        { "cpu", "nanoseconds" },
        10000000,
    };
    static const int64_t values[4] = { 1, 10000000 };

    (void)window;
    return finish_with(&s, values, atomic_fetch_sub(&n_open, 1), out, err);
}

static enum cp_status finish_heap(void *window, struct cp_profile **out,
                                  struct cp_error *err)
{
    static const struct spec s = {
        { { "alloc_objects", "count" },
          { "alloc_space", "bytes" },
          { "inuse_objects", "count" },
          { "inuse_space", "bytes" } },
        { "space", "bytes" },
        524288,
    };
    static const int64_t values[4] = { 20, 20480, 10, 10240 };

    (void)window;
    atomic_fetch_sub(&n_open, 1);
    return finish_with(&s, values, atomic_fetch_add(&n_steps, 1) + 1, out, err);
}

static enum cp_status finish_mutex(void *window, struct cp_profile **out,
                                   struct cp_error *err)
{
    static const struct spec s = {
        { { "contentions", "count" }, { "delay", "nanoseconds" } },
        { "contentions", "count" },
        1,
    };
    static const int64_t values[4] = { 3, 4000 };

    (void)window;
    atomic_fetch_sub(&n_open, 1);
    return finish_with(&s, values, atomic_fetch_add(&n_steps, 1) + 1, out, err);
}

static enum cp_status finish_count(void *window, struct cp_profile **out,
                                   struct cp_error *err)
{
    static const struct spec s = { { { "goroutine", "count" } },
                                   { "goroutine", "count" },
                                   1 };
    static const int64_t values[4] = { 1 };

    (void)window;
    atomic_fetch_sub(&n_open, 1);
    return finish_with(&s, values, 7, out, err);
}

static uint64_t count_cancelled(void)
{
    return (uint64_t)atomic_load(&n_cancelled);
}

static uint64_t count_open(void)
{
    return (uint64_t)atomic_load(&n_open);
}

static const struct cp_kind kinds[] = {
    { .name = "profile",
      .summary = "made up <&>",
      .default_seconds = 30,
      .text = CP_KIND_TEXT_NONE,
      .begin = begin,
      .finish = finish_cpu,
      .cancel = cancel },
    { .name = "heap",
      .summary = "made up",
      .text = CP_KIND_TEXT_HEAP,
      .begin = begin,
      .finish = finish_heap,
      .cancel = cancel,
      .count = count_open },
    { .name = "mutex",
      .summary = "made up",
      .text = CP_KIND_TEXT_MUTEX,
      .begin = begin,
      .finish = finish_mutex,
      .cancel = cancel },
    { .name = "goroutine",
      .summary = "made up",
      .text = CP_KIND_TEXT_COUNT,
      .begin = begin,
      .finish = finish_count,
      .cancel = cancel },
    { .name = "my.profile",
      .summary = "made up",
      .text = CP_KIND_TEXT_COUNT,
      .no_delta = true,
      .begin = begin,
      .finish = finish_count,
      .cancel = cancel,
      .count = count_cancelled },
};

static const struct cp_kind *const list[] = { &kinds[0], &kinds[1], &kinds[2],
                                              &kinds[3], &kinds[4], NULL };

/* ---- the program ---- */

static void cost(struct cp_endpoint_cost *out)
{
    *out = (struct cp_endpoint_cost){ .memory_bytes = 5 << 20,
                                      .max_memory_bytes = 64 << 20,
                                      .n_samples = 1234567,
                                      .n_lost = 3,
                                      .cpu_ns = 250000000 };
}

static pthread_t thread;

struct start {
    void (*run)(void *context);
    void *context;
};

static void *trampoline(void *arg)
{
    struct start *start = arg;

    start->run(start->context);
    free(start);
    return NULL;
}

static enum cp_status spawn(void (*run)(void *context), void *context,
                            struct cp_error *err)
{
    struct start *start = malloc(sizeof(*start));

    *start = (struct start){ run, context };
    if (pthread_create(&thread, NULL, trampoline, start) != 0)
        return cp_error_set(err, CP_EIO, "no thread");
    return CP_OK;
}

static void close_all(void)
{
    for (int fd = 3; fd < 1024; fd++)
        (void)close(fd);
    fprintf(stderr, "closed\n");
}

static int count_descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* Forks when a client is connected: the first line of input says so. */
static void fork_child(struct cp_endpoint *e)
{
    int before, after;
    char c = 0;
    pid_t child;

    while (c != '\n' && read(STDIN_FILENO, &c, 1) > 0)
        ;
    before = count_descriptors();
    child = fork();
    if (child == 0) {
        cp_endpoint_abandon(e);
        after = count_descriptors();
        fprintf(stderr, "%d and %d in a child\n", before, after);
        _exit(0);
    }
    (void)waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    struct cp_endpoint_options options = { .listen = argc > 1 ? argv[1] : "",
                                           .kinds = list,
                                           .cost = cost,
                                           .spawn = spawn };
    struct cp_endpoint *e = NULL;
    struct cp_error err = { 0 };
    char c;

    options.shares_descriptors = argc > 2 && strcmp(argv[2], "fork") == 0;

    if (endpoint_test_caller(argc) == 0 ||
        cp_endpoint_start(&e, &options, &err) != CP_OK) {
        fprintf(stderr, "endpoint_server: %s\n", err.msg);
        return 1;
    }
    if (argc > 2 && strcmp(argv[2], "close") == 0)
        close_all();
    if (argc > 2 && strcmp(argv[2], "fork") == 0)
        fork_child(e);
    while (read(STDIN_FILENO, &c, 1) > 0)
        ;
    cp_endpoint_stop(e);
    (void)pthread_join(thread, NULL);
    cp_endpoint_free(e);
    return 0;
}
