/*
 * heap - the heap profile: what was allocated, and what of it is still there.
 *
 * Sampling is done in the hooks (malloc_hooks.h, signal/heap.h); this switches
 * it on and writes what was found. Two kinds show the same samples: `heap`
 * looks at what is in use, `allocs` at all that was ever allocated.
 */
#ifndef CP_HEAP_H
#define CP_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "runtime/kind.h"

#define CP_HEAP_DEFAULT_INTERVAL (512 << 10)

extern const struct cp_kind cp_heap_kind, cp_allocs_kind;

/* Begins to sample, one byte in `interval` on average; 0: not at all. */
enum cp_status cp_heap_start(uint64_t interval, struct cp_error *err);

/* Memory that the tables hold, at most. */
size_t cp_heap_bytes(void);

struct cp_heap_stats {
    uint64_t interval;
    uint64_t n_samples; /* taken */
    uint64_t n_live;    /* of them, not freed */
    uint64_t n_lost;    /* for which there was no room */
};

void cp_heap_stats(struct cp_heap_stats *out);

/*
 * What one sampled block of this size stands for: 1 / (1 - exp(-size /
 * interval)).
 */
double cp_heap_weight(uint64_t size, uint64_t interval);

#endif
