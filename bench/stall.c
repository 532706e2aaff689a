/*
 * stall - measures how long a leak profile stalls the program, for
 * bench/heap.py.
 *
 * `stall MB` fills MB of memory with blocks of 4 to 64 KB in which every eighth
 * word is a pointer, then takes a leak profile. Meanwhile a thread reads the
 * clock continuously and sometimes maps a page, writes to it and unmaps it,
 * which needs the lock of the address space (mmap_lock). Prints the duration of
 * the profile, and the longest time between two readings and of a mapping,
 * during the profile and without one. The thread has real-time priority if
 * permitted; otherwise the figures include the scheduler. It sleeps at times,
 * because the kernel throttles real-time threads once a second.
 */
#include <cpprof.h>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SPELL_NS 1000000
#define POLL_NS 200000
#define PAGE 4096

static _Atomic int is_over, is_real_time;
static _Atomic long longest_ns, longest_map_ns;

static long now_ns(clockid_t clock)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void note(_Atomic long *longest, long ns)
{
    if (ns > atomic_load(longest))
        atomic_store(longest, ns);
}

static void map_once(void)
{
    long start = now_ns(CLOCK_MONOTONIC);
    char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page == MAP_FAILED)
        abort();
    *page = 1;
    (void)munmap(page, PAGE);
    note(&longest_map_ns, now_ns(CLOCK_MONOTONIC) - start);
}

static void *watch(void *arg)
{
    const struct sched_param first = { .sched_priority = 1 };
    const struct timespec nap = { 0, POLL_NS };

    is_real_time = pthread_setschedparam(pthread_self(), SCHED_RR, &first) == 0;
    while (!atomic_load(&is_over)) {
        long start = now_ns(CLOCK_MONOTONIC), last = start, now = start;

        for (; now - start < SPELL_NS; last = now) {
            now = now_ns(CLOCK_MONOTONIC);
            note(&longest_ns, now - last);
        }
        map_once();
        (void)nanosleep(&nap, NULL);
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

static void print(const char *when)
{
    printf("; %s %.2f ms, of a mapping %.2f", when,
           (double)atomic_exchange(&longest_ns, 0) / 1e6,
           (double)atomic_exchange(&longest_map_ns, 0) / 1e6);
}

int main(int argc, char **argv)
{
    size_t bytes = (size_t)(argc > 1 ? atol(argv[1]) : 1024) << 20;
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct timespec rest;
    pthread_t watcher;
    long start, took;

    fill(bytes);
    if (pthread_create(&watcher, NULL, watch, NULL) != 0)
        return 1;
    start = now_ns(CLOCK_MONOTONIC);
    if (cpprof_write("leak", 0, fd) != 0)
        return 1;
    took = now_ns(CLOCK_MONOTONIC) - start;
    printf("  %zu MB of heap: a leak profile in %.0f ms", bytes >> 20,
           (double)took / 1e6);
    print("longest stall");
    rest = (struct timespec){ took / 1000000000, took % 1000000000 };
    (void)nanosleep(&rest, NULL);
    print("without it");
    printf("%s\n", is_real_time ? "" : " (with others on the cores)");
    atomic_store(&is_over, 1);
    (void)pthread_join(watcher, NULL);
    return 0;
}
