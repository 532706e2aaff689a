/*
 * test_fleeting - memory that another thread takes away during a walk.
 *
 * A thread maps pages and takes them away again, as fast as it can: code, as
 * when a library is closed, and data that a wrong frame pointer points at. The
 * walker meets addresses in both all the while. A fault would end the test.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "check.h"
#include "signal/walk.h"

#define PAGE 4096
#define N_PAGES 16
#define N_WORDS (PAGE / sizeof(uintptr_t))
#define N_FLIPS 20000

/* A stack of one page, a page that is never there, and those that go. */
static struct {
    char *stack, *fleeting;
} memory;
static atomic_bool is_over;

static void set_fleeting(int protection)
{
    void *got = mmap(memory.fleeting, N_PAGES * PAGE, protection,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

    if (got != memory.fleeting)
        abort();
}

static void *flip(void *unused)
{
    (void)unused;
    for (int i = 0; i < N_FLIPS; i++) {
        set_fleeting(PROT_READ);
        set_fleeting(PROT_NONE);
    }
    atomic_store(&is_over, true);
    return NULL;
}

static void map_memory(void)
{
    memory.stack = mmap(NULL, (2 + N_PAGES) * PAGE, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory.stack != MAP_FAILED);
    memory.fleeting = memory.stack + 2 * PAGE;
    CHECK(mprotect(memory.stack, PAGE, PROT_READ | PROT_WRITE) == 0);
}

/* Walks while pages come and go; regs.pc is in code without rules. */
static void walk_meanwhile(struct cp_signal_regs regs)
{
    static _Atomic uint64_t cache[CP_MAP_CACHE];
    struct cp_signal_module code = { .start = (uintptr_t)memory.fleeting,
                                     .end = (uintptr_t)memory.fleeting +
                                            N_PAGES * PAGE };
    struct cp_signal_map map = { 1, &code, cache };
    uintptr_t low = (uintptr_t)memory.stack, frames[CP_WALK_MOST];
    size_t n_frames = 0, n_walks = 0;
    pthread_t thread;

    atomic_store(&is_over, false);
    CHECK(pthread_create(&thread, NULL, flip, NULL) == 0);
    for (; !atomic_load(&is_over); n_walks++) {
        struct cp_signal_walk w = {
            .map = &map, .reach = { .stack_low = low, .stack_high = low + PAGE }
        };

        n_frames += cp_signal_walk(&w, regs, frames);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(n_walks > 0 && n_frames >= n_walks);
    CHECK(munmap(memory.stack, (2 + N_PAGES) * PAGE) == 0);
}

/* The stack is full of addresses in code that goes. */
static void test_code(void)
{
    uintptr_t *words;

    map_memory();
    words = (uintptr_t *)(void *)memory.stack;
    for (size_t i = 0; i < N_WORDS; i++)
        words[i] = (uintptr_t)memory.fleeting + i % N_PAGES * PAGE + 64;
    walk_meanwhile((struct cp_signal_regs){
        .pc = (uintptr_t)memory.fleeting + 32, .sp = (uintptr_t)words });
}

/* A frame pointer of a function without rules points at what goes. */
static void test_data(void)
{
    map_memory();
    walk_meanwhile(
        (struct cp_signal_regs){ .pc = (uintptr_t)memory.fleeting + 32,
                                 .sp = (uintptr_t)memory.stack,
                                 .fp = (uintptr_t)memory.fleeting + PAGE });
}

int main(void)
{
    RUN(test_code);
    RUN(test_data);
    return check_failures != 0;
}
