/*
 * tcache - finds the freed blocks in glibc's per-thread caches, which the leak
 * scan skips.
 *
 * Each thread keeps freed blocks of up to 1032 bytes, up to seven of each size,
 * in the singly linked bins of its tcache. Their chunk headers look as if they
 * were in use, and their payload still has stale pointers. The bins are found
 * through libc's thread-local variables. They are checked before use: a bin
 * must have as many blocks as its count says, each block must have the bin's
 * size, and each must contain the key that glibc writes into cached blocks.
 *
 * Only the owning thread changes its bins. As long as the thread has used no
 * CPU time since they were read, they are unchanged. If it has, its blocks
 * count as in use.
 *
 * Context: the thread that scans for leaks; cp_tcache_detect at process start.
 * Locking: none. Failure: bins that fail a check are ignored.
 */
#ifndef CP_TCACHE_H
#define CP_TCACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/heap/leak_stacks.h"

struct cp_tcache_block {
    uintptr_t start, end; /* addresses of the payload; end is exclusive */
    size_t thread;        /* index in cp_tcache.threads */
};

struct cp_tcache {
    struct cp_tcache_block *blocks; /* sorted by start */
    size_t n, cap;
    uintptr_t key; /* tcache key of the thread being read; 0 if not seen yet */
    struct {
        int32_t tid;    /* at most 0 if there is no such thread */
        int64_t cpu_ns; /* CPU time before the thread's bins were read */
    } threads[CP_LEAK_STACKS_MAX + 1]; /* by slot of leak_stacks.h */
};

/*
 * Finds libc's thread-local variables; does nothing when called again. Takes
 * the loader's lock, which may never be released in the child of a fork, so it
 * is called at process start.
 */
void cp_tcache_detect(void);

/* An empty cache list; NULL without memory. */
struct cp_tcache *cp_tcache_new(void);

/* Reads the bins of all registered threads. c may be NULL. */
void cp_tcache_read(struct cp_tcache *c);

/* Whether the address is in a cached block whose thread has not run since. */
bool cp_tcache_contains(const struct cp_tcache *c, uintptr_t at);

void cp_tcache_free(struct cp_tcache *c);

#endif
