/*
 * test_resident_pages - pages that were written are found among many that were
 * not.
 */
#include "runtime/heap/resident_pages.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define N_PAGES ((uintptr_t)100000)

static uintptr_t page_size;
static char *memory;
static struct cp_resident_pages *resident;

static void set_up(void)
{
    page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    memory = mmap(NULL, N_PAGES * page_size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    /* With huge pages one write makes hundreds of pages resident. */
    (void)madvise(memory, N_PAGES * page_size, MADV_NOHUGEPAGE);
    resident = cp_resident_pages_new(NULL);
}

/* The next run of pages: name first and the one after name last. */
static void check_run(uintptr_t *from, uintptr_t first, uintptr_t after)
{
    uintptr_t end = (uintptr_t)memory + N_PAGES * page_size, stop;

    stop = cp_resident_pages_find(resident, from, end);
    CHECK((*from - (uintptr_t)memory) / page_size == first);
    CHECK((stop - (uintptr_t)memory) / page_size == after);
    *from = stop;
}

static void test_runs(void)
{
    uintptr_t at = (uintptr_t)memory;

    memory[3 * page_size] = 1;
    memory[4 * page_size + 8] = 1;
    memory[90000 * page_size] = 1;
    memory[(N_PAGES - 1) * page_size] = 1;
    cp_resident_pages_reset(resident, false);
    check_run(&at, 3, 5);
    check_run(&at, 90000, 90001);
    check_run(&at, N_PAGES - 1, N_PAGES);
    CHECK(at == (uintptr_t)memory + N_PAGES * page_size);
}

static void test_part_of_page(void)
{
    uintptr_t at = (uintptr_t)memory + 3 * page_size + 16;
    uintptr_t end = at + 64;

    CHECK(cp_resident_pages_find(resident, &at, end) == end);
    CHECK(at == (uintptr_t)memory + 3 * page_size + 16);
    at = (uintptr_t)memory + 7 * page_size + 16;
    end = at + 64;
    CHECK(cp_resident_pages_find(resident, &at, end) == end);
    CHECK(at == end);
}

/* A page that is written after a search is found after a reset. */
static void test_reset(void)
{
    uintptr_t at = (uintptr_t)memory + 10 * page_size;
    uintptr_t end = (uintptr_t)memory + 60 * page_size;

    CHECK(cp_resident_pages_find(resident, &at, end) == end);
    CHECK(at == end);
    at = (uintptr_t)memory + 10 * page_size;
    memory[50 * page_size] = 1;
    cp_resident_pages_reset(resident, false);
    check_run(&at, 50, 51);
}

/* Whether the kernel has PAGEMAP_SCAN. */
static bool is_new_kernel(void)
{
    struct utsname name;
    int major = 0, minor = 0;

    return uname(&name) == 0 &&
           sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
           (major > 6 || (major == 6 && minor >= 7));
}

/* A reserved terabyte is skipped in less than 0.1 s. */
static void test_reserved(void)
{
    const size_t much = (size_t)1 << 40;
    char *m = mmap(NULL, much, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uintptr_t at = (uintptr_t)m, end = at + much;
    clock_t start = clock();

    if (m == MAP_FAILED || !is_new_kernel())
        return;
    (void)madvise(m, much, MADV_NOHUGEPAGE);
    m[much / 2] = 1;
    cp_resident_pages_reset(resident, false);
    CHECK(cp_resident_pages_find(resident, &at, end) == at + page_size);
    CHECK(at == (uintptr_t)m + much / 2);
    at += page_size;
    CHECK(cp_resident_pages_find(resident, &at, end) == end);
    CHECK(at == end);
    CHECK(clock() - start < CLOCKS_PER_SEC / 10);
    (void)munmap(m, much);
}

/* only_anonymous counts pages that were written, not those of the file. */
static void test_only_anonymous(void)
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    char *m =
        mmap(NULL, 3 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    uintptr_t at = (uintptr_t)m, end = at + 3 * page_size;

    (void)close(file);
    CHECK(m != MAP_FAILED);
    if (m == MAP_FAILED)
        return;
    CHECK(m[0] == 0x7f);
    m[page_size] = 1;
    CHECK(mprotect(m, 3 * page_size, PROT_READ) == 0);
    cp_resident_pages_reset(resident, true);
    CHECK(cp_resident_pages_find(resident, &at, end) == end - page_size);
    CHECK(at == (uintptr_t)m + page_size);
    cp_resident_pages_reset(resident, false);
    at = (uintptr_t)m;
    (void)cp_resident_pages_find(resident, &at, end);
    CHECK(at == (uintptr_t)m);
}

/* If pagemap cannot be opened, all pages count, but none as anonymous. */
static void test_no_pagemap(void)
{
    struct rlimit old, none;
    uintptr_t at = (uintptr_t)memory, end = at + 5 * page_size;

    (void)getrlimit(RLIMIT_NOFILE, &old);
    none = old;
    none.rlim_cur = 0;
    cp_resident_pages_free(resident);
    (void)setrlimit(RLIMIT_NOFILE, &none);
    resident = cp_resident_pages_new(NULL);
    (void)setrlimit(RLIMIT_NOFILE, &old);
    CHECK(cp_resident_pages_find(resident, &at, end) == end);
    CHECK(at == (uintptr_t)memory);
    cp_resident_pages_reset(resident, true);
    CHECK(cp_resident_pages_find(resident, &at, end) == end);
    CHECK(at == end);
}

int main(void)
{
    set_up();
    if (memory == MAP_FAILED || !resident) {
        puts("no memory");
        return 77;
    }
    RUN(test_runs);
    RUN(test_part_of_page);
    RUN(test_reset);
    RUN(test_only_anonymous);
    RUN(test_reserved);
    RUN(test_no_pagemap);
    cp_resident_pages_free(resident);
    return check_failures != 0;
}
