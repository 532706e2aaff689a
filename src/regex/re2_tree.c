/*
 * re2_tree.c - builds the tree within RE2's limits.
 *
 * RE2 limits the height of the tree, the product of nested counts, and the
 * states of the compiled automaton. It adds up the states only once the pattern
 * has enough nodes and counts. Whether a pattern passes depends on that, so
 * this code does the same.
 */
#include "regex/re2_tree.h"

#include <string.h>

#include "base/alloc.h"
#include "regex/re2_node.h"

#define MAX_HEIGHT 1000
#define MAX_COPIES 1000
#define MAX_SIZE ((128u << 20) / 40)

static enum cp_re2_limit check(const struct cp_re2_tree *t,
                               const struct cp_re2_node *node)
{
    size_t repeats = t->repeats ? t->repeats : 1;

    if (t->n_nodes >= MAX_SIZE / repeats && node->size > MAX_SIZE)
        return CP_RE2_TOO_LARGE;
    return node->height > MAX_HEIGHT ? CP_RE2_TOO_DEEP : CP_RE2_FITS;
}

static enum cp_re2_limit push(struct cp_re2_tree *t, struct cp_re2_node node,
                              uint32_t *out)
{
    enum cp_re2_limit limit;

    if (node.size == 0)
        node.size = 1;
    limit = check(t, &node);
    if (limit != CP_RE2_FITS)
        return limit;
    if (t->n_nodes == UINT32_MAX ||
        cp_reserve(&t->nodes, &t->nodes_cap, t->n_nodes + 1, sizeof(node),
                   NULL) != CP_OK)
        return CP_RE2_NO_MEMORY;
    t->nodes[t->n_nodes] = node;
    *out = (uint32_t)t->n_nodes++;
    return CP_RE2_FITS;
}

static bool has_case(uint32_t rune)
{
    return rune >= 0x80 || (rune >= 'a' && rune <= 'z') ||
           (rune >= 'A' && rune <= 'Z');
}

enum cp_re2_limit cp_re2_tree_rune(struct cp_re2_tree *t, uint32_t rune,
                                   bool is_folded, uint32_t *out)
{
    struct cp_re2_node node = { .kind = CP_RE2_RUNE, .rune = rune };

    node.is_folded = is_folded;
    node.has_case = has_case(rune);
    node.is_char = true;
    node.is_string = true;
    node.height = 1;
    node.copies = 1;
    return push(t, node, out);
}

enum cp_re2_limit cp_re2_tree_leaf(struct cp_re2_tree *t, size_t from,
                                   bool is_char, bool is_folded, uint32_t *out)
{
    struct cp_re2_node node = { .kind = CP_RE2_LEAF, .first = from };

    if (t->text.is_out_of_memory)
        return CP_RE2_NO_MEMORY;
    node.n = t->text.len - from;
    node.is_folded = is_folded;
    node.has_case = is_char;
    node.is_char = is_char;
    node.height = 1;
    node.copies = 1;
    return push(t, node, out);
}

/* Makes `parts` the children of node, and computes its sums. */
static enum cp_re2_limit set_children(struct cp_re2_tree *t,
                                      struct cp_re2_node *node,
                                      const uint32_t *parts, size_t n)
{
    if (cp_reserve(&t->children, &t->kids_cap, t->n_children + n,
                   sizeof(*t->children), NULL) != CP_OK)
        return CP_RE2_NO_MEMORY;
    memcpy(t->children + t->n_children, parts, n * sizeof(*parts));
    node->first = t->n_children;
    node->n = n;
    t->n_children += n;
    for (size_t i = 0; i < n; i++) {
        const struct cp_re2_node *kid = &t->nodes[parts[i]];

        if (node->height <= kid->height)
            node->height = kid->height + 1;
        if (node->copies < kid->copies)
            node->copies = kid->copies;
        node->size += kid->size;
    }
    return CP_RE2_FITS;
}

