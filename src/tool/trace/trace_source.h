/*
 * trace_source - the bytes of a trace: a file, standard input, or a running
 * program that is asked for one.
 */
#ifndef CP_TRACE_SOURCE_H
#define CP_TRACE_SOURCE_H

#include <stddef.h>

#include "base/error.h"
#include "base/warn.h"

/* Starts as { 0 }. The pages are those of the file, so length costs nothing. */
struct cp_trace_source {
    const void *bytes;
    size_t len;
    char name[256]; /* for people */
};

/*
 * Opens a name: a file, "-", or an address; what is fetched is saved beside
 * the profiles and told. An address without a path is /debug/pprof/trace.
 * seconds > 0 go into the address.
 */
enum cp_status cp_trace_source_open(struct cp_trace_source *s, const char *name,
                                    int seconds, cp_warn warn,
                                    struct cp_error *err);
void cp_trace_source_close(struct cp_trace_source *s);

#endif
