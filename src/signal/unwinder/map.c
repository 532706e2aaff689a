/* map.c - finds the module of an address, and the row in it; see map.h. */
#include "signal/unwinder/map.h"

#include "signal/unwinder/rule.h"

struct cp_signal_rule cp_signal_rules[CP_RULES_MAX];

const struct cp_signal_module *
cp_signal_map_find(const struct cp_signal_map *map, uintptr_t pc)
{
    const struct cp_signal_module *at = map->modules;
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

uint32_t cp_signal_map_search(const struct cp_signal_map *map, uintptr_t pc)
{
    const struct cp_signal_module *m = cp_signal_map_find(map, pc);
    uint32_t at, row, n;

    if (!m || !m->pcs)
        return CP_RULE_NONE;
    at = (uint32_t)(pc - m->start);
    row = m->buckets[at >> m->shift];
    n = m->buckets[(at >> m->shift) + 1] - row + 1;
    while (n > 1) {
        uint32_t half = n / 2;

        row += m->pcs[row + half] <= at ? half : 0;
        n -= half;
    }
    return m->rule_ids[row];
}