/* Whether RE2 would store the parts as one string node. */
static bool is_string(const struct cp_re2_tree *t, const uint32_t *parts,
                      size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct cp_re2_node *kid = &t->nodes[parts[i]];

        if (kid->kind != CP_RE2_RUNE || kid->is_captured ||
            kid->is_folded != t->nodes[parts[0]].is_folded)
            return false;
    }
    return true;
}

enum cp_re2_limit cp_re2_tree_concat(struct cp_re2_tree *t,
                                     const uint32_t *parts, size_t n,
                                     uint32_t *out)
{
    struct cp_re2_node node = { .kind = CP_RE2_CONCAT };

    if (n == 0)
        return cp_re2_tree_leaf(t, t->text.len, false, false, out);
    if (n == 1) {
        *out = parts[0];
        return CP_RE2_FITS;
    }
    if (set_children(t, &node, parts, n) != CP_RE2_FITS)
        return CP_RE2_NO_MEMORY;
    node.is_string = is_string(t, parts, n);
    if (node.is_string)
        node.height = 1;
    return push(t, node, out);
}

enum cp_re2_limit cp_re2_tree_alternate(struct cp_re2_tree *t,
                                        const uint32_t *parts, size_t n,
                                        uint32_t *out)
{
    struct cp_re2_node node = { .kind = CP_RE2_ALTERNATE };

    if (n == 1) {
        *out = parts[0];
        return CP_RE2_FITS;
    }
    if (set_children(t, &node, parts, n) != CP_RE2_FITS)
        return CP_RE2_NO_MEMORY;
    node.size += n - 1;
    return push(t, node, out);
}

/* Returns the multiplier of a count: {2,5} gives 5, {2,} gives 2, * gives 1. */
static int factor(struct cp_re2_repeat repeat_count)
{
    if (!repeat_count.is_counted)
        return 1;
    return repeat_count.max >= 0 ? repeat_count.max : repeat_count.min;
}

static uint64_t repeat_size(struct cp_re2_repeat repeat_count, uint64_t part)
{
    if (repeat_count.max == 1 && !repeat_count.is_counted)
        return 1 + part;
    if (repeat_count.max < 0 && repeat_count.min == 0)
        return 2 + part;
    if (repeat_count.max < 0)
        return 1 + (uint64_t)repeat_count.min * part;
    return (uint64_t)repeat_count.max * part +
           (uint64_t)(repeat_count.max - repeat_count.min);
}

static void count_repeats(struct cp_re2_tree *t, int n)
{
    if (t->repeats == 0)
        t->repeats = 1;
    if (n <= 1)
        return;
    if ((size_t)n > MAX_SIZE / t->repeats)
        t->repeats = MAX_SIZE;
    else
        t->repeats *= (size_t)n;
}

enum cp_re2_limit cp_re2_tree_repeat(struct cp_re2_tree *t, uint32_t part,
                                     struct cp_re2_repeat repeat_count,
                                     uint32_t *out)
{
    struct cp_re2_node node = { .kind = CP_RE2_REPEAT, .repeat = repeat_count };
    enum cp_re2_limit limit;

    if (set_children(t, &node, &part, 1) != CP_RE2_FITS)
        return CP_RE2_NO_MEMORY;
    node.size = repeat_size(repeat_count, node.size);
    if (repeat_count.max == 0)
        node.copies = 1; /* the contents never occur */
    else if (factor(repeat_count) > 0)
        node.copies *= factor(repeat_count);
    count_repeats(t, factor(repeat_count));
    limit = push(t, node, out);
    if (limit == CP_RE2_FITS && factor(repeat_count) >= 2 &&
        node.copies > MAX_COPIES)
        return CP_RE2_TOO_MANY_COPIES;
    return limit;
}

enum cp_re2_limit cp_re2_tree_capture(struct cp_re2_tree *t, uint32_t node)
{
    struct cp_re2_node *captured = &t->nodes[node];

    captured->is_captured = true;
    captured->height++;
    captured->size += 2;
    return check(t, captured);
}

void cp_re2_tree_release(struct cp_re2_tree *t)
{
    cp_free(t->nodes);
    cp_free(t->children);
    cp_free(t->text.data);
    memset(t, 0, sizeof(*t));
}
