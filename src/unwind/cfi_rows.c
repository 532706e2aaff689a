/*
 * cfi_rows.c - see cfi_rows.h.
 *
 * Both tables have their full size from the start: they cost nothing until
 * their pages are touched, and a walker never sees one move.
 */
#include "unwind/cfi_rows.h"

#include <stdatomic.h>
#include <string.h>

#include "base/hash.h"
#include "signal/unwinder/cfi_row.h"
#include "signal/unwinder/unwind_table.h"

#define MASK (2 * CP_CFI_MAX_ROWS - 1)

static uint32_t by_hash[MASK + 1]; /* the number; 0: empty */
static size_t n_rows_used = 1;     /* number 0 is CP_CFI_NONE */

/* A rule is two words, which are faster to handle than sixteen bytes. */
struct words {
    uint64_t a, b;
};

static struct words words_of(const struct cp_cfi_row *rule)
{
    struct words w;

    memcpy(&w, rule, sizeof(w));
    return w;
}

uint32_t cp_cfi_rows_number(const struct cp_cfi_row *rule)
{
    struct words mine = words_of(rule);
    uint32_t number;
    size_t at = cp_hash_mix(mine.a, mine.b) & MASK;

    if (rule->cfa == CP_CFA_NONE)
        return CP_CFI_NONE;
    for (; by_hash[at]; at = (at + 1) & MASK) {
        struct words its = words_of(&cp_cfi_rows[by_hash[at]]);

        if (its.a == mine.a && its.b == mine.b)
            return by_hash[at];
    }
    if (n_rows_used == CP_CFI_MAX_ROWS)
        return CP_CFI_NONE;
    number = (uint32_t)n_rows_used++;
    cp_cfi_rows[number] = *rule;
    atomic_signal_fence(memory_order_seq_cst); /* a fork may come between */
    by_hash[at] = number;
    return number;
}

size_t cp_cfi_rows_count(void)
{
    return n_rows_used;
}
