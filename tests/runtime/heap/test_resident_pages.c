/*
 * test_leak_present - pages that were written to are found among many that
 * were not.
 */
#include "runtime/heap/resident_pages.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
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
static struct cp_resident_pages *present;

static void set_up(void)
{
    page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    memory = mmap(NULL, N_PAGES * page_size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    /* Or one write brings in hundreds of pages. */
    (void)madvise(memory, N_PAGES * page_size, MADV_NOHUGEPAGE);
    present = cp_resident_pages_new(NULL);
}

/* The next run of pages: its first and the one after its last. */
static void check_run(uintptr_t *from, uintptr_t first, uintptr_t after)
{
    uintptr_t end = (uintptr_t)memory + N_PAGES * page_size, stop;

    stop = cp_resident_pages_find(present, from, end);
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
    cp_resident_pages_forget(present, false);
    check_run(&at, 3, 5);
    check_run(&at, 90000, 90001);
    check_run(&at, N_PAGES - 1, N_PAGES);
    CHECK(at == (uintptr_t)memory + N_PAGES * page_size);
}

static void test_part_of_page(void)
{
    uintptr_t at = (uintptr_t)memory + 3 * page_size + 16;
    uintptr_t end = at + 64;

    CHECK(cp_resident_pages_find(present, &at, end) == end);
    CHECK(at == (uintptr_t)memory + 3 * page_size + 16);
    at = (uintptr_t)memory + 7 * page_size + 16;
    end = at + 64;
    CHECK(cp_resident_pages_find(present, &at, end) == end);
    CHECK(at == end);
}

/* What is written after the look is seen by the next one. */
static void test_forget(void)
{
    uintptr_t at = (uintptr_t)memory + 10 * page_size;
    uintptr_t end = (uintptr_t)memory + 60 * page_size;

    CHECK(cp_resident_pages_find(present, &at, end) == end);
    CHECK(at == end);
    at = (uintptr_t)memory + 10 * page_size;
    memory[50 * page_size] = 1;
    cp_resident_pages_forget(present, false);
    check_run(&at, 50, 51);
}

/* Can the kernel pass over what is not there (PAGEMAP_SCAN)? */
static bool is_new_kernel(void)
{
    struct utsname its;
    int major = 0, minor = 0;

    return uname(&its) == 0 &&
           sscanf(its.release, "%d.%d", &major, &minor) == 2 &&
           (major > 6 || (major == 6 && minor >= 7));
}

/* A terabyte that is only reserved is passed over at once. */
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
    cp_resident_pages_forget(present, false);
    CHECK(cp_resident_pages_find(present, &at, end) == at + page_size);
    CHECK(at == (uintptr_t)m + much / 2);
    at += page_size;
    CHECK(cp_resident_pages_find(present, &at, end) == end);
    CHECK(at == end);
    CHECK(clock() - start < CLOCKS_PER_SEC / 10); /* it was a second */
    (void)munmap(m, much);
}

/* Of a mapping that cannot be written: what was written before, not the file.
 */
static void test_of_program(void)
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
    cp_resident_pages_forget(present, true);
    CHECK(cp_resident_pages_find(present, &at, end) == end - page_size);
    CHECK(at == (uintptr_t)m + page_size);
    cp_resident_pages_forget(present, false);
    at = (uintptr_t)m;
    (void)cp_resident_pages_find(present, &at, end);
    CHECK(at == (uintptr_t)m);
}

/* Without descriptors to be had, all pages count. */
static void test_not_told(void)
{
    struct rlimit old, none;
    uintptr_t at = (uintptr_t)memory, end = at + 5 * page_size;

    (void)getrlimit(RLIMIT_NOFILE, &old);
    none = old;
    none.rlim_cur = 0;
    cp_resident_pages_free(present);
    (void)setrlimit(RLIMIT_NOFILE, &none);
    present = cp_resident_pages_new(NULL);
    (void)setrlimit(RLIMIT_NOFILE, &old);
    CHECK(cp_resident_pages_find(present, &at, end) == end);
    CHECK(at == (uintptr_t)memory);
    cp_resident_pages_forget(present, true);
    CHECK(cp_resident_pages_find(present, &at, end) == end);
    CHECK(at == end);
}

int main(void)
{
    set_up();
    if (memory == MAP_FAILED || !present) {
        puts("no memory");
        return 77;
    }
    RUN(test_runs);
    RUN(test_part_of_page);
    RUN(test_forget);
    RUN(test_of_program);
    RUN(test_reserved);
    RUN(test_not_told);
    cp_resident_pages_free(present);
    return check_failures != 0;
}
