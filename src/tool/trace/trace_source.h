/*
 * trace_source - maps the bytes of a trace: a file, standard input, or a trace
 * fetched from a running program.
 */
#ifndef CP_TRACE_SOURCE_H
#define CP_TRACE_SOURCE_H

#include <stddef.h>

#include "base/error.h"
#include "base/warn.h"

/*
 * Initialize with { 0 }. The bytes are a mapping of the file, so only the pages
 * that are read use memory.
 */
struct cp_trace_source {
    const void *bytes;
    size_t len;
    char name[256]; /* source name for messages */
};

/*
 * Opens a file, "-" or an address. A fetched trace is saved beside fetched
 * profiles, and `warn` reports its path. The default path of an address is
 * /debug/pprof/trace. seconds > 0 replaces seconds= in the address.
 */
enum cp_status cp_trace_source_open(struct cp_trace_source *s, const char *name,
                                    int seconds, cp_warn warn,
                                    struct cp_error *err);
void cp_trace_source_close(struct cp_trace_source *s);

#endif
