/* leak.c - see leak.h. */
#include "runtime/heap/leak.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/out.h"
#include "base/proc_self.h"
#include "base/sort.h"
#include "runtime/heap/excluded_ranges.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/leak_chunks.h"
#include "runtime/heap/leak_epoll.h"
#include "runtime/heap/leak_maps.h"
#include "runtime/heap/leak_registers.h"
#include "runtime/heap/leak_stacks.h"
#include "runtime/heap/resident_pages.h"
#include "runtime/heap/tcache.h"
#include "runtime/os/clock.h"
#include "runtime/os/read_memory.h"
#include "runtime/os/lock.h"
#include "runtime/os/proc_file.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/threads/threads.h"
#include "signal/heap/alloc_sampler.h"
#include "signal/tables/thread.h"

#define SPARE_BLOCKS 4096
#define PIECE_BYTES ((size_t)256 << 10)
#define SMALL_BYTES ((size_t)16 << 10)
#define MAPS_BYTES ((size_t)64 << 20)
#define RED_ZONE 128
#define OWN_STACK ((uintptr_t)512 << 10)
#define OWN_FRAMES ((uintptr_t)4 << 10)
#define PASSES 2
#define PAGE_BITS 12
#define MIN_PAGE_BITS ((size_t)1 << 16)
#define MAX_PAGE_BITS ((size_t)1 << 24)

/*
 * Which pages have a part of a block: a bit for each, or rather for its hash.
 * Nearly all words are told by it, and it stays in the caches.
 */
struct pages {
    uint64_t *bits;
    uintptr_t mask; /* of the number of a bit */
};

struct scan {
    struct cp_leak *leak;
    struct pages pages;
    uintptr_t low, high; /* of all blocks */
    uintptr_t *piece;
    struct cp_resident_pages *present;
    struct cp_excluded_ranges *excluded;
    uint32_t *todo; /* found blocks that were not looked into, by number */
    size_t n_todo;
    bool is_inside;               /* what is looked at is a found block */
    bool is_read_only;            /* it is a mapping that cannot be written */
    bool has_chunks;              /* the program's blocks are glibc's */
    struct cp_leak_chunks chunks; /* of the mapping that is looked at */
    uintptr_t metadata[2];        /* of glibc, there */
    struct cp_tcache *cache;      /* freed, and at hand; NULL: none */
};

/* ---- blocks ---- */

static void add_block(struct cp_leak *leak, uintptr_t at,
                      const struct cp_live_entry *entry)
{
    uint64_t size = entry->size ? entry->size : 1;

    if (leak->n == leak->room)
        return;
    leak->blocks[leak->n++] = (struct cp_leak_block){
        .start = at, .end = at + size, .row = entry->slot - 1, .size = size
    };
}

/*
 * All sampled blocks that live now. They are so many that the list, and what
 * is needed to sort it, are mappings that are gone when they are freed: a copy
 * of an address that stays somewhere would be found.
 */
static enum cp_status take_blocks(struct cp_leak *leak, struct cp_error *err)
{
    const struct cp_live_table *live = &cp_alloc_sampler.live;
    size_t n = live->keys ? cp_live_n_slots(live->n_overflow) : 0;
    struct cp_live_entry entry;

    leak->room =
        (size_t)atomic_load(&cp_alloc_sampler.counts.n_live) + SPARE_BLOCKS;
    leak->blocks = cp_alloc(leak->room, sizeof(*leak->blocks), err);
    if (!leak->blocks)
        return CP_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        uintptr_t at = cp_live_at(i, &entry);

        if (at && entry.slot)
            add_block(leak, at, &entry);
    }
    for (size_t i = leak->n; i < leak->room; i++)
        leak->blocks[i].start = UINTPTR_MAX;
    return cp_sort_structs(leak->blocks, leak->room, sizeof(*leak->blocks),
                           offsetof(struct cp_leak_block, start), err);
}

/* The last block that begins at or before the address. */
static struct cp_leak_block *find_block(struct cp_leak *leak, uintptr_t word)
{
    size_t low = 0, high = leak->n;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (leak->blocks[middle].start <= word)
            low = middle;
        else
            high = middle;
    }
    return &leak->blocks[low];
}

