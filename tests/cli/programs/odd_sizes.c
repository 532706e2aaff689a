/*
 * odd_sizes - failing allocations and allocations of no bytes between normal
 * ones, for tests/cli/memory.
 *
 * `odd_sizes` requests sizes up to SIZE_MAX from every function, allocates ten
 * blocks in small() after each, and 50 of no bytes in nothing() at the end.
 * `odd_sizes N` makes realloc fail N times, each time before a block in
 * small().
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#define KEEP __attribute__((noinline, noipa))

static const size_t sizes[] = {
    SIZE_MAX,
    SIZE_MAX - 5,
    (size_t)1 << 63,
    ((size_t)1 << 63) + 1,
    ((size_t)1 << 63) - 1,
    (size_t)-2000000000,
    (size_t)-1 << 40,
    (size_t)1 << 62,
    (size_t)1 << 50,
};

#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void *volatile block, *volatile held;

KEEP static void small(size_t size)
{
    held = malloc(size);
}

KEEP static void nothing(void)
{
    held = malloc(0);
}

KEEP static void ask(volatile size_t size)
{
    void *aligned = NULL;

    held = malloc(size);
    held = calloc(1, size);
    held = calloc(size, 2);
    held = realloc(block, size);
    held = reallocarray(block, 1, size);
    held = reallocarray(block, size, 3);
    held = memalign(64, size);
    held = aligned_alloc(64, size);
    held = valloc(size);
    if (posix_memalign(&aligned, 64, size) == 0)
        abort();
}

static void fail(int n)
{
    volatile size_t size = sizes[N_SIZES - 1];

    for (int i = 0; i < n; i++) {
        held = realloc(block, size);
        small(16);
    }
}

int main(int argc, char **argv)
{
    block = malloc(10);
    if (argc > 1) {
        fail(atoi(argv[1]));
        return 0;
    }
    for (size_t i = 0; i < N_SIZES; i++) {
        ask(sizes[i]);
        for (int k = 0; k < 10; k++)
            small(1000);
    }
    for (int k = 0; k < 50; k++)
        nothing();
    return 0;
}
