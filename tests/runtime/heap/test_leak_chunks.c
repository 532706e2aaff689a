/*
 * test_leak_chunks - free chunks of a heap are found if the headers agree, and
 * everything else counts as in use.
 */
#include "runtime/heap/leak.h"
#include "runtime/heap/leak_chunks.h"
#include "signal/heap/alloc_sampler.h"

#include "check.h"

#define N_OVERFLOW 64
#define N_SLOTS ((CP_LIVE_PRIMARY + N_OVERFLOW) * CP_LIVE_BUCKET)
#define WORDS 512
#define USED 1 /* PREV_INUSE */

static _Atomic uint64_t keys[N_SLOTS];
static struct cp_live_entry entries[N_SLOTS];
static _Alignas(4096) uintptr_t memory[WORDS];
static struct cp_leak_block blocks[2];
static struct cp_leak leak = { .blocks = blocks, .n = 2 };

/* Chunks by index of their first word; the first two words are the header. */
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

/* A sampled block, a free one, a second sampled one, and the top chunk. */
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

/* Words that are not free, when the heap is read in buffers of n words. */
static size_t count_used(size_t n)
{
    struct cp_leak_chunks c;
    uintptr_t start = (uintptr_t)memory;
    size_t used = 0;

    cp_leak_chunks_begin(&c, &leak, start, start + sizeof(memory));
    for (size_t i = 0; i < WORDS; i += n) {
        uintptr_t at = (uintptr_t)&memory[i];
        struct cp_leak_buffer buffer = { at, at + n * 8, &memory[i] };

        while (at < buffer.end) {
            cp_leak_chunks_next_free(&c, &buffer, at);
            if (c.free_range[0] > at)
                used += (c.free_range[0] - at) / 8;
            CHECK(c.free_range[1] >= c.free_range[0]);
            at = c.free_range[1] > at ? c.free_range[1] : buffer.end;
        }
    }
    return used;
}

static void test_free(void)
{
    const size_t sizes[] = { 512, 64, 16, 4 };

    make_heap();
    for (size_t i = 0; i < 4; i++)
        CHECK_INT(count_used(sizes[i]), HOLE + 2 + TOP + 2 - SECOND);
}

/* Headers that disagree: everything up to the top chunk is in use. */
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

/* The walk does not start from a block that was freed meanwhile. */
static void test_freed(void)
{
    make_heap();
    (void)cp_live_remove((void *)blocks[0].start);
    memory[HOLE + 1] += 16;
    CHECK_INT(count_used(WORDS), TOP + 2);
    (void)cp_live_remove((void *)blocks[1].start);
    CHECK_INT(count_used(WORDS), WORDS);
}

/* A free chunk before the first sampled block is found too. */
static void test_before_first(void)
{
    const struct cp_leak_block first = blocks[0];

    make_heap();
    blocks[0] = blocks[1];
    leak.n = 1;
    CHECK_INT(count_used(WORDS), HOLE + 2 + TOP + 2 - SECOND);
    memory[HOLE + 1] += 16; /* the sizes do not lead to the sampled block */
    CHECK_INT(count_used(WORDS), TOP + 2);
    leak.n = 2;
    blocks[0] = first;
}

static void test_next_chunk(void)
{
    const struct cp_leak_block b = { .start = 4096, .size = 900 };
    const struct cp_leak_block small = { .start = 4096, .size = 1 };

    CHECK(cp_leak_chunks_is_next_chunk(&b, 4096 + 896));
    CHECK(!cp_leak_chunks_is_next_chunk(&b, 4096 + 888));
    CHECK(cp_leak_chunks_is_next_chunk(&small, 4096 + 16));
}

int main(void)
{
    cp_alloc_sampler.live.n_overflow = N_OVERFLOW;
    cp_alloc_sampler.live.entries = entries;
    cp_alloc_sampler.live.keys = keys;
    RUN(test_free);
    RUN(test_no_agreement);
    RUN(test_broken_chain);
    RUN(test_freed);
    RUN(test_before_first);
    RUN(test_next_chunk);
    return check_failures != 0;
}
