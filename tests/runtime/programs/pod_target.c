/*
 * pod_target.c - a program for tests/cli/container and tests/cli/musl: it
 * computes, keeps memory and has a sleeping thread, until it is killed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "keep.h"

#define BLOCKS 64
#define BLOCK_BYTES ((size_t)1 << 20)

static void *volatile hoard[BLOCKS];

KEEP static void fill_hoard(void)
{
    for (size_t i = 0; i < BLOCKS; i++)
        hoard[i] = malloc(BLOCK_BYTES);
}

KEEP static unsigned work(unsigned x)
{
    for (int i = 0; i < 1000000; i++)
        x = x * 1103515245u + 12345u;
    return x;
}

KEEP static void *sleep_for_ever(void *arg)
{
    for (;;)
        (void)pause();
    return arg;
}

int main(void)
{
    volatile unsigned x = 1;
    pthread_t sleeper;

    fill_hoard();
    if (pthread_create(&sleeper, NULL, sleep_for_ever, NULL) != 0)
        return 1;
    (void)puts("ready");
    (void)fflush(stdout);
    for (;;)
        x = work(x);
}
