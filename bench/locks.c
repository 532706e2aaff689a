/*
 * locks - the cost of a lock, and threads that wait.
 *
 *     locks pairs N
 *         one thread locks and unlocks N times while another sleeps: ns of CPU
 *     locks crowd THREADS N
 *         N critical sections of each thread at one lock: seconds of CPU
 *     locks jostle THREADS N
 *         the same with critical sections of random length
 *     locks slices THREADS N ROUNDS [even]
 *         rounds of random (or equal) sections with the profiles off, sampled,
 *         and recording every wait: a line each, CPU and wall clock in ns
 *     locks threads N
 *         N threads that wait until standard input ends
 *
 * With equal sections two cores soon alternate without contention; with random
 * ones every fifth acquisition waits.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BATCH 100000

int cpprof_set_block_rate(unsigned long nanoseconds) __attribute__((weak));
int cpprof_set_mutex_fraction(unsigned long n) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long shared_sum;
static long turns;
static int gate[2];

static double seconds(clockid_t clock)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu_seconds(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

/* A second thread that sleeps: glibc then uses atomic instructions. */
static void *sleep_on(void *arg)
{
    for (;;)
        (void)pause();
    return arg;
}

/*
 * Prints the fastest of many batches, because other processes share the
 * machine. A second thread always runs: without one glibc omits atomic
 * instructions, and an endpoint would add a thread.
 */
static void pairs(long n)
{
    double best = 1e9;
    pthread_t other;

    (void)pthread_create(&other, NULL, sleep_on, NULL);
    for (long done = 0; done < n; done += BATCH) {
        double begin = cpu_seconds(), ns;

        for (long i = 0; i < BATCH; i++) {
            (void)pthread_mutex_lock(&lock);
            (void)pthread_mutex_unlock(&lock);
        }
        ns = (cpu_seconds() - begin) * 1e9 / BATCH;
        best = ns < best ? ns : best;
    }
    printf("%.4f\n", best);
}

static void work(int n)
{
    volatile unsigned long x = 1;

    for (int i = 0; i < n; i++)
        x = x * 31 + 7;
}

static void *take_turns(void *arg)
{
    for (long i = 0; i < turns; i++) {
        (void)pthread_mutex_lock(&lock);
        work(200);
        shared_sum++;
        (void)pthread_mutex_unlock(&lock);
        work(400);
    }
    return arg;
}

/*
 * Works for a random time up to 2 n, n on average; each thread has its own
 * generator.
 */
static void uneven_work(unsigned *rng, unsigned n)
{
    *rng = *rng * 1664525 + 1013904223;
    work((int)((*rng >> 16) * (2 * n) >> 16));
}

static void *jostle(void *arg)
{
    unsigned rng = (unsigned)(uintptr_t)&rng;

    for (long i = 0; i < turns; i++) {
        (void)pthread_mutex_lock(&lock);
        uneven_work(&rng, 200);
        shared_sum++;
        (void)pthread_mutex_unlock(&lock);
        uneven_work(&rng, 400);
    }
    return arg;
}

static void *wait_here(void *arg)
{
    char c;

    (void)!read(gate[0], &c, 1);
    return arg;
}

/* Runs n threads; prints `word` when all are running. */
static void start(long n, void *(*run)(void *), const char *word)
{
    pthread_t *threads = calloc((size_t)n, sizeof(*threads));
    pthread_attr_t attr;

    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, (size_t)64 << 10);
    for (long i = 0; i < n; i++)
        if (pthread_create(&threads[i], &attr, run, NULL))
            exit(1);
    if (word) {
        puts(word);
        (void)fflush(stdout);
        while (getchar() != EOF)
            continue;
        (void)close(gate[1]);
    }
    for (long i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
    free(threads);
}

static const struct mode {
    const char *name;
    unsigned long rate, fraction;
} modes[] = { { "off", 0, 0 }, { "sampled", 10000, 10 }, { "every", 1, 1 } };

static void slice(const struct mode *mode, long n, void *(*run)(void *))
{
    double cpu, wall, all = (double)n * (double)turns / 1e9;

    if (cpprof_set_block_rate)
        (void)cpprof_set_block_rate(mode->rate);
    if (cpprof_set_mutex_fraction)
        (void)cpprof_set_mutex_fraction(mode->fraction);
    cpu = cpu_seconds();
    wall = seconds(CLOCK_MONOTONIC);
    start(n, run, NULL);
    cpu = cpu_seconds() - cpu;
    wall = seconds(CLOCK_MONOTONIC) - wall;
    printf("%s %.2f %.2f\n", mode->name, cpu / all, wall / all);
}

static void slices(long n, long rounds, void *(*run)(void *))
{
    for (long i = 0; i < rounds; i++)
        for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++)
            slice(&modes[m], n, run);
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 0;

    turns = argc > 3 ? atol(argv[3]) : 0;
    if (strcmp(what, "pairs") == 0) {
        pairs(n);
    } else if (strcmp(what, "crowd") == 0) {
        start(n, take_turns, NULL);
        printf("%.6f\n", cpu_seconds());
    } else if (strcmp(what, "jostle") == 0) {
        start(n, jostle, NULL);
        printf("%.6f\n", cpu_seconds());
    } else if (strcmp(what, "slices") == 0 && argc > 4) {
        slices(n, atol(argv[4]), argc > 5 ? take_turns : jostle);
    } else if (strcmp(what, "threads") == 0 && pipe(gate) == 0) {
        start(n, wait_here, "ready");
    } else {
        fprintf(stderr, "usage: locks pairs N | crowd THREADS N | "
                        "jostle THREADS N | slices THREADS N ROUNDS [even] "
                        "| threads N\n");
        return 2;
    }
    return 0;
}
