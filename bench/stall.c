/*
 * stall - does a leak profile stop the program? For bench/heap.py.
 *
 * `stall MB` fills so much memory with blocks of 4 to 64 KB in which every
 * eighth word is a pointer, then takes a leak profile while a thread reads the
 * clock all the time. Prints how long that took, and the longest time between
 * two readings while it was taken and, for comparison, while nothing was: on a
 * busy machine others get the core meanwhile.
 */
#include <cpprof.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static _Atomic int is_over;
static _Atomic long longest_ns;

static long now_ns(clockid_t clock)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *watch(void *arg)
{
    long last = now_ns(CLOCK_MONOTONIC);

    while (!atomic_load(&is_over)) {
        long now = now_ns(CLOCK_MONOTONIC);

        if (now - last > atomic_load(&longest_ns))
            atomic_store(&longest_ns, now - last);
        last = now;
    }
    return arg;
}

static void fill(size_t bytes)
{
    static void **volatile list;
    size_t size = 4096;

    for (size_t used = 0; used < bytes; used += size) {
        void **block = malloc(size);

        if (!block)
            abort();
        for (size_t i = 0; i < size / sizeof(*block); i++)
            block[i] = i % 8 ? (void *)i : (void *)((char *)list + i);
        *block = (void *)list;
        list = block;
        size = size < 65536 ? size * 2 : 4096;
    }
}

int main(int argc, char **argv)
{
    size_t bytes = (size_t)(argc > 1 ? atol(argv[1]) : 1024) << 20;
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct timespec rest;
    pthread_t watcher;
    long start, took, with;

    fill(bytes);
    if (pthread_create(&watcher, NULL, watch, NULL) != 0)
        return 1;
    atomic_store(&longest_ns, 0);
    start = now_ns(CLOCK_MONOTONIC);
    if (cpprof_write("leak", 0, fd) != 0)
        return 1;
    took = now_ns(CLOCK_MONOTONIC) - start;
    with = atomic_exchange(&longest_ns, 0);
    rest = (struct timespec){ took / 1000000000, took % 1000000000 };
    (void)nanosleep(&rest, NULL);
    printf(
        "  %zu MB of heap: a leak profile in %.0f ms; longest stall %.2f ms, "
        "without it %.2f ms\n",
        bytes >> 20, (double)took / 1e6, (double)with / 1e6,
        (double)atomic_load(&longest_ns) / 1e6);
    atomic_store(&is_over, 1);
    (void)pthread_join(watcher, NULL);
    return 0;
}
