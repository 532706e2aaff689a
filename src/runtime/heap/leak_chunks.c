/* leak_chunks.c - walks glibc's chunk headers from one sampled block on. */
#include "runtime/heap/leak_chunks.h"

#include "base/assert/assert.h"
#include "base/search.h"
#include "runtime/heap/leak.h"
#include "runtime/os/read_memory.h"
#include "signal/heap/alloc_sampler.h"

/* The layout of a chunk in glibc, see malloc_chunk in malloc/malloc.c. */
#define HEADER_BYTES 16
#define MIN_CHUNK_BYTES 32
#define FLAGS 7      /* flag bits of the size */
#define PREV_INUSE 1 /* flag: the chunk before is in use */
#define IS_MMAPPED 2 /* flag: the chunk is a mapping of its own */
#define PAGE 4096
#define HEAP_ALIGN ((uintptr_t)64 << 20) /* alignment of a thread's heap */
#define MAX_HEAP_INFO_BYTES 64 /* heap_info, before the arena's metadata */
#define METADATA_BYTES 2048    /* lower bound of the metadata's size */
#define MAX_FIRST_OFFSET PAGE  /* upper bound for the first chunk */
#define MAX_CHAIN 65536        /* chunks that extend_back follows */

struct header {
    uintptr_t prev_size; /* bytes of the chunk before, if that is free */
    uintptr_t size;      /* bytes of this chunk, and flags */
};

static const struct cp_leak_block *block_at(const struct cp_leak_chunks *c,
                                            size_t i)
{
    return i < c->leak->n ? &c->leak->blocks[i] : NULL;
}

/*
 * Sets c->next to the chunk of the next sampled block that is still live, from
 * index c->next_block on. A page-aligned block may be a mapping that the mmap
 * hooks sampled, which has no header, so it is skipped.
 */
static void resync(struct cp_leak_chunks *c)
{
    const struct cp_leak_block *b;

    for (; (b = block_at(c, c->next_block)) && b->start < c->end;
         c->next_block++)
        if (b->start % PAGE != 0 &&
            cp_live_contains((void *)b->start, b->row + 1)) {
            c->next = b->start - HEADER_BYTES;
            return;
        }
    c->next = 0;
}

void cp_leak_chunks_find_metadata(uintptr_t start, uintptr_t end, bool is_libc,
                                  uintptr_t out[2])
{
    uintptr_t metadata = 0;

    out[0] = start;
    out[1] = is_libc ? end : start;
    if (!is_libc && start % HEAP_ALIGN == 0 && end - start > METADATA_BYTES &&
        cp_read_memory(start, &metadata, sizeof(metadata)) ==
            sizeof(metadata) &&
        metadata > start && metadata <= start + MAX_HEAP_INFO_BYTES)
        out[1] = start + METADATA_BYTES;
}

bool cp_leak_chunks_is_next_chunk(const struct cp_leak_block *b,
                                  uintptr_t address)
{
    uintptr_t size =
        (b->size + 8 + HEADER_BYTES - 1) & ~(uintptr_t)(HEADER_BYTES - 1);

    return address == b->start - HEADER_BYTES +
                          (size < MIN_CHUNK_BYTES ? MIN_CHUNK_BYTES : size);
}

static bool read_header(const struct cp_leak_buffer *buffer, uintptr_t at,
                        struct header *out)
{
    if (at < buffer->start || at + sizeof(*out) > buffer->end)
        return cp_read_memory(at, out, sizeof(*out)) == sizeof(*out);
    out->prev_size = buffer->words[(at - buffer->start) / 8];
    out->size = buffer->words[(at - buffer->start) / 8 + 1];
    return true;
}

/* Whether the chunk sizes from `at` on lead exactly to the chunk `known`. */
static bool chain_reaches(uintptr_t at, uintptr_t known)
{
    const struct cp_leak_buffer none = { 0 };
    struct header h;

    for (int i = 0; i < MAX_CHAIN && at < known; i++) {
        uintptr_t size;

        if (!read_header(&none, at, &h))
            return false;
        size = h.size & ~(uintptr_t)FLAGS;
        if (h.size & IS_MMAPPED || size < MIN_CHUNK_BYTES ||
            size % HEADER_BYTES != 0 || size > known - at)
            return false;
        at += size;
    }
    return at == known;
}

