/* test_leak_chunks - what of a heap is free, and when nothing is said to be. */
#include "runtime/heap/leak.h"
#include "runtime/heap/leak_chunks.h"
#include "signal/heap/alloc_sampler.h"

#include "check.h"

#define FAR 64
#define PLACES ((CP_LIVE_PRIMARY + FAR) * CP_LIVE_BUCKET)
#define WORDS 512
#define USED 1 /* the chunk before is in use */

static _Atomic uint64_t keys[PLACES];
static struct cp_live_entry entries[PLACES];
static _Alignas(4096) uintptr_t memory[WORDS];
static struct cp_leak_block blocks[2];
static struct cp_leak leak = { .blocks = blocks, .n = 2 };

/* In words; the header of a chunk is its first two. */
enum { FIRST = 10, HOLE = 20, SECOND = 60, TOP = 80 };

static void put_header(size_t at, size_t before, size_t size, uintptr_t flags)
{
    memory[at] = before * 8;
    memory[at + 1] = size * 8 | flags;
}

static void sample(int i, size_t at, size_t size)
{
    uintptr_t start = (uintptr_t)&memory[at + 2];
    struct cp_live_entry entry = { .slot = 1, .size = size };

    blocks[i] = (struct cp_leak_block){ start, start + size, 0, 0, size };
    (void)cp_live_remove((void *)start);
    cp_live_insert((void *)start, entry);
}

/* A sampled block, one that is free, one more sampled, and the rest. */
static void make_heap(void)
{
    memset(memory, 0, sizeof(memory));
    put_header(FIRST, 0, HOLE - FIRST, USED);
    put_header(HOLE, 0, SECOND - HOLE, USED);
    put_header(SECOND, SECOND - HOLE, TOP - SECOND, 0);
    put_header(TOP, 0, WORDS - TOP, USED);
    sample(0, FIRST, 60);
    sample(1, SECOND, 130);
}

/* The words that are not free, of a heap that is read in pieces of n. */
static size_t count_used(size_t n)
{
    struct cp_leak_chunks c;
    uintptr_t start = (uintptr_t)memory;
    size_t used = 0;

    cp_leak_chunks_begin(&c, &leak, start, start + sizeof(memory));
    for (size_t i = 0; i < WORDS; i += n) {
        uintptr_t at = (uintptr_t)&memory[i];
        struct cp_leak_piece piece = { at, at + n * 8, &memory[i] };

        while (at < piece.end) {
            cp_leak_chunks_find(&c, &piece, at);
            if (c.gap[0] > at)
                used += (c.gap[0] - at) / 8;
            CHECK(c.gap[1] >= c.gap[0]);
            at = c.gap[1] > at ? c.gap[1] : piece.end;
        }
    }
    return used;
}

static void test_free(void)
{
    const size_t pieces[] = { 512, 64, 16, 4 };

    make_heap();
    for (size_t i = 0; i < 4; i++)
        CHECK_INT(count_used(pieces[i]), HOLE + 2 + TOP + 2 - SECOND);
}

/* All below is in use up to where a chain holds again. */
static void test_no_agreement(void)
{
    make_heap();
    memory[SECOND] -= 16;
    CHECK_INT(count_used(WORDS), TOP + 2);
    make_heap();
    memory[SECOND + 1] |= USED;
    CHECK_INT(count_used(WORDS), TOP + 2);
}

static void test_broken_chain(void)
{
    const uintptr_t bad[] = { 0,
                              8,
                              24 | USED,
                              40 | USED,
                              1 << 20 | USED,
                              (SECOND - HOLE + 2) * 8 | USED,
                              (SECOND - HOLE) * 8 | USED | 2 };

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        make_heap();
        memory[HOLE + 1] = bad[i];
        CHECK_INT(count_used(WORDS), TOP + 2);
    }
}

/* A block that was freed meanwhile leads nowhere. */
static void test_freed(void)
{
    make_heap();
    (void)cp_live_remove((void *)blocks[0].start);
    memory[HOLE + 1] += 16;
    CHECK_INT(count_used(WORDS), TOP + 2);
    (void)cp_live_remove((void *)blocks[1].start);
    CHECK_INT(count_used(WORDS), WORDS);
}

/* What is free before the first sampled block, too. */
static void test_before_first(void)
{
    const struct cp_leak_block first = blocks[0];

    make_heap();
    blocks[0] = blocks[1];
    leak.n = 1;
    CHECK_INT(count_used(WORDS), HOLE + 2 + TOP + 2 - SECOND);
    memory[HOLE + 1] += 16; /* where the chain does not lead to it, nothing */
    CHECK_INT(count_used(WORDS), TOP + 2);
    leak.n = 2;
    blocks[0] = first;
}

static void test_next(void)
{
    const struct cp_leak_block b = { .start = 4096, .size = 900 };
    const struct cp_leak_block small = { .start = 4096, .size = 1 };

    CHECK(cp_leak_chunks_is_next(&b, 4096 + 896));
    CHECK(!cp_leak_chunks_is_next(&b, 4096 + 888));
    CHECK(cp_leak_chunks_is_next(&small, 4096 + 16));
}

int main(void)
{
    cp_alloc_sampler.live.n_overflow = FAR;
    cp_alloc_sampler.live.entries = entries;
    cp_alloc_sampler.live.keys = keys;
    RUN(test_free);
    RUN(test_no_agreement);
    RUN(test_broken_chain);
    RUN(test_freed);
    RUN(test_before_first);
    RUN(test_next);
    return check_failures != 0;
}
