/*
 * dwarf_resolve - a sorted batch of addresses through the DWARF of a file.
 */
#ifndef CP_DWARF_RESOLVE_H
#define CP_DWARF_RESOLVE_H

#include "symbol/dwarf_worker.h"
#include "symbol/symbolizer.h"

/* What is known of one address. */
struct cp_answer {
    struct cp_symbol_frame *frames; /* in the arena of a worker */
    size_t n_frames;
};

/*
 * Fills answers[i], zeroed before, for sorted[i]. Frames without a name have
 * function NULL. Uses all the workers at once if there are several.
 */
enum cp_status cp_dwarf_resolve(const struct cp_dwarf *d,
                                struct cp_worker *workers, size_t n_workers,
                                const uint64_t *sorted, size_t n,
                                struct cp_answer *answers);

#endif
