/*
 * leak - finds sampled blocks that no pointer refers to: a conservative mark
 * phase, as in a garbage collector, while the program runs.
 *
 * The roots are the registers of all threads (leak_registers.h), pointers
 * stored in the kernel (leak_epoll.h) and all private memory of the program
 * (leak_maps.h). Every aligned word that is an address inside a sampled block
 * marks that block reachable. Words inside a sampled block count only once that
 * block is reachable, so lists and cycles of leaked blocks are found.
 *
 * No thread is stopped, so a pointer may move while it is searched for. The
 * scan therefore runs twice; a block is reported only if neither pass reached
 * it and it has not been freed before the end of the scan.
 *
 * Any other word that looks like a pointer also counts, for instance in a block
 * that was not sampled or in an allocator's metadata. The scan skips free
 * chunks of glibc's heap (leak_chunks.h, tcache.h), the stacks of threads that
 * have ended (leak_stacks.h) and the library's own memory. So a leak may be
 * missed; a smaller sampling interval makes that rarer.
 *
 * Context: the endpoint thread, outside signal handlers.
 * Locking: takes cp_refresh_lock while it reads registers; the caller holds
 * none. One scan at a time.
 * Ordering: the live table is read without a lock; a block that is inserted
 * during the scan is not examined.
 * Failure: CP_EIO if the kernel does not allow process_vm_readv; CP_ENOMEM.
 */
#ifndef CP_LEAK_H
#define CP_LEAK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A sampled block. */
struct cp_leak_block {
    uintptr_t start, end;  /* addresses; end is exclusive */
    uint32_t row;          /* index of its row (heap.h) */
    uint32_t is_reachable; /* boolean: a pointer to it was found */
    uint64_t size;         /* bytes, at least 1 */
};

struct cp_leak {
    struct cp_leak_block *blocks; /* sorted by start */
    size_t n, cap;                /* blocks in use, and allocated */
    uint64_t scanned_bytes;
    uint64_t reply_ns; /* from the first register request to the last reply */
    uint64_t scan_ns;  /* duration of the whole scan; no thread waits */
    uint32_t n_asleep; /* threads whose registers the kernel gave */
    uint32_t n_requested; /* running threads that got a request */
    uint32_t n_no_reply; /* threads of n_requested that did not reply in time */
};

/* Scans; blocks that are not is_reachable afterwards are leaked. */
enum cp_status cp_leak_find(struct cp_leak *out, struct cp_error *err);

struct cp_leak_sum {
    uint64_t count, bytes; /* leaked blocks of one row, and their bytes */
};

/* Sums by row, cp_heap_n_rows() of them; the caller frees with cp_free. */
struct cp_leak_sum *cp_leak_sums(const struct cp_leak *leak,
                                 struct cp_error *err);

void cp_leak_release(struct cp_leak *leak);

#endif
