/*
 * unwind_table.c - finds the module of an address and its entry by binary
 * search.
 */
#include "signal/unwinder/unwind_table.h"

#include "base/assert/assert.h"

struct cp_cfi_row cp_cfi_rows[CP_CFI_MAX_ROWS];

const struct cp_unwind_module *
cp_unwind_table_find(const struct cp_unwind_table *table, uintptr_t pc)
{
    const struct cp_unwind_module *at = table->modules;
    size_t n = table->n_modules;

    if (n == 0)
        return NULL;
    while (n > 1) {
        size_t half = n / 2;

        at += at[half].start <= pc ? half : 0;
        n -= half;
    }
    CP_ASSERT(at >= table->modules && at < table->modules + table->n_modules);
    CP_ASSERT(at->start < at->end);
    return pc >= at->start && pc < at->end ? at : NULL;
}

uint32_t cp_unwind_table_search(const struct cp_unwind_table *table,
                                uintptr_t pc)
{
    const struct cp_unwind_module *m = cp_unwind_table_find(table, pc);
    uint32_t at, row, n;

    if (!m || !m->pcs)
        return CP_CFI_NONE;
    at = (uint32_t)(pc - m->start);
    row = m->buckets[at >> m->shift];
    n = m->buckets[(at >> m->shift) + 1] - row + 1;
    CP_ASSERT(n > 0 && row + n <= m->n_rows);
    while (n > 1) {
        uint32_t half = n / 2;

        row += m->pcs[row + half] <= at ? half : 0;
        n -= half;
    }
    CP_ASSERT(row < m->n_rows && m->pcs[row] <= at);
    return m->row_ids[row];
}
