/*
 * symbol_source - the file, or the files, that know a mapping's symbols.
 *
 * The mapped file itself if it is still the one that ran; its debug file,
 * found by build id in /usr/lib/debug or fetched (debuginfod.h), where the
 * file is gone, was replaced, or has no debug information of its own.
 */
#ifndef CP_SYMBOL_SOURCE_H
#define CP_SYMBOL_SOURCE_H

#include <stdbool.h>

#include "base/warn.h"

struct cp_error;
struct cp_symbolizer;

/* Starts as { 0 }. */
struct cp_symbol_source {
    struct cp_symbolizer *file;  /* whose program headers count */
    struct cp_symbolizer *names; /* who is asked; may be the same */
};

/* A mapping's file. */
struct cp_symbol_wanted {
    const char *path, *build_id; /* hexadecimal, "" if it is not known */
    bool is_fast;                /* symbol tables are enough */
    cp_warn warn;
    void *context;
};

/*
 * False, with the reason in *why, if there is nothing to be had. *is_missing
 * is set if the mapped file is not there.
 */
bool cp_symbol_source_open(struct cp_symbol_source *s,
                           const struct cp_symbol_wanted *wanted,
                           bool *is_missing, struct cp_error *why);
void cp_symbol_source_close(struct cp_symbol_source *s);

#endif
