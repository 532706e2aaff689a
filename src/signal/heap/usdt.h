/*
 * probes - marks that tracers of the whole host can find (USDT).
 *
 * Provider cpprof, seen with `readelf -n`, `perf list` or `bpftrace -l`:
 *
 *   heap_alloc   address, size, bytes that the sample stands for (roughly)
 *   heap_free    address, size
 *
 * They are of sampled blocks alone. Each is one instruction that does nothing
 * unless somebody looks, and nothing at all where the header was missing when
 * the library was built (Debian: systemtap-sdt-dev).
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
