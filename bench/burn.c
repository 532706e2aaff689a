/*
 * burn ROUNDS - work for a profiler: sorts and formats, with deep stacks.
 * Prints its CPU time in seconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned long sink;

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, 16);
}

static void round_of_work(unsigned seed)
{
    char rows[512][16];

    for (size_t i = 0; i < 512; i++) {
        seed = seed * 1664525u + 1013904223u;
        (void)snprintf(rows[i], sizeof(rows[i]), "%015u", seed);
    }
    qsort(rows, 512, sizeof(rows[0]), compare);
    sink += strlen(rows[0]);
}

static void descend(int depth, unsigned seed)
{
    if (depth > 0)
        descend(depth - 1, seed);
    else
        round_of_work(seed);
    sink++;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 1000;
    struct timespec t;

    for (long i = 0; i < rounds; i++)
        descend(20, (unsigned)i);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    printf("%.6f\n", (double)t.tv_sec + 1e-9 * (double)t.tv_nsec);
    return 0;
}
