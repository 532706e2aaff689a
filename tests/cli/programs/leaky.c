/*
 * leaky.c - allocates known amounts in known functions, on two threads.
 *
 * With jemalloc's profiling it writes dumps for tests/cli/jeprof. It keeps some
 * memory and frees some; a second thread does half of that.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 20000 };

static void *kept[KEPT];
static size_t n_kept;

static __attribute__((noinline)) void *make_small(size_t size)
{
    void *block = malloc(size);

    memset(block, 1, size);
    return block;
}

static __attribute__((noinline)) void *make_big(size_t size)
{
    void *block = malloc(size);

    memset(block, 2, size);
    return block;
}

static __attribute__((noinline)) void grow(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        kept[n_kept++] = make_small(100 + (size_t)i % 900);
        if (i % 100 == 0)
            kept[n_kept++] = make_big(200000);
    }
}

static __attribute__((noinline)) void churn(int rounds)
{
    for (int i = 0; i < rounds; i++)
        free(make_small(3000));
}

static void *work(void *argument)
{
    churn(20000);
    grow(3000);
    return argument;
}

int main(void)
{
    pthread_t thread;

    grow(5000);
    churn(1000);
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    (void)pthread_join(thread, NULL);
    grow(8000);
    return 0;
}
