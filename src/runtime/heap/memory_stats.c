/* memory_stats.c - sums the heap samples and reads /proc/self/{statm,stat}. */
#include "runtime/heap/memory_stats.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/out.h"
#include "base/proc_self.h"
#include "runtime/heap/heap.h"
#include "runtime/os/clock.h"
#include "runtime/threads/threads.h"

struct sums {
    double objects, bytes;     /* allocated since the start */
    double freed, freed_bytes; /* the part of them that was freed */
};

/* Scales the samples to all allocations of the program. */
static struct sums estimate(void)
{
    struct sums sums = { 0 };
    struct cp_heap_row row;

    for (size_t i = 0; i < cp_heap_n_rows(); i++) {
        double alloc_weight, freed_weight;

        if (!cp_heap_row(i, &row))
            continue;
        alloc_weight = cp_heap_weight(&row, row.count, row.bytes);
        freed_weight = cp_heap_weight(&row, row.freed, row.freed_bytes);
        sums.objects += (double)row.count * alloc_weight;
        sums.bytes += (double)row.bytes * alloc_weight;
        sums.freed += (double)row.freed * freed_weight;
        sums.freed_bytes += (double)row.freed_bytes * freed_weight;
    }
    return sums;
}

/* Reads /proc/self/statm: [0] total, [1] resident, [5] data; in pages. */
static void read_pages(long long pages[7])
{
    char text[256], self[CP_PROC_SELF_BYTES];
    int fd = open(cp_proc_self("statm", self), O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    for (size_t i = 0; i < 7; i++)
        pages[i] = 0;
    if (fd >= 0)
        (void)close(fd);
    if (n <= 0)
        return;
    text[n] = '\0';
    (void)sscanf(text, "%lld %lld %lld %lld %lld %lld %lld", &pages[0],
                 &pages[1], &pages[2], &pages[3], &pages[4], &pages[5],
                 &pages[6]);
}

static void put(struct cp_out *out, const char *name, double value)
{
    cp_out_printf(out, "# %s = %lld\n", name, (long long)(value + 0.5));
}

/* Writes figures of libc's malloc, even if the program uses a different one. */
static void put_libc(struct cp_out *out)
{
    struct mallinfo2 info = mallinfo2();
    double all = (double)info.arena + (double)info.hblkhd;

    put(out, "HeapSys", all);
    put(out, "HeapIdle", (double)info.fordblks);
    put(out, "HeapInuse", (double)info.uordblks + (double)info.hblkhd);
}

void cp_memory_stats_write(struct cp_out *out)
{
    struct sums sums = estimate();
    struct rusage usage = { 0 };
    long long pages[7];
    double page = (double)sysconf(_SC_PAGESIZE);

    read_pages(pages);
    (void)getrusage(RUSAGE_SELF, &usage);
    cp_out_cstr(out, "\n# runtime.MemStats\n");
    put(out, "Alloc", sums.bytes - sums.freed_bytes);
    put(out, "TotalAlloc", sums.bytes);
    put(out, "Sys", (double)pages[5] * page);
    put(out, "Mallocs", sums.objects);
    put(out, "Frees", sums.freed);
    put(out, "HeapAlloc", sums.bytes - sums.freed_bytes);
    put_libc(out);
    put(out, "HeapObjects", sums.objects - sums.freed);
    put(out, "RSS", (double)pages[1] * page);
    put(out, "MaxRSS", (double)usage.ru_maxrss * 1024);
}

/*
 * Returns the number of threads of the program, without the library's threads.
 */
static long long count_threads(void)
{
    struct cp_threads_stats stats;
    char text[1024];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    const char *at;
    long long threads = 0;

    if (fd >= 0)
        (void)close(fd);
    if (n <= 0)
        return 0;
    text[n] = '\0';
    at = strrchr(text, ')'); /* the name may contain parentheses */
    if (at)
        (void)sscanf(at + 1,
                     " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u"
                     " %*u %*u %*d %*d %*d %*d %lld",
                     &threads);
    cp_threads_stats(&stats);
    return threads - (long long)stats.n_internal;
}

void cp_memory_stats_json(struct cp_out *out)
{
    struct sums sums = estimate();
    long long pages[7];

    read_pages(pages);
    cp_out_printf(out,
                  "{\"time_ns\":%lld,\"rss\":%lld,\"heap\":%.0f,"
                  "\"threads\":%lld,\"cpu_ns\":%lld}\n",
                  (long long)cp_clock_ns(CLOCK_REALTIME),
                  pages[1] * (long long)sysconf(_SC_PAGESIZE),
                  sums.bytes - sums.freed_bytes, count_threads(),
                  (long long)cp_clock_ns(CLOCK_PROCESS_CPUTIME_ID));
}
