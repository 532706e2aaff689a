/* dwarf_source - a file to look up, and the workers and caches for it. */
#ifndef CP_DWARF_SOURCE_H
#define CP_DWARF_SOURCE_H

#include <stddef.h>

struct cp_dwarf;
struct cp_dwarf_index;
struct cp_split;
struct cp_worker;

struct cp_dwarf_source {
    const struct cp_dwarf *dwarf;
    struct cp_split *split;
    struct cp_worker *workers;    /* run in parallel if there are several */
    size_t n_workers;             /* at least 1 */
    struct cp_dwarf_index *index; /* NULL disables caching */
};

#endif
