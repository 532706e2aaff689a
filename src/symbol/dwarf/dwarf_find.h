/* dwarf_find - finds the unit of an address. */
#ifndef CP_DWARF_FIND_H
#define CP_DWARF_FIND_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_dwarf_source;

#define CP_NO_UNIT UINT64_MAX

/*
 * Sets unit_of[i] to the offset of the unit that contains sorted[i], or to
 * CP_NO_UNIT. Reads .debug_aranges first, then the roots of units that are not
 * listed there. If the source has an index and n is small, the index's map of
 * units is used, and built on first use.
 */
enum cp_status cp_find_units(const struct cp_dwarf_source *source,
                             const uint64_t *sorted, size_t n,
                             _Atomic uint64_t *unit_of);

#endif
