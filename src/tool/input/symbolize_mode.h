/* symbolize_mode - what -symbolize asks for. */
#ifndef CP_SYMBOLIZE_MODE_H
#define CP_SYMBOLIZE_MODE_H

#include <stdbool.h>

#include "symbol/demangle/demangle.h"

struct cp_symbolize_mode {
    bool is_none;  /* not even names are made readable */
    bool is_local; /* from files */
    bool is_fast;  /* from symbol tables only */
    bool is_remote;
    bool is_forced; /* also what has symbols */
    enum cp_demangle_mode demangle;
};

/* Reads a list of words with colons; false if one is not known. */
bool cp_symbolize_mode_read(struct cp_symbolize_mode *m, const char *text);

#endif
