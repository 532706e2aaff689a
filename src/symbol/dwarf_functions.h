/*
 * dwarf_functions - which function, inlined into which, an address is in.
 */
#ifndef CP_DWARF_FUNCTIONS_H
#define CP_DWARF_FUNCTIONS_H

#include "symbol/dwarf_worker.h"

/*
 * Fills w->records, and w->heads[i] with the innermost record of sorted[i] or
 * CP_NO_RECORD. The unit's root has been read.
 */
enum cp_status cp_functions_find(struct cp_worker *w,
                                 const struct cp_dwarf_unit *u,
                                 const uint64_t *sorted, size_t n);

#endif
