/*
 * symbol_source - the files that hold the symbols of a mapping.
 *
 * The mapped file itself, if it is still the same; otherwise, or if it has no
 * debug information, its debug file by build id from /usr/lib/debug or a
 * debuginfod server (debuginfod.h).
 */
#ifndef CP_SYMBOL_SOURCE_H
#define CP_SYMBOL_SOURCE_H

#include <stdbool.h>

#include "base/warn.h"

struct cp_error;
struct cp_symbolizer;

/* Initialize with { 0 }. */
struct cp_symbol_source {
    struct cp_symbolizer *file;  /* file whose program headers apply */
    struct cp_symbolizer *names; /* file with the symbols; may be the same */
};

/* A request for a mapping's file. */
struct cp_symbol_wanted {
    const char *path, *build_id; /* build_id in hexadecimal, "" if unknown */
    bool is_fast;                /* use symbol tables only */
    cp_warn warn;
    void *context;
};

/*
 * Opens the files. Returns false, with the reason in *why, if no file has
 * symbols. Sets *is_missing if the mapped file does not exist.
 */
bool cp_symbol_source_open(struct cp_symbol_source *s,
                           const struct cp_symbol_wanted *wanted,
                           bool *is_missing, struct cp_error *why);
void cp_symbol_source_close(struct cp_symbol_source *s);

#endif
