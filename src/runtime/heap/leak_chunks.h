/*
 * leak_chunks - what of glibc's heap is free: no pointer there counts.
 *
 * glibc writes before each chunk of memory how long it is, and behind a free
 * one, before the next chunk, that it is free and once more how long it was.
 * From a sampled block on, whose place is certain, the chunks of a mapping are
 * followed from one to the next; and from the first of a heap, if they lead to
 * the first sampled one. A chunk is taken for free only if both its
 * ends say the same and no sampled block lies in it; where the chain does not
 * hold, because the program has changed it meanwhile or because it is no memory
 * of malloc's, all is taken as in use up to the next sampled block.
 *
 * Chunks that glibc keeps at hand for the same thread (up to 1032 bytes) look
 * as if they were in use: tcache.h has those.
 */
#ifndef CP_LEAK_CHUNKS_H
#define CP_LEAK_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_leak;
struct cp_leak_block;

/* Where we are. All 0: nothing is known to be free. */
struct cp_leak_chunks {
    const struct cp_leak *leak;
    uintptr_t end;    /* of the mapping */
    uintptr_t next;   /* the chunk to look at; 0: none */
    size_t known;     /* the first sampled block that begins beyond it */
    uintptr_t gap[2]; /* the last that was found free */
};

/*
 * Where glibc keeps the metadata of what is in the mapping, in out[0] up to
 * out[1]: the beginning of a thread's heap, or all that libc itself can write.
 * There is a pointer to where the free chunk behind a block begins: to the last
 * word of that block.
 */
void cp_leak_chunks_metadata(uintptr_t start, uintptr_t end, bool is_libc,
                             uintptr_t out[2]);

/* Is this address, in the block, where the chunk behind it begins? */
bool cp_leak_chunks_is_next(const struct cp_leak_block *b, uintptr_t address);

/* A copy of memory. */
struct cp_leak_piece {
    uintptr_t start, end;
    const uintptr_t *words;
};

/* Begins with the mapping. */
void cp_leak_chunks_begin(struct cp_leak_chunks *c, const struct cp_leak *leak,
                          uintptr_t start, uintptr_t end);

/*
 * The first part of the piece at or beyond `at` that is free, put in c->gap;
 * both are the end of the piece if there is none. Pieces come in order.
 */
void cp_leak_chunks_find(struct cp_leak_chunks *c,
                         const struct cp_leak_piece *piece, uintptr_t at);

#endif
