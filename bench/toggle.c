/*
 * toggle - measures the cost of a running CPU profile within one process.
 *
 * `toggle BLOCKS` repeats the same work in blocks with and without a profile,
 * and compares the CPU time of the whole process for many small pieces of it.
 * Starting and stopping are excluded. The profiler is the preloaded one, cpprof
 * or gperftools; without one it is a timer on the thread's CPU clock with an
 * empty handler, the kernel's part of the cost. Prints the difference of the
 * median and of the lower quartile in percent, and the median's standard error.
 * Other load on the machine affects the quartile less.
 */
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 10000000
#define PIECE_S 0.04 /* four samples at 100 Hz */
#define PIECES 12    /* pieces per block */
#define ROWS 512
#define MAX_BLOCKS 1000

struct cpprof_profile;
struct cpprof_profile *cpprof_start(const char *kind) __attribute__((weak));
int cpprof_stop(struct cpprof_profile *p, int fd) __attribute__((weak));
int ProfilerStart(const char *path) __attribute__((weak));
void ProfilerStop(void) __attribute__((weak));

static volatile unsigned long sink;
static struct cpprof_profile *profile;
static timer_t timer;

static double cpu_s(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, 16);
}

/* Formats and sorts, about twenty frames deep. */
static __attribute__((noinline)) void work(int depth, unsigned seed)
{
    static char rows[ROWS][16];

    if (depth > 0) {
        work(depth - 1, seed);
        sink++;
        return;
    }
    for (size_t i = 0; i < ROWS; i++) {
        seed = seed * 1664525u + 1013904223u;
        (void)snprintf(rows[i], sizeof(rows[i]), "%015u", seed);
    }
    qsort(rows, ROWS, sizeof(rows[0]), compare);
    sink += strlen(rows[0]);
}

static double segment(long rounds)
{
    double start = cpu_s();

    for (long i = 0; i < rounds; i++)
        work(20, (unsigned)i);
    return cpu_s() - start;
}

static void do_nothing(int sig)
{
    (void)sig;
}

static void begin_empty(void)
{
    struct sigaction action = { .sa_handler = do_nothing,
                                .sa_flags = SA_RESTART };
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
                              .sigev_signo = SIGPROF };
    struct itimerspec spec = { { 0, PERIOD_NS }, { 0, PERIOD_NS } };

    event._sigev_un._tid = gettid();
    (void)sigaction(SIGPROF, &action, NULL);
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0)
        (void)timer_settime(timer, 0, &spec, NULL);
}

static void begin(void)
{
    if (cpprof_start)
        profile = cpprof_start("profile");
    else if (ProfilerStart)
        (void)ProfilerStart("/dev/null");
    else
        begin_empty();
}

static void end(void)
{
    if (cpprof_stop)
        (void)cpprof_stop(profile, -1);
    else if (ProfilerStop)
        ProfilerStop();
    else
        (void)timer_delete(timer);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* CPU times of all pieces of work, with or without a profile. */
static struct pieces {
    double s[MAX_BLOCKS * PIECES];
    int n;
} with, without;

static void run_block(long rounds, struct pieces *out)
{
    (void)segment(rounds); /* excludes the cost of starting */
    for (int i = 0; i < PIECES; i++)
        out->s[out->n++] = segment(rounds);
}

/* The standard deviation of a normal distribution with these quartiles. */
static double deviation(const struct pieces *p)
{
    return (p->s[p->n * 3 / 4] - p->s[p->n / 4]) / 1.35;
}

static void show(void)
{
    double median = without.s[without.n / 2], low = without.s[without.n / 4];
    double error = 1.25 * hypot(deviation(&with), deviation(&without)) /
                   sqrt(with.n) / median;

    printf("%.4f %.4f %.4f\n", 100 * (with.s[with.n / 2] / median - 1),
           100 * (with.s[with.n / 4] / low - 1), 100 * error);
}

int main(int argc, char **argv)
{
    int blocks = argc > 1 ? atoi(argv[1]) : 50;
    long rounds = (long)(PIECE_S / (segment(200) / 200));

    if (blocks < 2 || blocks > MAX_BLOCKS)
        return 2;
    for (int i = 0; i < 2 * blocks; i++) {
        bool is_with = (i / 2 + i) % 2; /* with, without, without, with */

        if (is_with)
            begin();
        run_block(rounds, is_with ? &with : &without);
        if (is_with)
            end();
    }
    qsort(with.s, (size_t)with.n, sizeof(with.s[0]), by_size);
    qsort(without.s, (size_t)without.n, sizeof(without.s[0]), by_size);
    show();
    return 0;
}
