/*
 * stress - does everything at once that can break a profiler, while profiles of
 * all kinds are taken continuously.
 *
 * `stress SECONDS` prints the number of rounds of each job. It fails if a job
 * found a fault, if memory grew, or if a freed block is in the heap profile.
 * Other faults show as a crash or a hang.
 *
 * PLUGIN is a library to load, THROWER one that throws exceptions; with TRACED
 * it takes no traces, because another client does.
 */
#include "stress.h"

#include <cpprof.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WARM_UP 60 /* seconds of warm-up; memory may not grow afterwards */
#define CROWD 1000 /* concurrent requests at the end of a long run */
#define FEW 8      /* concurrent requests during the run */

_Atomic bool stress_is_over;
static int port; /* port of the endpoint; 0 without one */

/* ThreadSanitizer does not know the loader's lock. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:ld-linux\n";
}

/* Built-in suppressions, so that no options are needed. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1:die_after_fork=0:history_size=7";
}

_Noreturn void stress_fail(const char *what)
{
    fprintf(stderr, "stress: %s\n", what);
    abort();
}

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int null_fd(void)
{
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        stress_fail("/dev/null");
    return fd;
}

/* ---- profiles ---- */

static void take_window(const char *kind, long ms)
{
    struct timespec pause = { 0, ms * 1000000 };
    struct cpprof_profile *p = cpprof_start(kind);
    int fd = null_fd();

    (void)nanosleep(&pause, NULL);
    if (!p || cpprof_stop(p, fd) != 0)
        stress_fail(cpprof_error());
    (void)close(fd);
}

static void cpu_profiles(long n)
{
    (void)n;
    take_window("profile", 20);
}

static void wall_profiles(long n)
{
    (void)n;
    take_window("wall", 30);
}

/* The snapshot kinds; leak is slow because it scans all memory. */
static void snapshots(long n)
{
    static const char *const kinds[] = { "heap",      "allocs",      "growth",
                                         "block",     "mutex",       "leak",
                                         "goroutine", "threadcreate" };
    int fd = null_fd();

    if (cpprof_write(kinds[n % 8], 0, fd) != 0)
        stress_fail(cpprof_error());
    (void)close(fd);
}

static void traces(long n)
{
    static const char *const targets[] = {
        "/debug/pprof/trace?seconds=0.05",
        "/debug/pprof/trace?seconds=0.05&format=perfetto",
        "/debug/pprof/trace?seconds=0.05&format=chrome",
        "/debug/pprof/trace?seconds=0.02&switches=0",
    };
    struct cpprof_request request = CPPROF_REQUEST_INIT;
    struct cpprof_response *response;

    if (getenv("TRACED"))
        return;
    request.method = "GET";
    request.target = targets[n % 4];
    response = cpprof_answer(&request);
    if (!response || response->status != 200)
        stress_fail("a trace was refused");
    cpprof_response_free(response);
}

/* One of many concurrent requests, and the received part of its answer. */
struct client {
    size_t sent, got;
    char head[13]; /* "HTTP/1.0 200 " */
};

static struct pollfd come(void)
{
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)port),
                              .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0 &&
                   errno != EINPROGRESS))
        stress_fail("a client cannot come");
    return (struct pollfd){ .fd = fd, .events = POLLOUT };
}

static void ask(struct client *c, struct pollfd *p)
{
    static const char text[] = "GET /debug/pprof/heap HTTP/1.0\r\n"
                               "Host: localhost\r\n\r\n";
    ssize_t n = write(p->fd, text + c->sent, sizeof(text) - 1 - c->sent);

    if (n <= 0)
        stress_fail("the endpoint does not listen");
    c->sent += (size_t)n;
    if (c->sent == sizeof(text) - 1)
        p->events = POLLIN;
}

/* Whether the answer is complete. */
static bool hear(struct client *c, struct pollfd *p)
{
    static char bytes[65536];
    ssize_t n = read(p->fd, bytes, sizeof(bytes));

    for (ssize_t i = 0; i < n; i++)
        if (c->got + (size_t)i < sizeof(c->head) - 1)
            c->head[c->got + (size_t)i] = bytes[i];
    if (n > 0)
        c->got += (size_t)n;
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        stress_fail(strerror(errno));
    if (n != 0)
        return false;
    if (strcmp(c->head + 8, " 200") != 0)
        stress_fail("a request was refused");
    (void)close(p->fd);
    p->fd = -1;
    return true;
}

/* Clients that request the heap profile at the same time. */
static void crowd(int n)
{
    static struct pollfd fds[CROWD];
    static struct client clients[CROWD];
    int left = n;

    if (port == 0)
        return;
    memset(clients, 0, sizeof(clients));
    for (int i = 0; i < n; i++)
        fds[i] = come();
    while (left > 0) {
        (void)poll(fds, (nfds_t)n, -1);
        for (int i = 0; i < n; i++) {
            if (fds[i].fd < 0 || !fds[i].revents)
                continue;
            if (fds[i].events == POLLOUT)
                ask(&clients[i], &fds[i]);
            else
                left -= hear(&clients[i], &fds[i]);
        }
    }
}

