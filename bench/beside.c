/*
 * beside - compares hooked malloc and free with the allocator's own, for
 * bench/heap.py.
 *
 * `beside LIBRARY 0|1` does the work of a thread of bench/churn in slices of
 * about 40 us, alternately through malloc and free, where a preloaded library
 * has its hooks, and through those of LIBRARY. So memory layout and load of the
 * machine are the same for both. Prints the nanoseconds of a round of each: the
 * mean of all slices without the slowest twentieth, which were interrupted.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEPT 2048
#define ROUNDS 1000
#define SLICES 4000
#define TURN 10 /* consecutive slices of one kind */

struct way {
    void *(*take)(size_t size);
    void (*give)(void *block);
    void *kept[KEPT];
    uint64_t state;
    double ns[SLICES];
};

static struct way ways[2];
static volatile uint64_t seen;

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void replace(struct way *w)
{
    uint32_t r = next_random(&w->state);
    size_t size = ((size_t)16 << __builtin_ctz(r | 1 << 8)) - (r >> 16 & 7);
    void **place = &w->kept[next_random(&w->state) % KEPT];
    uint64_t sum = 0, *old = *place, *block = w->take(size);

    if (!block)
        abort();
    memset(block, (int)(r & 0xff), size);
    block[0] = size / sizeof(*block);
    *place = block;
    for (size_t i = 1; old && i < old[0]; i++)
        sum = (sum ^ old[i]) * 31;
    seen += sum;
    w->give(old);
}

static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void run_slice(struct way *w, double *out)
{
    double start = now_ns();

    for (int i = 0; i < ROUNDS; i++)
        replace(w);
    *out = (now_ns() - start) / ROUNDS;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double mean_of(double *ns)
{
    double sum = 0;
    int n = SLICES * 19 / 20;

    qsort(ns, SLICES, sizeof(*ns), compare);
    for (int i = 0; i < n; i++)
        sum += ns[i];
    return sum / n;
}

static void *sleep_on(void *arg)
{
    (void)pause();
    return arg;
}

static int find_ways(const char *name, int through)
{
    void *library = dlopen(name, RTLD_NOW), *take, *give;

    if (!library || !(take = dlsym(library, "malloc")) ||
        !(give = dlsym(library, "free")))
        return -1;
    ways[through].take = malloc;
    ways[through].give = free;
    memcpy(&ways[!through].take, &take, sizeof(take));
    memcpy(&ways[!through].give, &give, sizeof(give));
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread; /* glibc has a shortcut for processes with one thread */
    int through = argc == 3 && argv[2][0] == '1';
    double ignored;

    if (argc != 3 || find_ways(argv[1], through) != 0 ||
        pthread_create(&thread, NULL, sleep_on, NULL) != 0)
        return 2;
    for (int i = 0; i < 200; i++)
        run_slice(&ways[i % 2], &ignored);
    for (int i = 0; i < 2 * SLICES; i += TURN) {
        struct way *w = &ways[i / TURN % 2];

        run_slice(w, &ignored); /* warms up the caches */
        for (int k = 0; k < TURN; k++)
            run_slice(w, &w->ns[i / TURN / 2 * TURN + k]);
    }
    printf("%.3f %.3f\n", mean_of(ways[!through].ns),
           mean_of(ways[through].ns));
    return 0;
}
