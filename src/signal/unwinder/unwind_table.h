/*
 * map - which rule holds at which address: the walker's view of all code.
 *
 * A map is a sorted list of address ranges with code in them. Each has rows,
 * sorted by address, and says from which address which rule holds; a range
 * without rows (generated code) is one whose frames must be found by frame
 * pointers. A map and all it points at is made and freed outside signal
 * context (unwind/objects.h); here it is only read, but for the cache.
 *
 * Rules are numbered, and a number means the same for ever: cp_cfi_rows
 * only grows (unwind/cfi_rows.h). So a pair of an address and a number fits in
 * one word, which many threads may read and write without a lock.
 */
#ifndef CP_UNWIND_TABLE_H
#define CP_UNWIND_TABLE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/unwinder/cfi_row.h"

/*
 * A row holds from start + pcs[i] up to the next one; row 0 starts at 0, and
 * the last is followed by none. Rows are found through `buckets`: one for each
 * 2^shift bytes, the number of the row that holds at its first byte; one more
 * closes the list.
 */
struct cp_unwind_module {
    uintptr_t start, end;
    const uint32_t *pcs; /* NULL: no rows */
    const uint16_t *row_ids;
    const uint32_t *buckets;
    uint32_t n_rows;
    uint32_t shift;
};

#define CP_CFI_MAX_ROWS 65536
#define CP_CFI_NONE 0 /* the number of the rule that says CP_CFA_NONE */

extern struct cp_cfi_row cp_cfi_rows[CP_CFI_MAX_ROWS];

#define CP_UNWIND_CACHE_SLOTS 2048 /* a power of two */

struct cp_unwind_table {
    size_t n_modules;
    const struct cp_unwind_module *modules; /* by address, no overlap */
    _Atomic uint64_t *cache;                /* address << 16 | rule */
};

/* The module that has this address, or NULL. */
const struct cp_unwind_module *
cp_unwind_table_find(const struct cp_unwind_table *map, uintptr_t pc);

/* The number of the rule at an address. */
uint32_t cp_unwind_table_search(const struct cp_unwind_table *map,
                                uintptr_t pc);

/* The rule at an address; most are found in the cache. Never NULL. */
static inline const struct cp_cfi_row *
cp_unwind_table_row(const struct cp_unwind_table *map, uintptr_t pc)
{
    _Atomic uint64_t *slot =
        &map->cache[(pc ^ pc >> 11) % CP_UNWIND_CACHE_SLOTS];
    uint64_t entry = atomic_load_explicit(slot, memory_order_relaxed);
    uint64_t key = (uint64_t)pc << 16;

    if (__builtin_expect((entry ^ key) >> 16 != 0, 0)) {
        entry = key | cp_unwind_table_search(map, pc);
        atomic_store_explicit(slot, entry, memory_order_relaxed);
    }
    return &cp_cfi_rows[entry & 0xffff];
}

#endif
