/*
 * dwarf_find - which unit an address is in.
 */
#ifndef CP_DWARF_FIND_H
#define CP_DWARF_FIND_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_dwarf_source;

#define CP_NO_UNIT UINT64_MAX

/*
 * Fills unit_of[i] with the offset of the unit that sorted[i] is in, or
 * CP_NO_UNIT: first from .debug_aranges, then from the roots of the units
 * that are not listed there. With an index, few addresses are looked up in
 * its map of units, which is made when it is first needed.
 */
enum cp_status cp_find_units(const struct cp_dwarf_source *source,
                             const uint64_t *sorted, size_t n,
                             _Atomic uint64_t *unit_of);

#endif
