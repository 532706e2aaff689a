/* cost.c - see cost.h. */
#include "runtime/cost.h"

#include "runtime/cpu.h"
#include "runtime/heap.h"
#include "runtime/locks.h"
#include "runtime/pages_alloc.h"
#include "runtime/threads.h"
#include "runtime/threadcreate.h"
#include "runtime/trace.h"
#include "runtime/wall.h"
#include "signal/handler.h"

void cp_cost(struct cp_endpoint_cost *out)
{
    struct cp_heap_stats heap;

    cp_heap_stats(&heap);
    *out = (struct cp_endpoint_cost){
        .memory_bytes = cp_pages_bytes() + cp_cpu_bytes() + cp_wall_bytes() +
                        cp_heap_bytes() + cp_locks_bytes() +
                        cp_threadcreate_bytes() + cp_trace_bytes(),
        .max_memory_bytes = cp_pages_limit(),
        .n_samples = atomic_load(&cp_signal_sampler.n_samples) + heap.n_samples,
        .n_lost = atomic_load(&cp_signal_sampler.n_no_place) +
                  atomic_load(&cp_signal_sampler.n_full) + heap.n_lost,
        .cpu_ns = cp_threads_own_cpu_ns(),
    };
}
