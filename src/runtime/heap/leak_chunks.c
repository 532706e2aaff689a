/* leak_chunks.c - see leak_chunks.h. */
#include "runtime/heap/leak_chunks.h"

#include "base/search.h"
#include "runtime/heap/leak.h"
#include "runtime/os/read_memory.h"
#include "signal/heap/alloc_sampler.h"

#define HEADER 16 /* bytes: the length of the chunk before, and its own */
#define MIN_CHUNK 32
#define FLAGS 7
#define PREVIOUS_IS_USED 1
#define IS_MAPPED 2
#define PAGE 4096
#define HEAP_ALIGN ((uintptr_t)64 << 20) /* of heaps but the main one */
#define HEAP_INFO 64                     /* before the metadata, at most */
#define METADATA 2048                    /* of them, at least */
#define FIRST_BYTES PAGE                 /* a heap's first chunk is in these */
#define MAX_STEPS 65536

struct header {
    uintptr_t before, size;
};

static const struct cp_leak_block *block_at(const struct cp_leak_chunks *c,
                                            size_t i)
{
    return i < c->leak->n ? &c->leak->blocks[i] : NULL;
}

/*
 * Goes on at the next sampled block, from number c->known: one that lives, and
 * is no mapping, which has no header.
 */
static void find_chain(struct cp_leak_chunks *c)
{
    const struct cp_leak_block *b;

    for (; (b = block_at(c, c->known)) && b->start < c->end; c->known++)
        if (b->start % PAGE != 0 &&
            cp_live_contains((void *)b->start, b->row + 1)) {
            c->next = b->start - HEADER;
            return;
        }
    c->next = 0;
}

void cp_leak_chunks_metadata(uintptr_t start, uintptr_t end, bool is_libc,
                             uintptr_t out[2])
{
    uintptr_t metadata = 0;

    out[0] = start;
    out[1] = is_libc ? end : start;
    if (!is_libc && start % HEAP_ALIGN == 0 && end - start > METADATA &&
        cp_read_memory(start, &metadata, sizeof(metadata)) ==
            sizeof(metadata) &&
        metadata > start && metadata <= start + HEAP_INFO)
        out[1] = start + METADATA;
}

bool cp_leak_chunks_is_next(const struct cp_leak_block *b, uintptr_t address)
{
    uintptr_t size = (b->size + 8 + HEADER - 1) & ~(uintptr_t)(HEADER - 1);

    return address == b->start - HEADER + (size < MIN_CHUNK ? MIN_CHUNK : size);
}

static bool read_header(const struct cp_leak_piece *piece, uintptr_t at,
                        struct header *out)
{
    if (at < piece->start || at + sizeof(*out) > piece->end)
        return cp_read_memory(at, out, sizeof(*out)) == sizeof(*out);
    out->before = piece->words[(at - piece->start) / 8];
    out->size = piece->words[(at - piece->start) / 8 + 1];
    return true;
}

/* Does a chain that begins there come to the chunk that is known? */
static bool leads_to(uintptr_t at, uintptr_t known)
{
    const struct cp_leak_piece none = { 0 };
    struct header h;

    for (int i = 0; i < MAX_STEPS && at < known; i++) {
        uintptr_t size;

        if (!read_header(&none, at, &h))
            return false;
        size = h.size & ~(uintptr_t)FLAGS;
        if (h.size & IS_MAPPED || size < MIN_CHUNK || size % HEADER != 0 ||
            size > known - at)
            return false;
        at += size;
    }
    return at == known;
}

/*
 * What lies before the first sampled block is of the chain as well, from the
 * beginning of the heap or what follows its metadata there.
 */
static void find_first(struct cp_leak_chunks *c, uintptr_t start)
{
    for (uintptr_t at = start; at < start + FIRST_BYTES && at < c->next;
         at += HEADER)
        if (leads_to(at, c->next)) {
            c->next = at;
            return;
        }
}

void cp_leak_chunks_begin(struct cp_leak_chunks *c, const struct cp_leak *leak,
                          uintptr_t start, uintptr_t end)
{
    size_t known =
        leak->n ? cp_search_from(&leak->blocks->start, sizeof(*leak->blocks),
                                 leak->n, start + HEADER)
                : 0;

    *c = (struct cp_leak_chunks){ .leak = leak, .end = end, .known = known };
    find_chain(c);
    if (c->next)
        find_first(c, start);
}

/* Does the chunk of this header fit what is known? Sets where it ends. */
static bool is_chunk(struct cp_leak_chunks *c, const struct header *h,
                     bool *out_is_sampled, uintptr_t *out_end)
{
    const struct cp_leak_block *b = block_at(c, c->known);
    uintptr_t size = h->size & ~(uintptr_t)FLAGS;

    if (h->size & IS_MAPPED || size < MIN_CHUNK || size % HEADER != 0 ||
        size > c->end - c->next)
        return false;
    *out_is_sampled = b && b->start == c->next + HEADER;
    if (*out_is_sampled) {
        if (size - 8 < b->size)
            return false;
        b = block_at(c, ++c->known);
    }
    *out_end = c->next + size;
    return !b || b->start >= *out_end + HEADER || b->start >= c->end;
}

static bool says_free(const struct cp_leak_chunks *c,
                      const struct cp_leak_piece *piece, uintptr_t end)
{
    struct header after;

    if (end == c->end)
        return true; /* what was never given out */
    return read_header(piece, end, &after) &&
           !(after.size & PREVIOUS_IS_USED) && after.before == end - c->next;
}

/* The chain does not hold here. */
static void lose_chain(struct cp_leak_chunks *c)
{
    const struct cp_leak_block *b = block_at(c, c->known);

    if (b && b->start == c->next + HEADER)
        c->known++;
    find_chain(c);
}

/* Looks at one chunk and goes on to the next; true: it is free. */
static bool step(struct cp_leak_chunks *c, const struct cp_leak_piece *piece)
{
    bool is_sampled = false, is_free;
    struct header h;
    uintptr_t end;

    if (!read_header(piece, c->next, &h) ||
        !is_chunk(c, &h, &is_sampled, &end)) {
        lose_chain(c);
        return false;
    }
    is_free = !is_sampled && says_free(c, piece, end);
    if (is_free) {
        c->gap[0] = c->next + HEADER;
        c->gap[1] = end;
    }
    c->next = end < c->end ? end : 0;
    return is_free;
}

void cp_leak_chunks_find(struct cp_leak_chunks *c,
                         const struct cp_leak_piece *piece, uintptr_t at)
{
    if (c->gap[1] > at && c->gap[0] <= at) /* of the piece before */
        return;
    while (c->next && c->next < piece->end)
        if (step(c, piece) && c->gap[1] > at)
            return;
    c->gap[0] = c->gap[1] = piece->end;
}
