/*
 * leak.c - the mark phase: collects the sampled blocks, scans the roots, and
 * follows pointers from reachable blocks with a worklist.
 */
#include "runtime/heap/leak.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "base/out.h"
#include "base/proc_self.h"
#include "base/sort.h"
#include "runtime/heap/excluded_ranges.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/leak_chunks.h"
#include "runtime/heap/leak_epoll.h"
#include "runtime/heap/leak_maps.h"
#include "runtime/heap/leak_registers.h"
#include "runtime/heap/resident_pages.h"
#include "runtime/heap/tcache.h"
#include "runtime/os/clock.h"
#include "runtime/os/read_memory.h"
#include "runtime/os/proc_file.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/threads/threads.h"
#include "signal/heap/alloc_sampler.h"
#include "signal/tables/thread.h"

#define SPARE_BLOCKS 4096 /* room for blocks sampled during the scan */
#define BUFFER_BYTES ((size_t)256 << 10)
#define MAX_UNCHECKED_BYTES ((size_t)16 << 10) /* else check residency */
#define MAX_MAPS_BYTES ((size_t)64 << 20)
#define RED_ZONE_BYTES 128 /* ABI area below the stack pointer */
#define OWN_STACK_BYTES ((uintptr_t)512 << 10) /* excluded below this frame */
#define OWN_FRAMES_BYTES ((uintptr_t)4 << 10)  /* excluded above this frame */
#define N_PASSES 2
#define PAGE_SHIFT 12
#define MIN_FILTER_BITS ((size_t)1 << 16)
#define MAX_FILTER_BITS ((size_t)1 << 24)

/*
 * A one-hash Bloom filter of the pages that contain a part of a block. It fits
 * into the caches and rejects nearly all words without a binary search.
 */
struct page_filter {
    uint64_t *bits;
    uintptr_t mask; /* number of bits - 1; the number is a power of two */
};

struct scan {
    struct cp_leak *leak;
    struct page_filter filter;
    uintptr_t low, high; /* lowest start and highest end of all blocks */
    uintptr_t *buffer;   /* BUFFER_BYTES; copy of the memory being scanned */
    struct cp_resident_pages *resident;
    struct cp_excluded_ranges *excluded;
    uint32_t *worklist; /* indexes of reachable blocks not scanned yet */
    size_t n_worklist;  /* at most leak->n */
    bool is_in_block;   /* the range being scanned is a reachable block */
    bool is_read_only;  /* the range being scanned is in such a mapping */
    bool is_glibc_heap; /* libc's malloc allocates the program's blocks */
    struct cp_leak_chunks chunks; /* position in the mapping being scanned */
    uintptr_t metadata[2];        /* range of glibc's metadata in it */
    struct cp_tcache *tcache;     /* NULL if not glibc, or no memory */
};

/* ---- blocks ---- */

static void add_block(struct cp_leak *leak, uintptr_t at,
                      const struct cp_live_entry *entry)
{
    uint64_t size = entry->size ? entry->size : 1;

    if (leak->n == leak->cap)
        return;
    leak->blocks[leak->n++] = (struct cp_leak_block){
        .start = at, .end = at + size, .row = entry->slot - 1, .size = size
    };
}

/*
 * Collects all live sampled blocks, sorted by address. No copy of an address
 * may remain in memory, because the scan would find it. The list and the
 * temporary memory of the sort are large enough to be mappings of their own,
 * which cp_free unmaps; SPARE_BLOCKS ensures that.
 */
static enum cp_status collect_blocks(struct cp_leak *leak, struct cp_error *err)
{
    const struct cp_live_table *live = &cp_alloc_sampler.live;
    size_t n = live->keys ? cp_live_n_slots(live->n_overflow) : 0;
    struct cp_live_entry entry;

    leak->cap =
        (size_t)atomic_load(&cp_alloc_sampler.counts.n_live) + SPARE_BLOCKS;
    leak->blocks = cp_alloc(leak->cap, sizeof(*leak->blocks), err);
    if (!leak->blocks)
        return CP_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        uintptr_t at = cp_live_at(i, &entry);

