/*
 * re2_tree - a parsed RE2 pattern, RE2's limits on it, and how PCRE2 has it.
 *
 * The parser (re2.c) builds the tree from the leaves up. Only whether a text
 * matches is ever asked, so groups do not capture and all repetition is
 * greedy: neither changes that answer. Nodes are named by number and are
 * never freed singly. One thread at a time.
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

/* Starts as zeros. */
struct cp_re2_tree {
    struct cp_re2_node *nodes;
    size_t n_nodes, nodes_cap;
    uint32_t *kids; /* children of all nodes, each node's in one run */
    size_t n_kids, kids_cap;
    struct cp_re2_text text; /* the PCRE2 text of all leaves */
    size_t repeats;          /* product of all counts seen, up to a bound */
};

enum cp_re2_limit {
    CP_RE2_FITS = 0,
    CP_RE2_TOO_DEEP,
    CP_RE2_TOO_LARGE,
    CP_RE2_TOO_MANY_COPIES, /* nested counts multiply to over 1000 */
    CP_RE2_NO_MEMORY,
};

/* A leaf for one rune. With is_folded its other cases match too. */
enum cp_re2_limit cp_re2_tree_rune(struct cp_re2_tree *t, uint32_t rune,
                                   bool is_folded, uint32_t *out);

/*
 * A leaf for the text added to t->text since it had `from` bytes: a class,
 * an assertion, or nothing at all. is_char: it always takes one character.
 */
enum cp_re2_limit cp_re2_tree_leaf(struct cp_re2_tree *t, size_t from,
                                   bool is_char, bool is_folded, uint32_t *out);

/* The n parts one after the other, or one of the n alternatives. */
enum cp_re2_limit cp_re2_tree_concat(struct cp_re2_tree *t,
                                     const uint32_t *parts, size_t n,
                                     uint32_t *out);
enum cp_re2_limit cp_re2_tree_alternate(struct cp_re2_tree *t,
                                        const uint32_t *parts, size_t n,
                                        uint32_t *out);

/*
 * The part min to max times; max is -1 for no bound. is_counted tells {0,}
 * from *, which RE2 does when it adds up sizes.
 */
struct cp_re2_repeat {
    int min, max;
    bool is_counted;
};
enum cp_re2_limit cp_re2_tree_repeat(struct cp_re2_tree *t, uint32_t part,
                                     struct cp_re2_repeat how, uint32_t *out);

/* Notes that the node stands in a capturing group, which counts as a level. */
enum cp_re2_limit cp_re2_tree_capture(struct cp_re2_tree *t, uint32_t node);

/* Writes the pattern that root stands for; as cp_re2_init. */
enum cp_status cp_re2_tree_write(const struct cp_re2_tree *t, uint32_t root,
                                 struct cp_re2 *out, struct cp_error *err);

void cp_re2_tree_release(struct cp_re2_tree *t);

#endif
