/* cost.c - sums the counters of all modules. */
#include "runtime/process/cost.h"

#include "runtime/endpoint/endpoint.h"
#include "runtime/heap/heap.h"
#include "runtime/os/pages_alloc.h"
#include "runtime/profiles/contention.h"
#include "runtime/profiles/cpu.h"
#include "runtime/profiles/threadcreate.h"
#include "runtime/profiles/wall.h"
#include "runtime/threads/threads.h"
#include "runtime/trace/trace.h"
#include "signal/signals/handler.h"

void cp_cost(struct cp_endpoint_cost *out)
{
    struct cp_heap_stats heap;

    cp_heap_stats(&heap);
    *out = (struct cp_endpoint_cost){
        .memory_bytes = cp_pages_bytes() + cp_cpu_bytes() + cp_wall_bytes() +
                        cp_heap_bytes() + cp_contention_bytes() +
                        cp_threadcreate_bytes() + cp_trace_bytes(),
        .max_memory_bytes = cp_pages_limit(),
        .n_samples = atomic_load(&cp_handler_state.n_samples) + heap.n_samples,
        .n_lost = atomic_load(&cp_handler_state.n_no_reader_slot) +
                  atomic_load(&cp_handler_state.n_full) + heap.n_lost,
        .cpu_ns = cp_threads_internal_cpu_ns(),
    };
}
