/*
 * re2_node - what a node of the tree holds; for re2_tree.c, which makes
 * nodes, and re2_write.c, which writes them as PCRE2. Others see re2_tree.h.
 */
#ifndef CP_RE2_NODE_H
#define CP_RE2_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "regex/re2_tree.h"

enum cp_re2_kind {
    CP_RE2_RUNE,
    CP_RE2_LEAF, /* ready PCRE2 text */
    CP_RE2_CONCAT,
    CP_RE2_ALTERNATE,
    CP_RE2_REPEAT,
};

struct cp_re2_node {
    enum cp_re2_kind kind;
    bool is_captured;
    bool is_folded;
    bool has_case;  /* is_folded makes a difference */
    bool is_char;   /* takes exactly one character: can be repeated bare */
    bool is_string; /* a rune, or a concatenation of runes folded alike */
    uint32_t rune;
    size_t first; /* into kids, or text of a LEAF */
    size_t n;     /* kids, or bytes of text */
    struct cp_re2_repeat repeat;
    unsigned height; /* of the tree below, this node included */
    int copies;      /* largest product of nested counts */
    uint64_t size;   /* states, as RE2 counts them */
};

#endif