static uintptr_t bit_of(const struct pages *p, uintptr_t page)
{
    return (page ^ page >> 18) & p->mask;
}

static bool may_have(const struct pages *p, uintptr_t address)
{
    uintptr_t bit = bit_of(p, address >> PAGE_BITS);

    return p->bits[bit / 64] >> (bit % 64) & 1;
}

/* A block that has more pages than there are bits has all of them. */
static void mark_block(const struct pages *p, const struct cp_leak_block *b)
{
    uintptr_t page = b->start >> PAGE_BITS, last = (b->end - 1) >> PAGE_BITS;

    if (last - page > p->mask)
        memset(p->bits, 0xff, (p->mask + 1) / 8);
    else
        for (; page <= last; page++) {
            uintptr_t bit = bit_of(p, page);

            p->bits[bit / 64] |= (uint64_t)1 << (bit % 64);
        }
}

static enum cp_status mark_pages(struct scan *s, struct cp_error *err)
{
    const struct cp_leak *leak = s->leak;
    size_t n = 0, n_bits = MIN_PAGE_BITS;

    for (size_t i = 0; i < leak->n; i++)
        n += (leak->blocks[i].size >> PAGE_BITS) + 1;
    while (n_bits < MAX_PAGE_BITS && n_bits < 4 * n)
        n_bits *= 2;
    s->pages.mask = n_bits - 1;
    s->pages.bits = cp_alloc(n_bits / 64, sizeof(*s->pages.bits), err);
    if (!s->pages.bits)
        return CP_ENOMEM;
    for (size_t i = 0; i < leak->n; i++)
        mark_block(&s->pages, &leak->blocks[i]);
    return CP_OK;
}

static bool is_in(const struct cp_leak_block *b, uintptr_t address)
{
    return address >= b->start && address < b->end;
}

/*
 * A word that stands at `at`: does it point into a block? What stands in a
 * sampled block counts when that block has been found itself.
 */
static void look_at(struct scan *s, uintptr_t word, uintptr_t at)
{
    struct cp_leak_block *b;

    if (word < s->low || word >= s->high || !may_have(&s->pages, word))
        return;
    b = find_block(s->leak, word);
    if (b->is_found || !is_in(b, word) ||
        (!s->is_inside && is_in(find_block(s->leak, at), at)))
        return;
    if (at >= s->metadata[0] && at < s->metadata[1] &&
        cp_leak_chunks_is_next(b, word))
        return;
    if (cp_tcache_has(s->cache, at))
        return;
    b->is_found = 1;
    s->todo[s->n_todo++] = (uint32_t)(b - s->leak->blocks);
}

static bool is_all_found(const struct cp_leak *leak)
{
    for (size_t i = 0; i < leak->n; i++)
        if (!leak->blocks[i].is_found)
            return false;
    return true;
}

/* ---- memory ---- */

/* What is free is passed over. */
static void look_at_piece(struct scan *s, uintptr_t start, size_t len)
{
    struct cp_leak_piece piece = { start, start + len, s->piece };
    uintptr_t at = start;

    while (at < piece.end) {
        uintptr_t stop = piece.end;

        if (s->chunks.leak) {
            cp_leak_chunks_find(&s->chunks, &piece, at);
            if (s->chunks.gap[0] < stop)
                stop = s->chunks.gap[0];
        }
        for (; at < stop; at += 8)
            look_at(s, s->piece[(at - start) / 8], at);
        if (stop < piece.end && s->chunks.gap[1] > at)
            at = s->chunks.gap[1];
    }
}

static void scan_part(struct scan *s, uintptr_t start, uintptr_t end)
{
    while (start < end) {
        size_t len = end - start < PIECE_BYTES ? end - start : PIECE_BYTES;
        long n = cp_read_memory(start, s->piece, len);

        if (n > 0) {
            look_at_piece(s, start, (size_t)n & ~(size_t)7);
            s->leak->scanned_bytes += (uint64_t)n;
        }
        start += len;
    }
}

