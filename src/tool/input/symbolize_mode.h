/* symbolize_mode - the parsed value of -symbolize. */
#ifndef CP_SYMBOLIZE_MODE_H
#define CP_SYMBOLIZE_MODE_H

#include <stdbool.h>

#include "symbol/demangle/demangle.h"

struct cp_symbolize_mode {
    bool is_none;  /* do not even demangle */
    bool is_local; /* use local files */
    bool is_fast;  /* use symbol tables only */
    bool is_remote;
    bool is_forced; /* include mappings that have symbols */
    enum cp_demangle_mode demangle;
};

/* Parses a colon-separated list of words; returns false on an unknown word. */
bool cp_symbolize_mode_read(struct cp_symbolize_mode *m, const char *text);

#endif