        if (at && entry.slot)
            add_block(leak, at, &entry);
    }
    for (size_t i = leak->n; i < leak->cap; i++)
        leak->blocks[i].start = UINTPTR_MAX;
    return cp_sort_structs(leak->blocks, leak->cap, sizeof(*leak->blocks),
                           offsetof(struct cp_leak_block, start), err);
}

/*
 * The last block that starts at or before the address, or the first block if
 * none does.
 */
static struct cp_leak_block *find_block(struct cp_leak *leak, uintptr_t word)
{
    size_t low = 0, high = leak->n;

    CP_ASSERT(leak->n > 0);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (leak->blocks[middle].start <= word)
            low = middle;
        else
            high = middle;
    }
    return &leak->blocks[low];
}

static uintptr_t filter_bit(const struct page_filter *p, uintptr_t page)
{
    return (page ^ page >> 18) & p->mask;
}

static bool may_contain(const struct page_filter *p, uintptr_t address)
{
    uintptr_t bit = filter_bit(p, address >> PAGE_SHIFT);

    return p->bits[bit / 64] >> (bit % 64) & 1;
}

/* A block with more pages than the filter has bits sets all of them. */
static void filter_add(const struct page_filter *p,
                       const struct cp_leak_block *b)
{
    uintptr_t page = b->start >> PAGE_SHIFT, last = (b->end - 1) >> PAGE_SHIFT;

    CP_ASSERT(b->end > b->start);
    if (last - page > p->mask)
        memset(p->bits, 0xff, (p->mask + 1) / 8);
    else
        for (; page <= last; page++) {
            uintptr_t bit = filter_bit(p, page);

            p->bits[bit / 64] |= (uint64_t)1 << (bit % 64);
        }
}

static enum cp_status build_filter(struct scan *s, struct cp_error *err)
{
    const struct cp_leak *leak = s->leak;
    size_t n = 0, n_bits = MIN_FILTER_BITS;

    for (size_t i = 0; i < leak->n; i++)
        n += (leak->blocks[i].size >> PAGE_SHIFT) + 1;
    while (n_bits < MAX_FILTER_BITS && n_bits < 4 * n)
        n_bits *= 2;
    CP_ASSERT((n_bits & (n_bits - 1)) == 0);
    s->filter.mask = n_bits - 1;
    s->filter.bits = cp_alloc(n_bits / 64, sizeof(*s->filter.bits), err);
    if (!s->filter.bits)
        return CP_ENOMEM;
    for (size_t i = 0; i < leak->n; i++)
        filter_add(&s->filter, &leak->blocks[i]);
    return CP_OK;
}

static bool is_in(const struct cp_leak_block *b, uintptr_t address)
{
    return address >= b->start && address < b->end;
}

/*
 * Marks the block that the word points into, and adds it to the worklist. `at`
 * is the address of the word, 0 for a register. A word inside a sampled block
 * counts only when that block is scanned because it is reachable.
 */
static void check_word(struct scan *s, uintptr_t word, uintptr_t at)
{
    struct cp_leak_block *b;

    if (word < s->low || word >= s->high || !may_contain(&s->filter, word))
        return;
    b = find_block(s->leak, word);
    if (b->is_reachable || !is_in(b, word) ||
        (!s->is_in_block && is_in(find_block(s->leak, at), at)))
        return;
    if (at >= s->metadata[0] && at < s->metadata[1] &&
        cp_leak_chunks_is_next_chunk(b, word))
        return;
    if (cp_tcache_contains(s->tcache, at))
        return;
    b->is_reachable = 1;
    CP_ASSERT(s->n_worklist < s->leak->n);
    s->worklist[s->n_worklist++] = (uint32_t)(b - s->leak->blocks);
}

static bool are_all_reachable(const struct cp_leak *leak)
{
    for (size_t i = 0; i < leak->n; i++)
        if (!leak->blocks[i].is_reachable)
            return false;
    return true;
}

/* ---- memory ---- */

