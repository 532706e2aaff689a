/*
 * jemalloc_dump - returns the heap profile that jemalloc itself has recorded.
 *
 * If the program's malloc is a jemalloc with profiling on, `source=jemalloc`
 * returns its dump unchanged, in the text format that jeprof and pprof read.
 *
 * Context: the endpoint thread. Locking: jemalloc takes its own.
 * Failure: CP_EUSAGE if the program has no such jemalloc, with the reason.
 */
#ifndef CP_JEMALLOC_DUMP_H
#define CP_JEMALLOC_DUMP_H

#include "base/error.h"

struct cp_out;

/* Appends the dump to *out. */
enum cp_status cp_jemalloc_dump(struct cp_out *out, struct cp_error *err);

#endif