/*
 * Moves c->next back from the first sampled block to the first chunk of the
 * heap, which is near the start of the mapping, after the arena's metadata.
 */
static void extend_back(struct cp_leak_chunks *c, uintptr_t start)
{
    for (uintptr_t at = start; at < start + MAX_FIRST_OFFSET && at < c->next;
         at += HEADER_BYTES)
        if (chain_reaches(at, c->next)) {
            c->next = at;
            return;
        }
}

void cp_leak_chunks_begin(struct cp_leak_chunks *c, const struct cp_leak *leak,
                          uintptr_t start, uintptr_t end)
{
    size_t first =
        leak->n ? cp_search_from(&leak->blocks->start, sizeof(*leak->blocks),
                                 leak->n, start + HEADER_BYTES)
                : 0;

    *c = (struct cp_leak_chunks){ .leak = leak,
                                  .end = end,
                                  .next_block = first };
    resync(c);
    if (c->next)
        extend_back(c, start);
}

/*
 * Whether the chunk at c->next with this header agrees with the sampled blocks:
 * the next sampled block either is this chunk or starts after its end. Sets the
 * end of the chunk.
 */
static bool is_plausible(struct cp_leak_chunks *c, const struct header *h,
                         bool *out_is_sampled, uintptr_t *out_end)
{
    const struct cp_leak_block *b = block_at(c, c->next_block);
    uintptr_t size = h->size & ~(uintptr_t)FLAGS;

    CP_ASSERT(c->next && c->next < c->end);
    if (h->size & IS_MMAPPED || size < MIN_CHUNK_BYTES ||
        size % HEADER_BYTES != 0 || size > c->end - c->next)
        return false;
    *out_is_sampled = b && b->start == c->next + HEADER_BYTES;
    if (*out_is_sampled) {
        if (size - 8 < b->size)
            return false;
        b = block_at(c, ++c->next_block);
    }
    *out_end = c->next + size;
    return !b || b->start >= *out_end + HEADER_BYTES || b->start >= c->end;
}

/* Whether the header after the chunk says that the chunk is free. */
static bool is_free_chunk(const struct cp_leak_chunks *c,
                          const struct cp_leak_buffer *buffer, uintptr_t end)
{
    struct header after;

    if (end == c->end)
        return true; /* the top chunk, never allocated */
    return read_header(buffer, end, &after) && !(after.size & PREV_INUSE) &&
           after.prev_size == end - c->next;
}

/* Continues at the next sampled block after a chunk that is not plausible. */
static void skip_bad_chunk(struct cp_leak_chunks *c)
{
    const struct cp_leak_block *b = block_at(c, c->next_block);

    if (b && b->start == c->next + HEADER_BYTES)
        c->next_block++;
    resync(c);
}

/* Examines the chunk at c->next and advances; returns whether it is free. */
static bool step(struct cp_leak_chunks *c, const struct cp_leak_buffer *buffer)
{
    bool is_sampled = false, is_free;
    struct header h;
    uintptr_t end;

    if (!read_header(buffer, c->next, &h) ||
        !is_plausible(c, &h, &is_sampled, &end)) {
        skip_bad_chunk(c);
        return false;
    }
    is_free = !is_sampled && is_free_chunk(c, buffer, end);
    if (is_free) {
        c->free_range[0] = c->next + HEADER_BYTES;
        c->free_range[1] = end;
        CP_ASSERT(c->free_range[0] < end && end <= c->end);
    }
    c->next = end < c->end ? end : 0;
    return is_free;
}

void cp_leak_chunks_next_free(struct cp_leak_chunks *c,
                              const struct cp_leak_buffer *buffer, uintptr_t at)
{
    CP_ASSERT(at >= buffer->start && at < buffer->end);
    if (c->free_range[1] > at && c->free_range[0] <= at)
        return; /* the chunk extends from the previous buffer into this one */
    while (c->next && c->next < buffer->end)
        if (step(c, buffer) && c->free_range[1] > at)
            return;
    c->free_range[0] = c->free_range[1] = buffer->end;
}
