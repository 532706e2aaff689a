/*
 * locks - what a lock costs, and threads to be looked at.
 *
 *     locks pairs N           N locks and unlocks by one thread; ns of CPU each
 *     locks crowd THREADS N   N turns of each thread at one lock; seconds of
 * CPU locks threads N         N threads that wait, until standard input ends
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long shared_sum;
static long turns;
static int gate[2];

static double cpu_seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pairs(long n)
{
    double begin = cpu_seconds();

    for (long i = 0; i < n; i++) {
        (void)pthread_mutex_lock(&lock);
        (void)pthread_mutex_unlock(&lock);
    }
    printf("%.4f\n", (cpu_seconds() - begin) * 1e9 / (double)n);
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

static void *wait_here(void *arg)
{
    char c;

    (void)!read(gate[0], &c, 1);
    return arg;
}

/* Runs n threads; a word on standard output when all are there. */
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
    } else if (strcmp(what, "threads") == 0 && pipe(gate) == 0) {
        start(n, wait_here, "ready");
    } else {
        fprintf(stderr, "usage: locks pairs N | crowd THREADS N | threads N\n");
        return 2;
    }
    return 0;
}