/* A small block is read at once: its pages are there, or are few. */
static void scan_present(struct scan *s, uintptr_t start, uintptr_t end)
{
    bool is_asked = s->is_read_only || end - start > SMALL_BYTES;

    cp_resident_pages_forget(s->present, s->is_read_only);
    while (start < end) {
        uintptr_t stop =
            is_asked ? cp_resident_pages_find(s->present, &start, end) : end;

        scan_part(s, start, stop);
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
        scan_present(s, start, stop);
        start = stop;
    }
}

static void scan_mapping(struct scan *s, const struct cp_leak_mapping *m)
{
    size_t n_excluded = s->excluded->n;
    uintptr_t ended[2];

    for (size_t i = 0; i < CP_LEAK_STACKS_MAX; i++)
        if (cp_leak_stacks_has_ended(i, m->start, m->end, ended))
            cp_excluded_ranges_add(s->excluded, (const void *)ended[0],
                                   ended[1] - ended[0]);
    if (s->has_chunks && !m->is_read_only) {
        cp_leak_chunks_begin(&s->chunks, s->leak, m->start, m->end);
        cp_leak_chunks_metadata(m->start, m->end, m->is_libc, s->metadata);
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
    enum cp_status status =
        cp_proc_file_read(cp_proc_self("maps", self), MAPS_BYTES, &maps, err);

    cp_out_char(&maps, '\0');
    if (status == CP_OK && maps.len > 0) {
        struct cp_leak_mapping mapping;

        for (char *text = maps.buf; cp_leak_maps_next(&text, &mapping);)
            scan_mapping(s, &mapping);
    }
    cp_out_release(&maps);
    return status;
}

/* From the blocks that were found on to those that they point to. */
static void follow(struct scan *s)
{
    s->is_inside = true;
    while (s->n_todo > 0) {
        const struct cp_leak_block *b = &s->leak->blocks[s->todo[--s->n_todo]];

        scan_range(s, b->start, b->end & ~(uintptr_t)7);
    }
    s->is_inside = false;
}

/* Found blocks are looked into again: the program goes on meanwhile. */
static void begin_pass(struct scan *s)
{
    s->n_todo = 0;
    for (size_t i = 0; i < s->leak->n; i++)
        if (s->leak->blocks[i].is_found)
            s->todo[s->n_todo++] = (uint32_t)i;
}

/* ---- threads ---- */

/*
 * What lies below the top of a stack is over and done with: it is left out as
 * far as it surely belongs to the stack. What was told must not be found later.
 */
static void look_at_thread(struct scan *s, struct cp_signal_thread *t)
{
    uintptr_t low = atomic_load(&t->stack_low);
    uintptr_t sp = t->registers.sp;

    for (size_t i = 0; i < CP_SIGNAL_REGISTERS_MAX; i++)
        look_at(s, t->registers.values[i], 0);
    explicit_bzero(t->registers.values, sizeof(t->registers.values));
    if (low && sp > low + RED_ZONE && sp < atomic_load(&t->stack_high))
        cp_excluded_ranges_add(s->excluded, (const void *)low,
                               sp - RED_ZONE - low);
}

static enum cp_status look_at_threads(struct scan *s, struct cp_error *err)
{
    enum cp_status status;

    cp_lock_acquire(&cp_refresh_lock);
    status = cp_refresh_acquire(err);
    if (status == CP_OK) {
        cp_leak_read_registers(s->leak);
        for (uint32_t i = 0; i < cp_threads_count_records(); i++) {
            struct cp_signal_thread *t = cp_signal_thread_at(i);

            if (atomic_load(&t->tid) != 0 && cp_leak_has_registers(t))
                look_at_thread(s, t);
        }
        cp_refresh_release();
    }
    cp_lock_release(&cp_refresh_lock);
    return status;
}

/* What the kernel has been told stands nowhere in memory. */
static void look_at_told(void *scan, uintptr_t word)
{
    look_at(scan, word, 0);
}

/* ---- all of it ---- */

static void leave_out_own(struct scan *s)
{
    const struct cp_live_table *live = &cp_alloc_sampler.live;
    size_t n = cp_live_n_slots(live->n_overflow);
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    cp_excluded_ranges_add(s->excluded, live->keys, n * sizeof(*live->keys));
    cp_excluded_ranges_add(s->excluded, live->entries,
                           n * sizeof(*live->entries));
    cp_excluded_ranges_add(s->excluded, s->leak->blocks,
                           s->leak->room * sizeof(*s->leak->blocks));
    cp_excluded_ranges_add(s->excluded, s->piece, PIECE_BYTES);
    cp_excluded_ranges_add(s->excluded, s->excluded, sizeof(*s->excluded));
    cp_excluded_ranges_add(s->excluded, s->todo, s->leak->n * sizeof(*s->todo));
    cp_excluded_ranges_add(s->excluded, (const void *)(here - OWN_STACK),
                           OWN_STACK + OWN_FRAMES);
}

/*
 * The registers come first: where each stack ends is known from them, and a
 * word that a thread has just put from one into memory is found there.
 */
static enum cp_status look_everywhere(struct scan *s, struct cp_error *err)
{
    enum cp_status status = look_at_threads(s, err);

    for (int pass = 0; pass < PASSES && status == CP_OK; pass++) {
        if (pass > 0 && is_all_found(s->leak))
            break;
        begin_pass(s);
        cp_tcache_take(s->cache);
        cp_leak_epoll_each(look_at_told, s);
        status = scan_memory(s, err);
        follow(s);
    }
    return status;
}

/* Blocks that were freed meanwhile are no leak. */
static void strike_freed(struct cp_leak *leak)
{
    for (size_t i = 0; i < leak->n; i++)
        if (!leak->blocks[i].is_found &&
            !cp_live_contains((void *)leak->blocks[i].start,
                              leak->blocks[i].row + 1))
            leak->blocks[i].is_found = 1;
}

static enum cp_status find_with(struct scan *s, struct cp_error *err)
{
    struct cp_leak *leak = s->leak;
    enum cp_status status;
    int64_t start;

    if (leak->n == 0)
        return CP_OK;
    status = mark_pages(s, err);
    if (status != CP_OK)
        return status;
    s->low = leak->blocks[0].start;
    for (size_t i = 0; i < leak->n; i++)
        if (leak->blocks[i].end > s->high)
            s->high = leak->blocks[i].end;
    leave_out_own(s);
    s->has_chunks = cp_heap_is_of_libc();
    s->cache = s->has_chunks ? cp_tcache_new() : NULL;
    start = cp_clock_ns(CLOCK_MONOTONIC);
    status = look_everywhere(s, err);
    leak->scan_ns = (uint64_t)(cp_clock_ns(CLOCK_MONOTONIC) - start);
    if (status == CP_OK && leak->scanned_bytes == 0)
        return cp_error_set(err, CP_EIO,
                            "the kernel does not let the program read its own "
                            "memory (process_vm_readv)");
    strike_freed(leak);
    return status;
}

enum cp_status cp_leak_find(struct cp_leak *out, struct cp_error *err)
{
    struct scan s = { .leak = out };
    enum cp_status status;

    *out = (struct cp_leak){ 0 };
    status = take_blocks(out, err);
    if (status == CP_OK) {
        s.piece = cp_alloc(PIECE_BYTES, 1, err);
        s.excluded = cp_alloc(1, sizeof(*s.excluded), err);
        s.todo = cp_alloc(out->n + 1, sizeof(*s.todo), err);
        s.present = cp_resident_pages_new(err);
        status = s.piece && s.excluded && s.todo && s.present
                     ? find_with(&s, err)
                     : CP_ENOMEM;
    }
    cp_tcache_free(s.cache);
    cp_resident_pages_free(s.present);
    cp_free(s.pages.bits);
    cp_free(s.todo);
    cp_free(s.piece);
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

        if (b->is_found)
            continue;
        sums[b->row].count++;
        sums[b->row].bytes += b->size;
    }
    return sums;
}

void cp_leak_release(struct cp_leak *leak)
{
    if (leak->blocks) /* or the next look would find the addresses here */
        explicit_bzero(leak->blocks, leak->room * sizeof(*leak->blocks));
    cp_free(leak->blocks);
    *leak = (struct cp_leak){ 0 };
}
