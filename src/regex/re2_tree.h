/*
 * re2_tree - a parsed RE2 pattern, with RE2's limits.
 *
 * The parser (re2.c) builds the tree from the leaves up. The only question is
 * whether a text matches, so groups do not capture and all repetition is
 * greedy. Nodes are identified by number and freed together. One thread at a
 * time.
 */
#ifndef CP_RE2_TREE_H
#define CP_RE2_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "regex/re2_text.h"

struct cp_re2;

struct cp_re2_node;

/* Initialize with { 0 }. */
struct cp_re2_tree {
    struct cp_re2_node *nodes;
    size_t n_nodes, nodes_cap;
    uint32_t
        *children; /* children of all nodes; those of one node are contiguous */
    size_t n_children, kids_cap;
    struct cp_re2_text text; /* PCRE2 text of all leaves */
    size_t repeats;          /* product of all counts so far, up to a bound */
};

enum cp_re2_limit {
    CP_RE2_FITS = 0,
    CP_RE2_TOO_DEEP,
    CP_RE2_TOO_LARGE,
    CP_RE2_TOO_MANY_COPIES, /* the product of nested counts exceeds 1000 */
    CP_RE2_NO_MEMORY,
};

/*
 * Creates a leaf for one rune. With is_folded it matches both upper and lower
 * case.
 */
enum cp_re2_limit cp_re2_tree_rune(struct cp_re2_tree *t, uint32_t rune,
                                   bool is_folded, uint32_t *out);

/*
 * Creates a leaf for the text added to t->text since it had `from` bytes: a
 * class, an assertion, or nothing. is_char: it matches exactly one character.
 */
enum cp_re2_limit cp_re2_tree_leaf(struct cp_re2_tree *t, size_t from,
                                   bool is_char, bool is_folded, uint32_t *out);

/* Create the concatenation or the alternation of n parts. */
enum cp_re2_limit cp_re2_tree_concat(struct cp_re2_tree *t,
                                     const uint32_t *parts, size_t n,
                                     uint32_t *out);
enum cp_re2_limit cp_re2_tree_alternate(struct cp_re2_tree *t,
                                        const uint32_t *parts, size_t n,
                                        uint32_t *out);

/*
 * Repeats the part min to max times; max is -1 for unlimited. is_counted
 * distinguishes {0,} from *, as RE2 does when it adds up sizes.
 */
struct cp_re2_repeat {
    int min, max;
    bool is_counted;
};
enum cp_re2_limit cp_re2_tree_repeat(struct cp_re2_tree *t, uint32_t part,
                                     struct cp_re2_repeat repeat_count,
                                     uint32_t *out);

/* Records that the node is in a capturing group, which adds to the height. */
enum cp_re2_limit cp_re2_tree_capture(struct cp_re2_tree *t, uint32_t node);

/* Writes the pattern of root, as cp_re2_init does. */
enum cp_status cp_re2_tree_write(const struct cp_re2_tree *t, uint32_t root,
                                 struct cp_re2 *out, struct cp_error *err);

void cp_re2_tree_release(struct cp_re2_tree *t);

#endif
