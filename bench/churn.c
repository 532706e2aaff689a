/*
 * churn - threads that mostly allocate and free, for bench/heap.py.
 *
 * `churn THREADS ROUNDS` prints the CPU time of all threads in seconds, and the
 * part after the first tenth of the rounds, which excludes the start of the
 * profiler. Each thread keeps about a thousand blocks and replaces one at a
 * time: 16 to 4096 bytes, mostly small. It writes and reads every block;
 * another thread frees a fifth of them.
 *
 * `churn THREADS ROUNDS deep` makes samples expensive: sizes from 16 bytes to
 * 8 KiB, each power of two equally often, with only the first and the last byte
 * written; another thread frees a quarter; stacks are 10 to 30 frames deep.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_THREADS 64
#define KEPT 8192
#define SHARED 1024
#define BATCH 32 /* rounds with the same depth */
#define NEVER_INLINE __attribute__((noinline))

static void *_Atomic shared[SHARED];
static long n_rounds;
static bool is_deep;
static _Atomic uint64_t sum;
static pthread_barrier_t is_warm, goes_on;

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* 16 to 4096: each power of two as often as all larger ones together. */
static size_t draw_size(uint32_t r)
{
    int power = __builtin_ctz(r | 1 << 8);
    size_t least = (size_t)16 << r % 9;

    if (is_deep)
        return least + (r >> 8) % least;
    return ((size_t)16 << power) - (r >> 16 & 7);
}

/* Writes the whole block, or only its first and last byte. */
static void *make(uint32_t r)
{
    size_t size = draw_size(r);
    uint64_t *block = malloc(size);

    if (!block)
        abort();
    if (is_deep)
        ((volatile char *)block)[size - 1] = 1;
    else
        memset(block, (int)(r & 0xff), size);
    block[0] = is_deep ? 1 : size / sizeof(*block);
    return block;
}

/* The first word of a block is its size. */
static uint64_t read_it(const void *block)
{
    const uint64_t *words = block;
    uint64_t seen = 0;

    for (size_t i = 1; i < words[0]; i++)
        seen = (seen ^ words[i]) * 31;
    return seen;
}

static uint64_t replace(void **kept, uint64_t *state)
{
    uint32_t r = next_random(state);
    void **place = &kept[r % KEPT], *old = *place;
    uint64_t seen = 0;

    *place = make(next_random(state));
    if (old && r >> 16 & 1 && (r >> 17) % 5 < (is_deep ? 3 : 2))
        old = atomic_exchange(&shared[r % SHARED], old);
    if (old) {
        seen = read_it(old);
        free(old);
    }
    return seen;
}

NEVER_INLINE static uint64_t descend(void **kept, uint64_t *state, long n,
                                     uint32_t depth)
{
    volatile uint64_t seen = 0;

    if (depth > 0)
        return descend(kept, state, n, depth - 1) + seen;
    for (long i = 0; i < n; i++)
        seen += replace(kept, state);
    return seen;
}

static uint64_t run(void **kept, uint64_t *state, long n)
{
    uint64_t seen = 0;

    for (; is_deep && n > BATCH; n -= BATCH)
        seen += descend(kept, state, BATCH, 10 + next_random(state) % 21);
    for (; n > 0; n--)
        seen += replace(kept, state);
    return seen;
}

static void *churn(void *arg)
{
    uint64_t state = (uint64_t)(uintptr_t)arg, seen = 0;
    static _Thread_local void *kept[KEPT];

    seen += run(kept, &state, n_rounds / 10);
    (void)pthread_barrier_wait(&is_warm);
    (void)pthread_barrier_wait(&goes_on);
    seen += run(kept, &state, n_rounds - n_rounds / 10);
    for (size_t k = 0; k < KEPT; k++)
        free(kept[k]);
    atomic_fetch_add(&sum, seen);
    return NULL;
}

static double cpu_seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    long n = argc >= 3 ? atol(argv[1]) : 0;
    pthread_t threads[MAX_THREADS];
    double warm, all;

    if (n < 1 || n > MAX_THREADS)
        return 2;
    n_rounds = atol(argv[2]);
    is_deep = argc == 4 && strcmp(argv[3], "deep") == 0;
    (void)pthread_barrier_init(&is_warm, NULL, (unsigned)n + 1);
    (void)pthread_barrier_init(&goes_on, NULL, (unsigned)n + 1);
    for (long i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, churn, (void *)(i + 1)) != 0)
            abort();
    (void)pthread_barrier_wait(&is_warm);
    warm = cpu_seconds();
    (void)pthread_barrier_wait(&goes_on);
    for (long i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
    all = cpu_seconds();
    printf("%.6f %.6f\n", all, all - warm);
    return 0;
}
