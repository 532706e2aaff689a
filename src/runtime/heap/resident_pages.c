/* resident_pages.c - see resident_pages.h. */
#include "runtime/heap/resident_pages.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/proc_self.h"

#define N_ENTRIES 8192
/* In an entry of /proc/self/pagemap: in memory, or in swap. */
#define IS_THERE ((uint64_t)3 << 62)
#define IS_OF_FILE ((uint64_t)1 << 61) /* or of shared memory */

/* PAGEMAP_SCAN of Linux 6.7, newer than the headers: see linux/fs.h. */
struct region {
    uint64_t start, end, categories;
};

struct question {
    uint64_t size, flags, start, end, walk_end;
    uint64_t regions, n_regions, most_pages;
    uint64_t inverted, all_of, any_of, wanted;
};

#define ASK _IOWR('f', 16, struct question)
#define PRESENT_OR_SWAPPED ((uint64_t)3 << 3)

struct cp_resident_pages {
    int fd; /* -1: all pages count as there */
    bool of_program;
    uintptr_t page_size;
    uintptr_t first; /* number of the page of the first entry */
    size_t n;        /* entries that are known */
    uint64_t entries[N_ENTRIES];
};

/* Reads the entries from that page on, not beyond `end`. */
static bool read_entries(struct cp_resident_pages *p, uintptr_t page,
                         uintptr_t end)
{
    size_t n = end - page < N_ENTRIES ? end - page : N_ENTRIES;
    ssize_t got = p->fd < 0 ? -1
                            : pread(p->fd, p->entries, n * sizeof(*p->entries),
                                    (off_t)(page * sizeof(*p->entries)));

    p->first = page;
    p->n = got > 0 ? (size_t)got / sizeof(*p->entries) : 0;
    return p->n > 0;
}

/*
 * This very table is there. If the kernel says otherwise, it tells of somebody
 * else's memory: an emulator's, in which the program has other addresses.
 */
static bool is_of_us(struct cp_resident_pages *p)
{
    uintptr_t page = (uintptr_t)p / p->page_size;
    bool is_there = read_entries(p, page, page + 1) && p->entries[0] & IS_THERE;

    p->n = 0;
    return is_there;
}

struct cp_resident_pages *cp_resident_pages_new(struct cp_error *err)
{
    struct cp_resident_pages *p = cp_alloc(1, sizeof(*p), err);
    char path[CP_PROC_SELF_BYTES];

    if (!p)
        return NULL;
    p->page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    p->fd = open(cp_proc_self("pagemap", path), O_RDONLY | O_CLOEXEC);
    if (p->fd >= 0 && !is_of_us(p)) {
        (void)close(p->fd);
        p->fd = -1;
    }
    return p;
}

void cp_resident_pages_free(struct cp_resident_pages *p)
{
    if (p && p->fd >= 0)
        (void)close(p->fd);
    cp_free(p);
}

void cp_resident_pages_forget(struct cp_resident_pages *p, bool of_program)
{
    p->n = 0;
    p->of_program = of_program;
}

static bool counts(const struct cp_resident_pages *p, uint64_t entry)
{
    return entry & IS_THERE && !(p->of_program && entry & IS_OF_FILE);
}

/*
 * Passes over pages that are not there, however many; where the kernel cannot
 * be asked that, none. To be told of each of a terabyte takes seconds.
 */
static uintptr_t pass_hole(const struct cp_resident_pages *p, uintptr_t page,
                           uintptr_t end)
{
    struct region first;
    struct question q = { .size = sizeof(q),
                          .start = page * p->page_size,
                          .end = end * p->page_size,
                          .regions = (uintptr_t)&first,
                          .n_regions = 1,
                          .most_pages = 1,
                          .any_of = PRESENT_OR_SWAPPED,
                          .wanted = PRESENT_OR_SWAPPED };
    int n = p->fd < 0 ? -1 : ioctl(p->fd, ASK, &q);

    if (n < 0)
        return page;
    return (n > 0 ? first.start : q.walk_end) / p->page_size;
}

/* The first page from there on that is there, or is not; at most `end`. */
static uintptr_t find_page(struct cp_resident_pages *p, uintptr_t page,
                           uintptr_t end, bool is_there)
{
    for (; page < end; page++) {
        uintptr_t i = page - p->first;

        if (i >= p->n) {
            if (is_there)
                page = pass_hole(p, page, end);
            if (page >= end)
                return end;
            if (!read_entries(p, page, end))
                return is_there && !p->of_program ? page : end;
            i = 0;
        }
        if (counts(p, p->entries[i]) == is_there)
            break;
    }
    return page;
}

uintptr_t cp_resident_pages_find(struct cp_resident_pages *p, uintptr_t *start,
                                 uintptr_t end)
{
    uintptr_t size = p->page_size, last = (end + size - 1) / size;
    uintptr_t page = find_page(p, *start / size, last, true);
    uintptr_t stop = find_page(p, page, last, false);

    if (page * size > *start)
        *start = page * size < end ? page * size : end;
    return stop * size < end ? stop * size : end;
}
