/*
 * jemalloc_dump - the heap profile that jemalloc itself has kept.
 *
 * Where the program's malloc is a jemalloc with profiling on, `source=jemalloc`
 * gives its dump as it is: the text that jeprof and pprof read.
 */
#ifndef CP_JEMALLOC_DUMP_H
#define CP_JEMALLOC_DUMP_H

#include "base/error.h"

struct cp_out;

/* Appends the dump; CP_EUSAGE: there is none to be had, and *err says why. */
enum cp_status cp_jemalloc_dump(struct cp_out *out, struct cp_error *err);

#endif
