/*
 * leak - which of the sampled blocks nothing points to.
 *
 * All memory that the program can write is looked through for words that
 * could be a pointer to a block or into it, while the program goes on. What is
 * not found is looked for again in the registers of all threads, which tell
 * them from a signal handler, and once more in memory: a block is lost only if
 * no look has found it. No thread is stopped.
 *
 * A word that looks like a pointer counts as one, wherever it stands but in
 * the block itself; so leaks may be missed, for instance rings of blocks that
 * point at each other, and what an allocator keeps books of by address.
 */
#ifndef CP_LEAK_H
#define CP_LEAK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A sampled block: where it is, and its row (heap.h). */
struct cp_leak_block {
    uintptr_t start, end;
    uint32_t row;
    uint32_t is_found;
    uint64_t size;
};

struct cp_leak {
    struct cp_leak_block *blocks; /* by address */
    size_t n, room;
    uint64_t scanned_bytes;
    uint64_t answer_ns;         /* from the first question to the last answer */
    uint32_t n_asked, n_silent; /* threads */
};

/* Looks for them; those with !is_found are lost. */
enum cp_status cp_leak_find(struct cp_leak *out, struct cp_error *err);

/* What is lost of each row: a list as long as there are rows, to be freed. */
struct cp_leak_sum {
    uint64_t count, bytes;
};

struct cp_leak_sum *cp_leak_sums(const struct cp_leak *leak,
                                 struct cp_error *err);

void cp_leak_release(struct cp_leak *leak);

#endif
