/*
 * toggle - what a running CPU profile costs, within one process.
 *
 * `toggle PAIRS` does the same work again and again, with a profile running
 * and without one in turn, and compares the CPU time of the whole process that
 * each takes. The profiler is the one that is preloaded, ours or gperftools';
 * with neither it is a timer on the thread's CPU clock with an empty handler,
 * which is what the kernel takes of any. Prints the median of the pairs'
 * differences in percent, and its standard error.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 10000000
#define SEGMENT_S 0.3
#define ROWS 512
#define MOST_PAIRS 1000

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

/* Formatting and sorting, some twenty frames deep. */
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

int main(int argc, char **argv)
{
    static double cost[MOST_PAIRS];
    int pairs = argc > 1 ? atoi(argv[1]) : 50;
    long rounds = (long)(SEGMENT_S / (segment(200) / 200));
    double spread;

    if (pairs < 2 || pairs > MOST_PAIRS)
        return 2;
    for (int i = 0; i < pairs; i++) {
        double plain, with;

        if (i % 2)
            plain = segment(rounds);
        begin();
        with = segment(rounds);
        end();
        if (i % 2 == 0)
            plain = segment(rounds);
        cost[i] = 100 * (with / plain - 1);
    }
    qsort(cost, (size_t)pairs, sizeof(cost[0]), by_size);
    /* Of a median, by the middle half of the values. */
    spread = (cost[pairs * 3 / 4] - cost[pairs / 4]) / 1.35;
    printf("%.4f %.4f\n", cost[pairs / 2], 1.25 * spread / sqrt(pairs));
    return 0;
}
