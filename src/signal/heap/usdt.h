/*
 * usdt - static tracepoints (USDT) for tracers of the whole host.
 *
 * Provider cpprof; `readelf -n`, `perf list` and `bpftrace -l` show them:
 *
 *   heap_alloc   address, size, bytes that the sample stands for
 *   heap_free    address, size
 *
 * They fire for sampled blocks only. A tracepoint is one nop while no tracer is
 * attached. It is left out if sys/sdt.h was missing when the library was built
 * (Debian: systemtap-sdt-dev).
 */
#ifndef CP_USDT_H
#define CP_USDT_H

#if defined(__has_include)
#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define CP_HAS_USDT 1
#endif
#endif

#ifdef CP_HAS_USDT
#define CP_USDT_HEAP_ALLOC(address, size, weight)                              \
    DTRACE_PROBE3(cpprof, heap_alloc, address, size, weight)
#define CP_USDT_HEAP_FREE(address, size)                                       \
    DTRACE_PROBE2(cpprof, heap_free, address, size)
#else
#define CP_USDT_HEAP_ALLOC(address, size, weight)                              \
    ((void)(address), (void)(size), (void)(weight))
#define CP_USDT_HEAP_FREE(address, size) ((void)(address), (void)(size))
#endif

#endif