/* Checks all words of the buffer except those in free chunks. */
static void check_buffer(struct scan *s, uintptr_t start, size_t len)
{
    struct cp_leak_buffer buffer = { start, start + len, s->buffer };
    uintptr_t at = start;

    CP_ASSERT(start % 8 == 0 && len % 8 == 0 && len <= BUFFER_BYTES);
    while (at < buffer.end) {
        uintptr_t stop = buffer.end;

        if (s->chunks.leak) {
            cp_leak_chunks_next_free(&s->chunks, &buffer, at);
            if (s->chunks.free_range[0] < stop)
                stop = s->chunks.free_range[0];
        }
        for (; at < stop; at += 8)
            check_word(s, s->buffer[(at - start) / 8], at);
        if (stop < buffer.end && s->chunks.free_range[1] > at)
            at = s->chunks.free_range[1];
    }
}

/*
 * Scans resident memory; skips parts that the program unmaps during the scan.
 */
static void scan_resident(struct scan *s, uintptr_t start, uintptr_t end)
{
    while (start < end) {
        size_t len = end - start < BUFFER_BYTES ? end - start : BUFFER_BYTES;
        long n = cp_read_memory(start, s->buffer, len);

        if (n > 0) {
            check_buffer(s, start, (size_t)n & ~(size_t)7);
            s->leak->scanned_bytes += (uint64_t)n;
        }
        start += len;
    }
}

/*
 * Scans the resident pages of a range without excluded parts. A small range is
 * read without a residency check: at most a few page tables are allocated.
 */
static void scan_unexcluded(struct scan *s, uintptr_t start, uintptr_t end)
{
    bool has_check = s->is_read_only || end - start > MAX_UNCHECKED_BYTES;

    cp_resident_pages_reset(s->resident, s->is_read_only);
    while (start < end) {
        uintptr_t stop =
            has_check ? cp_resident_pages_find(s->resident, &start, end) : end;

        CP_ASSERT(stop <= end && start <= end);
        scan_resident(s, start, stop);
        start = stop;
    }
}

static void scan_range(struct scan *s, uintptr_t start, uintptr_t end)
{
    while (start < end) {
        uintptr_t stop = cp_excluded_ranges_next(s->excluded, &start, end);

        if (start >= stop)
            break;
        start = (start + 7) & ~(uintptr_t)7;
        scan_unexcluded(s, start, stop);
        start = stop;
    }
}

/*
 * Scans one mapping. The stacks of ended threads in it are excluded only for
 * this scan: the next pass checks again whether they are reused.
 */
static void scan_mapping(struct scan *s, const struct cp_leak_mapping *m)
{
    size_t n_excluded = s->excluded->n;
    uintptr_t ended[2];

    for (size_t i = 0; i < CP_LEAK_STACKS_MAX; i++)
        if (cp_leak_stacks_has_ended(i, m->start, m->end, ended))
            cp_excluded_ranges_add(s->excluded, (const void *)ended[0],
                                   ended[1] - ended[0]);
    if (s->is_glibc_heap && !m->is_read_only) {
        cp_leak_chunks_begin(&s->chunks, s->leak, m->start, m->end);
        cp_leak_chunks_find_metadata(m->start, m->end, m->is_libc, s->metadata);
    }
    s->is_read_only = m->is_read_only;
    scan_range(s, m->start, m->end);
    s->is_read_only = false;
    s->chunks = (struct cp_leak_chunks){ 0 };
    s->metadata[1] = 0;
    s->excluded->n = n_excluded;
}

static enum cp_status scan_memory(struct scan *s, struct cp_error *err)
{
    struct cp_out maps = { .fd = -1 };
    char self[CP_PROC_SELF_BYTES];
    enum cp_status status = cp_proc_file_read(cp_proc_self("maps", self),
                                              MAX_MAPS_BYTES, &maps, err);

    cp_out_char(&maps, '\0');
    if (status == CP_OK && maps.len > 0) {
        struct cp_leak_mapping mapping;

        for (char *text = maps.buf; cp_leak_maps_next(&text, &mapping);)
            scan_mapping(s, &mapping);
    }
    cp_out_release(&maps);
    return status;
}

