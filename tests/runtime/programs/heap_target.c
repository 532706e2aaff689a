/*
 * heap_target - allocates known amounts, for tests/cli/heap.
 *
 * `heap_target OUT` allocates known amounts in known functions and prints for
 * each "site NAME SIZE ALLOCATED KEPT" in blocks; "varied NAME MAX_BLOCKS
 * ONE_IN" for one block of each size up to MAX_BLOCKS, of which it keeps one in
 * ONE_IN; and "total BYTES" of mallinfo2. It writes the heap profile to OUT,
 * frees all blocks, and writes OUT.end, where none of them may be live.
 */
#include <cpprof.h>

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "keep.h"

#define MAX_BLOCKS 200000
#define THREADS 200
#define EACH 400

static void *kept[MAX_BLOCKS];
static size_t n_kept;

static void keep(void *block)
{
    if (!block || n_kept == MAX_BLOCKS)
        abort();
    kept[n_kept++] = block;
}

static void say(const char *site, size_t size, size_t n, size_t n_live)
{
    printf("site %s %zu %zu %zu\n", site, size, n, n_live);
}

/* One function per kind of block, so that each kind has its own stack. */
#define SITE(name, call)                                                       \
    KEEP static void *name(size_t size)                                        \
    {                                                                          \
        void *block = call;                                                    \
                                                                               \
        if (block)                                                             \
            *(volatile char *)block = 1;                                       \
        return block;                                                          \
    }

SITE(tiny, malloc(size))
SITE(small, malloc(size))
SITE(middle, calloc(size / 8, 8))
SITE(large, malloc(size))
SITE(huge, malloc(size))
SITE(aligned, memalign(256, size))
SITE(half_freed, malloc(size))
SITE(crossing, malloc(size))
SITE(threaded, malloc(size))
SITE(any_size, malloc(size))

KEEP static void *grown(size_t size)
{
    void *block = NULL;

    for (size_t n = 1; n <= 8; n++)
        block = realloc(block, n * size / 8);
    return block;
}

static void many(const char *name, void *(*site)(size_t), size_t size, size_t n)
{
    for (size_t i = 0; i < n; i++)
        keep(site(size));
    say(name, size, n, n);
}

/* Frees every second block. */
static void free_half(size_t size, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        void *block = half_freed(size);

        if (i % 2)
            free(block);
        else
            keep(block);
    }
    say("half_freed", size, n, n / 2);
}

/* Allocates here; another thread frees. */
static void *free_all(void *blocks)
{
    for (void **b = blocks; *b; b++)
        free(*b);
    return NULL;
}

static void cross(size_t size, size_t n)
{
    void **blocks = calloc(n + 1, sizeof(*blocks));
    pthread_t thread;

    for (size_t i = 0; i < n; i++)
        blocks[i] = crossing(size);
    if (pthread_create(&thread, NULL, free_all, blocks) != 0)
        abort();
    (void)pthread_join(thread, NULL);
    free(blocks);
    say("crossing", size, n, 0);
}

static void *of_thread(void *blocks)
{
    for (size_t i = 0; i < EACH; i++)
        ((void **)blocks)[i] = threaded(2048);
    return NULL;
}

static void run_threads(void)
{
    static void *blocks[THREADS][EACH];
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, of_thread, blocks[i]) != 0)
            abort();
    for (size_t i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
        for (size_t k = 0; k < EACH; k++)
            keep(blocks[i][k]);
    }
    say("threaded", 2048, (size_t)THREADS * EACH, (size_t)THREADS * EACH);
}

/* One block of each size: more than the table has rows. */
static void vary(size_t n, size_t one_in)
{
    for (size_t size = 1; size <= n; size++) {
        void *block = any_size(size);

        if (size % one_in == 0)
            keep(block);
        else
            free(block);
    }
    printf("varied any_size %zu %zu\n", n, one_in);
}

static void write_to(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0 || cpprof_write("heap", 0, fd) != 0) {
        fprintf(stderr, "heap_target: %s\n", cpprof_error());
        exit(1);
    }
    (void)close(fd);
}

/* Bytes in use by mallinfo2; only with glibc's malloc. */
static void say_total(void)
{
    struct mallinfo2 info = mallinfo2();

    printf("total %zu\n", info.uordblks + info.hblkhd);
}

int main(int argc, char **argv)
{
    char end[4096];

    if (argc != 2)
        return 2;
    many("tiny", tiny, 8, 60000);
    many("small", small, 200, 20000);
    many("middle", middle, 4096, 8000);
    many("aligned", aligned, 3000, 4000);
    many("large", large, 300000, 100);
    many("huge", huge, (size_t)64 << 20, 3);
    free_half(1000, 20000);
    cross(5000, 4000);
    run_threads();
    vary(140000, 100);
    for (size_t i = 0; i < 500; i++)
        keep(grown(8000));
    printf("realloc grown 8000 500\n");
    say_total();
    write_to(argv[1]);
    while (n_kept > 0)
        free(kept[--n_kept]);
    (void)snprintf(end, sizeof(end), "%s.end", argv[1]);
    write_to(end);
    return 0;
}