static void crowds(long n)
{
    (void)n;
    crowd(FEW);
}

static struct stress_job takers[] = {
    { .name = "CPU profiles", .run = cpu_profiles },
    { .name = "wall profiles", .run = wall_profiles },
    { .name = "snapshots", .run = snapshots },
    { .name = "traces", .run = traces },
    { .name = "crowds", .run = crowds },
    { .name = NULL },
};

/* ---- checks at the end ---- */

static long resident_kb(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        stress_fail("/proc/self/statm");
    (void)fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* The heap profile as text; the caller frees it. */
static char *heap_text(void)
{
    struct cpprof_options options = CPPROF_OPTIONS_INIT;
    int fd = memfd_create("heap", MFD_CLOEXEC);
    struct stat status;
    char *text;

    options.debug = 1;
    if (fd < 0 || cpprof_write_with("heap", 0, &options, fd) != 0 ||
        fstat(fd, &status) != 0)
        stress_fail("the last heap profile");
    text = calloc(1, (size_t)status.st_size + 1);
    if (!text || pread(fd, text, (size_t)status.st_size, 0) < 0)
        stress_fail("the text of the heap profile");
    (void)close(fd);
    return text;
}

/*
 * The program has freed all its blocks; only libc and the loader keep some. So
 * no live block has a file of this program on top of its stack.
 */
static void check_live_table(void)
{
    char *text = heap_text(), *rest = text;
    long n_live = 0, n_blocks = 0;

    for (char *line; (line = strsep(&rest, "\n"));) {
        bool is_top = n_live > 0 && line[0] == '#';

        if (line[0] >= '0' && line[0] <= '9')
            n_live = strtol(line, NULL, 10);
        if (!is_top)
            continue;
        n_blocks += n_live;
        n_live = 0;
        if (strstr(line, "/stress")) {
            fprintf(stderr, "%s\n", line);
            stress_fail("a free was lost");
        }
    }
    printf("live blocks %ld, none of them ours\n", n_blocks);
    free(text);
}

/* ---- main ---- */

static struct stress_job *const lists[] = { stress_jobs, stress_locks,
                                            stress_faults, takers };

#define N_LISTS (sizeof(lists) / sizeof(lists[0]))

static void *run_job(void *arg)
{
    struct stress_job *job = arg;

    while (!atomic_load(&stress_is_over)) {
        long n = atomic_fetch_add(&job->n, 1);

        job->run(n);
        stress_allocate(n);
    }
    return NULL;
}

static void each_job(void (*act)(struct stress_job *job))
{
    for (size_t i = 0; i < N_LISTS; i++)
        for (struct stress_job *job = lists[i]; job->name; job++)
            act(job);
}

static void start_job(struct stress_job *job)
{
    if (pthread_create(&job->thread, NULL, run_job, job) != 0)
        stress_fail("pthread_create");
}

static void end_job(struct stress_job *job)
{
    (void)pthread_join(job->thread, NULL);
    printf("%s %ld\n", job->name, atomic_load(&job->n));
}

static void prepare(void)
{
    struct rlimit files;

    (void)getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
#if !defined(__SANITIZE_ADDRESS__) /* children would serve too: it deadlocks   \
                                    */
    if (cpprof_listen("localhost:0") != 0 ||
        sscanf(cpprof_address(), "http://%*[^:]:%d", &port) != 1)
        stress_fail(cpprof_error());
#endif
    stress_prepare_jobs();
    stress_prepare_locks();
    stress_prepare_faults();
}

/* Resident memory after the warm-up; 0 if the run was shorter. */
static long wait_for_end(double end_at)
{
    struct timespec pause = { 0, 100000000 };
    double warm = now() + WARM_UP;
    long warm_kb = 0;

    while (now() < end_at) {
        (void)nanosleep(&pause, NULL);
        if (warm_kb == 0 && now() > warm)
            warm_kb = resident_kb();
    }
    return warm_kb;
}

int main(int argc, char **argv)
{
    long warm_kb, kb;

    prepare();
    each_job(start_job);
    warm_kb = wait_for_end(now() + (argc > 1 ? atof(argv[1]) : 3));
    atomic_store(&stress_is_over, true);
    each_job(end_job);
    crowd(warm_kb && !STRESS_IS_SANITIZED ? CROWD : FEW);
    kb = resident_kb();
    printf("resident KB %ld, after a minute %ld\n", kb, warm_kb);
    /* Memory of ThreadSanitizer itself grows. */
    if (warm_kb && !STRESS_IS_SANITIZED && kb > warm_kb + warm_kb / 2 + 20000)
        stress_fail("memory grew");
    check_live_table();
    return port ? cpprof_close() : 0;
}
