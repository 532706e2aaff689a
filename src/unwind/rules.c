/*
 * rules.c - see rules.h.
 *
 * Both tables have their full size from the start: they cost nothing until
 * their pages are touched, and a walker never sees one move.
 */
#include "unwind/rules.h"

#include <stdatomic.h>
#include <string.h>

#include "base/hash.h"
#include "signal/unwinder/map.h"
#include "signal/unwinder/rule.h"

#define MASK (2 * CP_RULES_MAX - 1)

static uint32_t by_hash[MASK + 1]; /* the number; 0: empty */
static size_t n_rules = 1;         /* number 0 is CP_RULE_NONE */

/* A rule is two words, which are faster to handle than sixteen bytes. */
struct words {
    uint64_t a, b;
};

static struct words words_of(const struct cp_signal_rule *rule)
{
    struct words w;

    memcpy(&w, rule, sizeof(w));
    return w;
}

uint32_t cp_rules_number(const struct cp_signal_rule *rule)
{
    struct words mine = words_of(rule);
    uint32_t number;
    size_t at = cp_hash_mix(mine.a, mine.b) & MASK;

    if (rule->cfa == CP_CFA_NONE)
        return CP_RULE_NONE;
    for (; by_hash[at]; at = (at + 1) & MASK) {
        struct words its = words_of(&cp_signal_rules[by_hash[at]]);

        if (its.a == mine.a && its.b == mine.b)
            return by_hash[at];
    }
    if (n_rules == CP_RULES_MAX)
        return CP_RULE_NONE;
    number = (uint32_t)n_rules++;
    cp_signal_rules[number] = *rule;
    atomic_signal_fence(memory_order_seq_cst); /* a fork may come between */
    by_hash[at] = number;
    return number;
}

size_t cp_rules_count(void)
{
    return n_rules;
}
