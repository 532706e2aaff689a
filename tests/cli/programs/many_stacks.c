/*
 * many_stacks.c - allocates N blocks of 16 bytes, each from a different stack,
 * and keeps them; then prints the resident memory of the process in KB. Exits
 * with 1 if an allocation fails.
 */
#include <stdio.h>
#include <stdlib.h>

#define DEPTH 20

static void *left(unsigned path, int depth);

__attribute__((noinline)) static void *right(unsigned path, int depth)
{
    void *block = depth == 0 ? malloc(16)
                  : path & 1 ? left(path >> 1, depth - 1)
                             : right(path >> 1, depth - 1);

    __asm__ volatile("" : : "r"(block)); /* prevents a tail call */
    return block;
}

__attribute__((noinline)) static void *left(unsigned path, int depth)
{
    void *block = depth == 0 ? malloc(16)
                  : path & 1 ? left(path >> 1, depth - 1)
                             : right(path >> 1, depth - 1);

    __asm__ volatile("" : : "r"(block));
    return block;
}

static void print_memory(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[128];
    long kb;

    while (status && fgets(line, sizeof(line), status))
        if (sscanf(line, "VmRSS: %ld", &kb) == 1)
            printf("%ld\n", kb);
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 0;

    for (unsigned i = 0; i < n; i++)
        if (!left(i, DEPTH))
            return 1;
    print_memory();
    return 0;
}
