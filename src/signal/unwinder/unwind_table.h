/*
 * unwind_table - finds the CFI row of a code address.
 *
 * The table is a sorted list of modules: address ranges that hold code. A
 * module has entries sorted by address; an entry names the CFI row that is
 * valid from that address on. A module without entries is generated code, whose
 * frames are found by frame pointers.
 *
 * A row is named by its index in cp_cfi_rows. That array only grows and an
 * index never changes its meaning (unwind/cfi_rows.h), so a cache entry of an
 * address and an index fits in one 64-bit word.
 *
 * Context: any, signal handlers included.
 * Locking: none. src/unwind builds and frees tables; readers see one through
 *   cp_unwind_table_current() (signal/tables/readers.h), and it is immutable
 *   but for the cache. Ordering: a cache entry is one word with its key, so
 *   relaxed loads and stores are enough: a reader always sees a complete entry,
 *   and its key tells whether the entry belongs to the address. Failure: an
 *   unknown address has the row CP_CFI_NONE.
 */
#ifndef CP_UNWIND_TABLE_H
#define CP_UNWIND_TABLE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/unwinder/cfi_row.h"

/*
 * Entry i is valid from start + pcs[i] up to the next entry; pcs[0] is 0. A
 * bucket covers 2^shift bytes of code; buckets[b] is the entry that is valid at
 * its first byte. One more bucket closes the list.
 */
struct cp_unwind_module {
    uintptr_t start, end;
    const uint32_t *pcs;     /* offsets from start; NULL means no entries */
    const uint16_t *row_ids; /* indexes in cp_cfi_rows */
    const uint32_t *buckets;
    uint32_t n_rows; /* entries */
    uint32_t shift;
};

#define CP_CFI_MAX_ROWS 65536
#define CP_CFI_NONE 0 /* index of the row with CP_CFA_NONE */

extern struct cp_cfi_row cp_cfi_rows[CP_CFI_MAX_ROWS];

#define CP_UNWIND_CACHE_SLOTS 2048 /* a power of two */

struct cp_unwind_table {
    size_t n_modules;
    const struct cp_unwind_module *modules; /* sorted, do not overlap */
    _Atomic uint64_t *cache;                /* address << 16 | row index */
};

/* Returns the module that contains this address, or NULL. */
const struct cp_unwind_module *
cp_unwind_table_find(const struct cp_unwind_table *table, uintptr_t pc);

/* The index of the row at an address, without the cache. */
uint32_t cp_unwind_table_search(const struct cp_unwind_table *table,
                                uintptr_t pc);

/* The row at an address, from the cache if possible; never NULL. */
static inline const struct cp_cfi_row *
cp_unwind_table_row(const struct cp_unwind_table *table, uintptr_t pc)
{
    _Atomic uint64_t *slot =
        &table->cache[(pc ^ pc >> 11) % CP_UNWIND_CACHE_SLOTS];
    uint64_t entry = atomic_load_explicit(slot, memory_order_relaxed);
    uint64_t key = (uint64_t)pc << 16;

    if (__builtin_expect((entry ^ key) >> 16 != 0, 0)) {
        entry = key | cp_unwind_table_search(table, pc);
        atomic_store_explicit(slot, entry, memory_order_relaxed);
    }
    return &cp_cfi_rows[entry & 0xffff];
}

#endif
