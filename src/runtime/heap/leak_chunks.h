/*
 * leak_chunks - finds free chunks of glibc's heap, so that the leak scan skips
 * the stale pointers in them.
 *
 * glibc puts a header with its size before each chunk. The header of the chunk
 * after a free one has PREV_INUSE clear and repeats the free chunk's size. A
 * sampled block is certainly a chunk, so the walk follows the sizes from one
 * sampled block on, and backwards from the first of them to the start of the
 * heap. A chunk counts as free only if both headers agree and no sampled block
 * lies in it. Where the sizes do not fit, because the program changes the heap
 * during the walk or a different allocator owns the memory, everything up to
 * the next sampled block counts as in use.
 *
 * A chunk in a thread's tcache looks as if it were in use: see tcache.h.
 *
 * Context: the thread that scans for leaks, while the program runs.
 * Locking: none. Failure: a chunk that cannot be read counts as in use.
 */
#ifndef CP_LEAK_CHUNKS_H
#define CP_LEAK_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_leak;
struct cp_leak_block;

/*
 * Position of the walk in one mapping. All fields are 0 if no chunk is known to
 * be free.
 */
struct cp_leak_chunks {
    const struct cp_leak *leak;
    uintptr_t end;           /* end of the mapping */
    uintptr_t next;          /* address of the next chunk; 0 means none */
    size_t next_block;       /* index of the first sampled block after it */
    uintptr_t free_range[2]; /* payload of the free chunk found last */
};

/*
 * Sets out[0] and out[1] to the start and end of glibc's arena metadata in the
 * mapping: the beginning of a thread's heap, or the writable data of libc. The
 * metadata point to free chunks. A chunk starts at the last word of the block
 * before it, so such a pointer looks like a pointer into that block.
 */
void cp_leak_chunks_find_metadata(uintptr_t start, uintptr_t end, bool is_libc,
                                  uintptr_t out[2]);

/* Whether the chunk after the block starts at this address. */
bool cp_leak_chunks_is_next_chunk(const struct cp_leak_block *b,
                                  uintptr_t address);

/* A copy of a part of the program's memory. */
struct cp_leak_buffer {
    uintptr_t start, end; /* addresses in the program */
    const uintptr_t *words;
};

/* Starts the walk of a mapping. */
void cp_leak_chunks_begin(struct cp_leak_chunks *c, const struct cp_leak *leak,
                          uintptr_t start, uintptr_t end);

/*
 * Sets c->free_range to the first free range of the buffer that ends after
 * `at`, or to the buffer's end if there is none. Call it with buffers in
 * ascending order of address.
 */
void cp_leak_chunks_next_free(struct cp_leak_chunks *c,
                              const struct cp_leak_buffer *buffer,
                              uintptr_t at);

#endif
