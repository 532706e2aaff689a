/*
 * resident_pages.c - reads /proc/self/pagemap in batches, and skips holes with
 * the PAGEMAP_SCAN ioctl of Linux 6.7 where the kernel has it.
 */
#include "runtime/heap/resident_pages.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "base/proc_self.h"

#define N_ENTRIES 8192
/* Flags of an entry of /proc/self/pagemap. */
#define PRESENT_OR_SWAPPED ((uint64_t)3 << 62)
#define FILE_OR_SHARED ((uint64_t)1 << 61)

/* PAGEMAP_SCAN is newer than the headers: see linux/fs.h of Linux 6.7. */
struct region {
    uint64_t start, end, categories;
};

struct scan_args {
    uint64_t size, flags, start, end, walk_end;
    uint64_t regions, n_regions, max_pages;
    uint64_t inverted, all_of, any_of, returned;
};

#define IOCTL_PAGEMAP_SCAN _IOWR('f', 16, struct scan_args)
#define SCAN_PRESENT_OR_SWAPPED ((uint64_t)3 << 3)

struct cp_resident_pages {
    int fd; /* /proc/self/pagemap; -1 if it cannot be used */
    bool only_anonymous;
    uintptr_t page_size; /* bytes */
    uintptr_t first;     /* page number of entries[0] */
    size_t n;            /* valid entries; 0 to N_ENTRIES */
    uint64_t entries[N_ENTRIES];
};

/* Reads a batch of entries from `page` on, not beyond `end`. */
static bool read_entries(struct cp_resident_pages *p, uintptr_t page,
                         uintptr_t end)
{
    size_t n = end - page < N_ENTRIES ? end - page : N_ENTRIES;
    ssize_t got = p->fd < 0 ? -1
                            : pread(p->fd, p->entries, n * sizeof(*p->entries),
                                    (off_t)(page * sizeof(*p->entries)));

    p->first = page;
    p->n = got > 0 ? (size_t)got / sizeof(*p->entries) : 0;
    CP_ASSERT(p->n <= N_ENTRIES);
    return p->n > 0;
}

/*
 * Whether pagemap describes this process. The page of *p itself is resident; if
 * pagemap says otherwise, it describes an emulator, in which the program has
 * other addresses.
 */
static bool describes_this_process(struct cp_resident_pages *p)
{
    uintptr_t page = (uintptr_t)p / p->page_size;
    bool is_resident =
        read_entries(p, page, page + 1) && p->entries[0] & PRESENT_OR_SWAPPED;

    p->n = 0;
    return is_resident;
}

struct cp_resident_pages *cp_resident_pages_new(struct cp_error *err)
{
    struct cp_resident_pages *p = cp_alloc(1, sizeof(*p), err);
    char path[CP_PROC_SELF_BYTES];

    if (!p)
        return NULL;
    p->page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    p->fd = open(cp_proc_self("pagemap", path), O_RDONLY | O_CLOEXEC);
    if (p->fd >= 0 && !describes_this_process(p)) {
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

void cp_resident_pages_reset(struct cp_resident_pages *p, bool only_anonymous)
{
    p->n = 0;
    p->only_anonymous = only_anonymous;
}

static bool is_counted(const struct cp_resident_pages *p, uint64_t entry)
{
    return entry & PRESENT_OR_SWAPPED &&
           !(p->only_anonymous && entry & FILE_OR_SHARED);
}

/*
 * Returns the next resident page from `page` on, or `page` itself if the kernel
 * has no PAGEMAP_SCAN. Reading one entry for each page of a terabyte would take
 * seconds.
 */
static uintptr_t skip_hole(const struct cp_resident_pages *p, uintptr_t page,
                           uintptr_t end)
{
    struct region first;
    struct scan_args args = { .size = sizeof(args),
                              .start = page * p->page_size,
                              .end = end * p->page_size,
                              .regions = (uintptr_t)&first,
                              .n_regions = 1,
                              .max_pages = 1,
                              .any_of = SCAN_PRESENT_OR_SWAPPED,
                              .returned = SCAN_PRESENT_OR_SWAPPED };
    int n = p->fd < 0 ? -1 : ioctl(p->fd, IOCTL_PAGEMAP_SCAN, &args);

    if (n < 0)
        return page;
    return (n > 0 ? first.start : args.walk_end) / p->page_size;
}

/*
 * The first page from `page` on that counts (is_resident) or does not count
 * (!is_resident); at most `end`.
 */
static uintptr_t find_page(struct cp_resident_pages *p, uintptr_t page,
                           uintptr_t end, bool is_resident)
{
    for (; page < end; page++) {
        uintptr_t i = page - p->first;

        if (i >= p->n) {
            if (is_resident)
                page = skip_hole(p, page, end);
            if (page >= end)
                return end;
            if (!read_entries(p, page, end))
                return is_resident && !p->only_anonymous ? page : end;
            i = 0;
        }
        CP_ASSERT(i < p->n);
        if (is_counted(p, p->entries[i]) == is_resident)
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

    CP_ASSERT(page <= stop && stop <= last);
    if (page * size > *start)
        *start = page * size < end ? page * size : end;
    return stop * size < end ? stop * size : end;
}
