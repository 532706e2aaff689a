/*
 * dwarf_resolve - resolves a sorted batch of addresses by the DWARF of a file.
 */
#ifndef CP_DWARF_RESOLVE_H
#define CP_DWARF_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_dwarf_source;
struct cp_symbol_frame;

/* The result for one address. */
struct cp_resolved {
    struct cp_symbol_frame *frames; /* in the arena of a worker */
    size_t n_frames;
    bool is_plain; /* whether a symbol may name the outermost frame better */
};

/*
 * Fills in answers[i], which must be zeroed, for sorted[i]. Frames without a
 * name have function NULL.
 */
enum cp_status cp_dwarf_resolve(const struct cp_dwarf_source *source,
                                const uint64_t *sorted, size_t n,
                                struct cp_resolved *answers);

#endif
