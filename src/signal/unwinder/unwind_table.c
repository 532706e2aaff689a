/* unwind_table.c - finds the module of an address, and the row in it; see
 * unwind_table.h. */
#include "signal/unwinder/unwind_table.h"

#include "signal/unwinder/cfi_row.h"

struct cp_cfi_row cp_cfi_rows[CP_CFI_MAX_ROWS];

const struct cp_unwind_module *
cp_unwind_table_find(const struct cp_unwind_table *map, uintptr_t pc)
{
    const struct cp_unwind_module *at = map->modules;
    size_t n = map->n_modules;

    if (n == 0)
        return NULL;
    while (n > 1) {
        size_t half = n / 2;

        at += at[half].start <= pc ? half : 0;
        n -= half;
    }
    return pc >= at->start && pc < at->end ? at : NULL;
}

uint32_t cp_unwind_table_search(const struct cp_unwind_table *map, uintptr_t pc)
{
    const struct cp_unwind_module *m = cp_unwind_table_find(map, pc);
    uint32_t at, row, n;

    if (!m || !m->pcs)
        return CP_CFI_NONE;
    at = (uint32_t)(pc - m->start);
    row = m->buckets[at >> m->shift];
    n = m->buckets[(at >> m->shift) + 1] - row + 1;
    while (n > 1) {
        uint32_t half = n / 2;

        row += m->pcs[row + half] <= at ? half : 0;
        n -= half;
    }
    return m->row_ids[row];
}
