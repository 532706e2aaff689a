/*
 * cfi_rows.c - a hash table with open addressing over cp_cfi_rows.
 *
 * Both arrays have their full size from the start: an untouched page costs
 * nothing, and a reader never sees an array move.
 */
#include "unwind/cfi_rows.h"

#include <string.h>

#include "base/assert/assert.h"
#include "base/hash.h"
#include "signal/unwinder/unwind_table.h"

#define MASK (2 * CP_CFI_MAX_ROWS - 1)

static uint32_t by_hash[MASK + 1]; /* index in cp_cfi_rows; 0 if empty */
static size_t n_rows_used = 1;     /* index 0 is CP_CFI_NONE */

/* A row as two 64-bit words, to hash and compare. */
struct words {
    uint64_t a, b;
};

static struct words words_of(const struct cp_cfi_row *row)
{
    struct words w;

    memcpy(&w, row, sizeof(w));
    return w;
}

uint32_t cp_cfi_rows_number(const struct cp_cfi_row *row)
{
    struct words mine = words_of(row);
    uint32_t number;
    size_t at = cp_hash_mix(mine.a, mine.b) & MASK;

    if (row->cfa == CP_CFA_NONE)
        return CP_CFI_NONE;
    for (; by_hash[at]; at = (at + 1) & MASK) {
        struct words its = words_of(&cp_cfi_rows[by_hash[at]]);

        if (its.a == mine.a && its.b == mine.b)
            return by_hash[at];
    }
    if (n_rows_used == CP_CFI_MAX_ROWS)
        return CP_CFI_NONE;
    CP_ASSERT(n_rows_used < CP_CFI_MAX_ROWS);
    number = (uint32_t)n_rows_used++;
    cp_cfi_rows[number] = *row;
    /* A fork may happen between the two stores; the child must not see the
     * index first. */
    atomic_signal_fence(memory_order_seq_cst);
    by_hash[at] = number;
    return number;
}

size_t cp_cfi_rows_count(void)
{
    return n_rows_used;
}
