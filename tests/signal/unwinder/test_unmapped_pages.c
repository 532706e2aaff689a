/*
 * test_unmapped_pages - another thread unmaps memory during a walk.
 *
 * The thread maps and unmaps pages as fast as it can: code, as dlclose does,
 * and data that a wrong frame pointer points to. The walker meets addresses in
 * both. A fault would end the test.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "check.h"
#include "signal/unwinder/unwind_table.h"
#include "signal/unwinder/walk.h"

#define PAGE 4096
#define N_PAGES 16
#define N_WORDS (PAGE / sizeof(uintptr_t))
#define N_FLIPS 60000

/* A stack of one page, an unmapped page, and the flipping pages. */
static struct {
    char *stack, *flipping;
} memory;
static atomic_bool is_over;

static void set_flipping(int protection)
{
    void *got = mmap(memory.flipping, N_PAGES * PAGE, protection,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

    if (got != memory.flipping)
        abort();
}

static void *flip(void *unused)
{
    (void)unused;
    for (int i = 0; i < N_FLIPS; i++) {
        set_flipping(PROT_READ);
        set_flipping(PROT_NONE);
    }
    atomic_store(&is_over, true);
    return NULL;
}

static void map_memory(void)
{
    memory.stack = mmap(NULL, (2 + N_PAGES) * PAGE, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory.stack != MAP_FAILED);
    memory.flipping = memory.stack + 2 * PAGE;
    CHECK(mprotect(memory.stack, PAGE, PROT_READ | PROT_WRITE) == 0);
}

/* Walks while the pages flip; regs.pc is in code without CFI rows. */
static void walk_meanwhile(struct cp_signal_regs regs, uintptr_t low,
                           uintptr_t high)
{
    static _Atomic uint64_t cache[CP_UNWIND_CACHE_SLOTS];
    struct cp_unwind_module code = { .start = (uintptr_t)memory.flipping,
                                     .end = (uintptr_t)memory.flipping +
                                            N_PAGES * PAGE };
    struct cp_unwind_table map = { 1, &code, cache };
    uintptr_t frames[CP_WALK_MAX];
    size_t n_frames = 0, n_walks = 0;
    pthread_t thread;

    atomic_store(&is_over, false);
    CHECK(pthread_create(&thread, NULL, flip, NULL) == 0);
    for (; !atomic_load(&is_over); n_walks++) {
        struct cp_signal_walk w = {
            .table = &map, .reader = { .stack_low = low, .stack_high = high }
        };

        n_frames += cp_signal_walk(&w, regs, frames);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(n_walks > 0 && n_frames >= n_walks);
    CHECK(munmap(memory.stack, (2 + N_PAGES) * PAGE) == 0);
}

/* The stack is full of addresses in code that is unmapped. */
static void test_code(void)
{
    uintptr_t *words;

    map_memory();
    words = (uintptr_t *)(void *)memory.stack;
    for (size_t i = 0; i < N_WORDS; i++)
        words[i] = (uintptr_t)memory.flipping + i % N_PAGES * PAGE + 64;
    walk_meanwhile(
        (struct cp_signal_regs){ .pc = (uintptr_t)memory.flipping + 32,
                                 .sp = (uintptr_t)words },
        (uintptr_t)memory.stack, (uintptr_t)memory.stack + PAGE);
}

/* The frame pointer of a function without CFI points to unmapped data. */
static void check_data(bool is_known)
{
    uintptr_t low;

    map_memory();
    low = is_known ? (uintptr_t)memory.stack : 0;
    walk_meanwhile(
        (struct cp_signal_regs){ .pc = (uintptr_t)memory.flipping + 32,
                                 .sp = (uintptr_t)memory.stack,
                                 .fp = (uintptr_t)memory.flipping + PAGE },
        low, low ? low + PAGE : 0);
}

static void test_data(void)
{
    check_data(true);
}

/* The same on a stack with unknown bounds, such as a coroutine's. */
static void test_data_beyond_unknown_stack(void)
{
    check_data(false);
}

/* A walk follows a stack from page to page, but not across an unmapped page. */
static void test_pages_that_stay(void)
{
    static const struct {
        size_t page, gone, n_frames;
    } rows[] = { { 0, 9, 2 }, { 5, 9, 2 }, { 5, 5, 1 }, { 5, 4, 1 } };
    static _Atomic uint64_t cache[CP_UNWIND_CACHE_SLOTS];
    struct cp_unwind_module code = { .start = 4096, .end = 8192 };
    struct cp_unwind_table map = { 1, &code, cache };
    uintptr_t frames[CP_WALK_MAX];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cp_signal_walk w = { .table = &map };
        char *stack = mmap(NULL, 10 * PAGE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        uintptr_t *fp = (uintptr_t *)(void *)(stack + rows[i].page * PAGE + 64);

        CHECK(stack != MAP_FAILED);
        fp[1] = 5000;
        CHECK(mprotect(stack + rows[i].gone * PAGE, PAGE, PROT_NONE) == 0);
        CHECK_INT(
            cp_signal_walk(&w,
                           (struct cp_signal_regs){ .pc = 4100,
                                                    .sp = (uintptr_t)stack + 16,
                                                    .fp = (uintptr_t)fp },
                           frames),
            rows[i].n_frames);
        CHECK(munmap(stack, 10 * PAGE) == 0);
    }
}

int main(void)
{
    RUN(test_code);
    RUN(test_data);
    RUN(test_data_beyond_unknown_stack);
    RUN(test_pages_that_stay);
    return check_failures != 0;
}
