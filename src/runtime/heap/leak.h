/*
 * leak - which of the sampled blocks nothing points to.
 *
 * The registers of all threads (leak_registers.h) and all
 * memory that the program can write are looked through for words that could be
 * a pointer to a block or into it, while the program goes on. What stands in a
 * sampled block counts only if that block is found itself, so that lists and
 * rings of lost blocks are lost. What is not found is looked for a second
 * time: a block is lost only if no look has found it. No thread is stopped or
 * interrupted.
 *
 * A word that looks like a pointer counts as one, wherever else it stands: in
 * blocks that were not sampled, for instance, and in the books of an allocator;
 * but not in what is free (leak_chunks.h, tcache.h), nor in what threads
 * that have ended left behind (leak_stacks.h). So leaks may be missed, the
 * fewer the smaller the interval.
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
    uint64_t reply_ns; /* from the first request to the last reply */
    uint64_t scan_ns;  /* for all of it; no thread waits for that */
    uint32_t n_asleep; /* threads, read from outside */
    uint32_t n_requested, n_no_reply; /* threads; silent: without a reply */
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
