/*
 * re2_node - the nodes of the tree, for re2_tree.c and re2_write.c only; other
 * code uses re2_tree.h.
 */
#ifndef CP_RE2_NODE_H
#define CP_RE2_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "regex/re2_tree.h"

enum cp_re2_kind {
    CP_RE2_RUNE,
    CP_RE2_LEAF, /* final PCRE2 text */
    CP_RE2_CONCAT,
    CP_RE2_ALTERNATE,
    CP_RE2_REPEAT,
};

struct cp_re2_node {
    enum cp_re2_kind kind;
    bool is_captured;
    bool is_folded;
    bool has_case;  /* whether is_folded makes a difference */
    bool is_char;   /* matches exactly one character, so a repetition needs no
                       group */
    bool is_string; /* a rune, or a concatenation of runes with equal folding */
    uint32_t rune;
    size_t first; /* first index in kids; for a LEAF first byte of text */
    size_t n;     /* number of kids; for a LEAF bytes of text */
    struct cp_re2_repeat repeat;
    unsigned height; /* height of the subtree, this node included */
    int copies;      /* largest product of nested counts */
    uint64_t size;   /* states, as RE2 counts them */
};

#endif
