/* parallel.c - threads that fetch piece numbers from an atomic counter. */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct job {
    void (*run)(void *context, size_t piece);
    void *context;
    size_t n;
    atomic_size_t next;
};

size_t cp_parallel_width(void)
{
    cpu_set_t cores;
    int n;

    if (sched_getaffinity(0, sizeof(cores), &cores) != 0)
        return 1;
    n = CPU_COUNT(&cores);
    if (n < 1)
        return 1;
    return n > CP_PARALLEL_MAX ? CP_PARALLEL_MAX : (size_t)n;
}

static void *work(void *arg)
{
    struct job *job = arg;
    size_t piece;

    while ((piece = atomic_fetch_add(&job->next, 1)) < job->n)
        job->run(job->context, piece);
    return NULL;
}

void cp_parallel_run(size_t n, void (*run)(void *context, size_t piece),
                     void *context)
{
    struct job job = { run, context, n, 0 };
    pthread_t threads[CP_PARALLEL_MAX];
    size_t n_threads = 0, width = n > 1 ? cp_parallel_width() : 1;

    if (width > n)
        width = n;
    while (n_threads + 1 < width &&
           pthread_create(&threads[n_threads], NULL, work, &job) == 0)
        n_threads++;
    (void)work(&job);
    while (n_threads > 0)
        (void)pthread_join(threads[--n_threads], NULL);
}