/* Scans the blocks of the worklist until no new block becomes reachable. */
static void mark_from_worklist(struct scan *s)
{
    CP_ASSERT(!s->is_in_block);
    s->is_in_block = true;
    while (s->n_worklist > 0) {
        const struct cp_leak_block *b =
            &s->leak->blocks[s->worklist[--s->n_worklist]];

        scan_range(s, b->start, b->end & ~(uintptr_t)7);
    }
    s->is_in_block = false;
}

/* Each pass scans reachable blocks again: the program changes them. */
static void push_reachable(struct scan *s)
{
    s->n_worklist = 0;
    for (size_t i = 0; i < s->leak->n; i++)
        if (s->leak->blocks[i].is_reachable)
            s->worklist[s->n_worklist++] = (uint32_t)i;
}

/* ---- threads ---- */

/*
 * Checks the registers of a thread, and excludes the unused part of its stack
 * as far as the bounds are known. The copy of the registers is cleared, because
 * the scan of memory would find it.
 */
static void scan_thread(struct scan *s, struct cp_signal_thread *t)
{
    uintptr_t low = atomic_load(&t->stack_low);
    uintptr_t sp = t->registers.sp;

    CP_ASSERT(atomic_load(&cp_refresh_lock.word) != 0);
    for (size_t i = 0; i < CP_SIGNAL_REGISTERS_MAX; i++)
        check_word(s, t->registers.values[i], 0);
    explicit_bzero(t->registers.values, sizeof(t->registers.values));
    if (low && sp > low + RED_ZONE_BYTES && sp < atomic_load(&t->stack_high))
        cp_excluded_ranges_add(s->excluded, (const void *)low,
                               sp - RED_ZONE_BYTES - low);
}

static enum cp_status scan_threads(struct scan *s, struct cp_error *err)
{
    enum cp_status status;

    cp_lock_acquire(&cp_refresh_lock);
    status = cp_refresh_acquire(err);
    if (status == CP_OK) {
        cp_leak_read_registers(s->leak);
        for (uint32_t i = 0; i < cp_threads_count_records(); i++) {
            struct cp_signal_thread *t = cp_signal_thread_at(i);

            if (atomic_load(&t->tid) != 0 && cp_leak_has_registers(t))
                scan_thread(s, t);
        }
        cp_refresh_release();
    }
    cp_lock_release(&cp_refresh_lock);
    return status;
}

/* A word that the program stored in the kernel has no address. */
static void check_kernel_word(void *scan, uintptr_t word)
{
    check_word(scan, word, 0);
}

/* ---- all of it ---- */

/* Excludes the tables and this thread's stack, which contain block addresses.
 */
static void exclude_own_memory(struct scan *s)
{
    const struct cp_live_table *live = &cp_alloc_sampler.live;
    size_t n = cp_live_n_slots(live->n_overflow);
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    cp_excluded_ranges_add(s->excluded, live->keys, n * sizeof(*live->keys));
    cp_excluded_ranges_add(s->excluded, live->entries,
                           n * sizeof(*live->entries));
    cp_excluded_ranges_add(s->excluded, s->leak->blocks,
                           s->leak->cap * sizeof(*s->leak->blocks));
    cp_excluded_ranges_add(s->excluded, s->buffer, BUFFER_BYTES);
    cp_excluded_ranges_add(s->excluded, s->excluded, sizeof(*s->excluded));
    cp_excluded_ranges_add(s->excluded, s->worklist,
                           s->leak->n * sizeof(*s->worklist));
    cp_excluded_ranges_add(s->excluded, (const void *)(here - OWN_STACK_BYTES),
                           OWN_STACK_BYTES + OWN_FRAMES_BYTES);
}

/*
 * Registers come first: they give the stack pointers, and a pointer that a
 * thread then stores from a register into memory is found by the later scan.
 */
