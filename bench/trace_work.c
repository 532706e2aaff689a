/*
 * trace_work - a busy program for bench/trace.py. Eight threads take jobs from
 * a queue under a mutex, work some tens of microseconds on each, store the
 * results under another mutex, and sometimes send some through a pipe. With
 * `wait` it starts after a byte of input. Prints its CPU time in seconds and
 * the number of lock acquisitions.
 *
 *   trace_work JOBS [wait]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define THREADS 8
#define IO_EVERY 8 /* jobs */

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t result_lock = PTHREAD_MUTEX_INITIALIZER;
static long n_left, n_locks;
static unsigned long results[64];

static unsigned long job(unsigned long seed)
{
    for (int i = 0; i < 30000; i++)
        seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed;
}

static long take(void)
{
    long mine;

    (void)pthread_mutex_lock(&queue_lock);
    mine = n_left > 0 ? n_left-- : 0;
    (void)pthread_mutex_unlock(&queue_lock);
    return mine;
}

static void put(unsigned long result)
{
    (void)pthread_mutex_lock(&result_lock);
    for (int i = 0; i < 64; i++)
        results[i] += result >> i;
    n_locks += 2;
    (void)pthread_mutex_unlock(&result_lock);
}

static void *work(void *arg)
{
    int fds[2];
    long mine;

    if (pipe(fds) != 0)
        abort();
    while ((mine = take()) > 0) {
        unsigned long result = job((unsigned long)mine);

        put(result);
        if (mine % IO_EVERY == 0 &&
            (write(fds[1], &result, sizeof(result)) != sizeof(result) ||
             read(fds[0], &result, sizeof(result)) != sizeof(result)))
            abort();
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    struct timespec before, after;
    char byte;

    n_left = argc > 1 ? atol(argv[1]) : 10000;
    if (argc > 2 && read(STDIN_FILENO, &byte, 1) < 0)
        return 1;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    (void)printf("%.6f %ld %lu\n",
                 (double)(after.tv_sec - before.tv_sec) +
                     1e-9 * (double)(after.tv_nsec - before.tv_nsec),
                 n_locks, results[0] & 1);
    return 0;
}