static enum cp_status mark_all(struct scan *s, struct cp_error *err)
{
    enum cp_status status = scan_threads(s, err);

    for (int pass = 0; pass < N_PASSES && status == CP_OK; pass++) {
        if (pass > 0 && are_all_reachable(s->leak))
            break;
        push_reachable(s);
        cp_tcache_read(s->tcache);
        cp_leak_epoll_each(check_kernel_word, s);
        status = scan_memory(s, err);
        mark_from_worklist(s);
    }
    return status;
}

/* Blocks that were freed during the scan are not leaks. */
static void mark_freed(struct cp_leak *leak)
{
    for (size_t i = 0; i < leak->n; i++)
        if (!leak->blocks[i].is_reachable &&
            !cp_live_contains((void *)leak->blocks[i].start,
                              leak->blocks[i].row + 1))
            leak->blocks[i].is_reachable = 1;
}

static enum cp_status scan_all(struct scan *s, struct cp_error *err)
{
    struct cp_leak *leak = s->leak;
    enum cp_status status;
    int64_t start;

    if (leak->n == 0)
        return CP_OK;
    status = build_filter(s, err);
    if (status != CP_OK)
        return status;
    s->low = leak->blocks[0].start;
    for (size_t i = 0; i < leak->n; i++) {
        CP_ASSERT(i == 0 || leak->blocks[i - 1].start <= leak->blocks[i].start);
        if (leak->blocks[i].end > s->high)
            s->high = leak->blocks[i].end;
    }
    exclude_own_memory(s);
    s->is_glibc_heap = cp_heap_is_libc_malloc();
    s->tcache = s->is_glibc_heap ? cp_tcache_new() : NULL;
    start = cp_clock_ns(CLOCK_MONOTONIC);
    status = mark_all(s, err);
    leak->scan_ns = (uint64_t)(cp_clock_ns(CLOCK_MONOTONIC) - start);
    if (status == CP_OK && leak->scanned_bytes == 0)
        return cp_error_set(err, CP_EIO,
                            "cannot scan for leaks: the kernel does not allow "
                            "process_vm_readv; check the seccomp filter");
    mark_freed(leak);
    return status;
}

enum cp_status cp_leak_find(struct cp_leak *out, struct cp_error *err)
{
    struct scan s = { .leak = out };
    enum cp_status status;

    *out = (struct cp_leak){ 0 };
    status = collect_blocks(out, err);
    if (status == CP_OK) {
        s.buffer = cp_alloc(BUFFER_BYTES, 1, err);
        s.excluded = cp_alloc(1, sizeof(*s.excluded), err);
        s.worklist = cp_alloc(out->n + 1, sizeof(*s.worklist), err);
        s.resident = cp_resident_pages_new(err);
        status = s.buffer && s.excluded && s.worklist && s.resident
                     ? scan_all(&s, err)
                     : CP_ENOMEM;
    }
    cp_tcache_free(s.tcache);
    cp_resident_pages_free(s.resident);
    cp_free(s.filter.bits);
    cp_free(s.worklist);
    cp_free(s.buffer);
    cp_free(s.excluded);
    if (status != CP_OK)
        cp_leak_release(out);
    return status;
}

struct cp_leak_sum *cp_leak_sums(const struct cp_leak *leak,
                                 struct cp_error *err)
{
    struct cp_leak_sum *sums =
        cp_alloc(cp_heap_n_rows() + 1, sizeof(*sums), err);

    for (size_t i = 0; sums && i < leak->n; i++) {
        const struct cp_leak_block *b = &leak->blocks[i];

        if (b->is_reachable)
            continue;
        CP_ASSERT(b->row < cp_heap_n_rows());
        sums[b->row].count++;
        sums[b->row].bytes += b->size;
    }
    return sums;
}

void cp_leak_release(struct cp_leak *leak)
{
    if (leak->blocks) /* the next scan would find the addresses */
        explicit_bzero(leak->blocks, leak->cap * sizeof(*leak->blocks));
    cp_free(leak->blocks);
    *leak = (struct cp_leak){ 0 };
}
