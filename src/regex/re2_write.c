/*
 * re2_write.c - writes the tree as a PCRE2 pattern; see re2_tree.h.
 *
 * The pattern is for PCRE2_DOTALL and PCRE2_MULTILINE, which the leaves
 * count on, and without PCRE2_CASELESS: (?i) and (?-i) are written where
 * folding changes between one leaf that has case and the next. PCRE2 forgets
 * such a setting at the end of its group, as the writer does.
 *
 * Repetitions straight within each other, as in (a*)*, become one: they mean
 * the same, and a backtracking matcher would try exponentially many ways.
 *
 * x+ is written xx*, because PCRE2's other matcher (see pcre.c) counts the
 * turns of x+ and then takes places in the text for places in the pattern.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "regex/re2.h"
#include "regex/re2_node.h"
#include "regex/re2_text.h"
#include "regex/re2_tree.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct writer {
    const struct cp_re2_tree *tree;
    struct cp_re2_text *out;
    bool is_folded; /* as PCRE2 has it at this place */
};

static void write_node(struct writer *w, const struct cp_re2_node *node);

static const struct cp_re2_node *kid(const struct writer *w,
                                     const struct cp_re2_node *node, size_t i)
{
    return &w->tree->nodes[w->tree->kids[node->first + i]];
}

static void set_fold(struct writer *w, const struct cp_re2_node *node)
{
    if (!node->has_case || w->is_folded == node->is_folded)
        return;
    cp_re2_text_add(w->out, node->is_folded ? "(?i)" : "(?-i)");
    w->is_folded = node->is_folded;
}

static void write_rune(struct writer *w, const struct cp_re2_node *node)
{
    if (node->rune >> 11 == 0x1b) {
        cp_re2_text_add(w->out, "[^\\p{Any}]"); /* no text has surrogates */
        return;
    }
    set_fold(w, node);
    cp_re2_text_add_rune(w->out, node->rune);
}

static void write_leaf(struct writer *w, const struct cp_re2_node *node)
{
    if (node->n == 0)
        return;
    set_fold(w, node);
    cp_re2_text_add_bytes(w->out, w->tree->text.data + node->first, node->n);
}

static void write_group(struct writer *w, const struct cp_re2_node *node)
{
    bool outside = w->is_folded;

    cp_re2_text_add(w->out, "(?:");
    write_node(w, node);
    cp_re2_text_add(w->out, ")");
    w->is_folded = outside;
}

static void write_concat(struct writer *w, const struct cp_re2_node *node)
{
    for (size_t i = 0; i < node->n; i++) {
        const struct cp_re2_node *part = kid(w, node, i);

        if (part->kind == CP_RE2_ALTERNATE)
            write_group(w, part);
        else
            write_node(w, part);
    }
}

static void write_alternate(struct writer *w, const struct cp_re2_node *node)
{
    for (size_t i = 0; i < node->n; i++) {
        if (i > 0)
            cp_re2_text_add(w->out, "|");
        write_node(w, kid(w, node, i));
    }
}

/* ?, * or +, or a count that says the same. */
static bool is_simple(struct cp_re2_repeat how)
{
    return how.min <= 1 && (how.max < 0 || how.max == 1);
}

static void write_counts(struct cp_re2_text *out, struct cp_re2_repeat how)
{
    char counts[32] = "";

    if (how.max < 0 && how.min <= 1)
        cp_re2_text_add(out, how.min ? "+" : "*");
    else if (how.max < 0)
        (void)snprintf(counts, sizeof(counts), "{%d,}", how.min);
    else
        (void)snprintf(counts, sizeof(counts), "{%d,%d}", how.min, how.max);
    cp_re2_text_add(out, counts);
}

static void write_repeat(struct writer *w, const struct cp_re2_node *node)
{
    struct cp_re2_repeat how = node->repeat;
    const struct cp_re2_node *part = kid(w, node, 0);

    while (part->kind == CP_RE2_REPEAT && is_simple(how) &&
           is_simple(part->repeat)) {
        how.min = how.min && part->repeat.min;
        how.max = how.max < 0 || part->repeat.max < 0 ? -1 : 1;
        part = kid(w, part, 0);
    }
    if (part->is_char)
        write_node(w, part);
    else
        write_group(w, part);
    if (part->is_char && how.min == 1 && how.max < 0) {
        write_node(w, part);
        how.min = 0;
    }
    write_counts(w->out, how);
}

static void write_node(struct writer *w, const struct cp_re2_node *node)
{
    switch (node->kind) {
    case CP_RE2_RUNE:
        write_rune(w, node);
        break;
    case CP_RE2_LEAF:
        write_leaf(w, node);
        break;
    case CP_RE2_CONCAT:
        write_concat(w, node);
        break;
    case CP_RE2_ALTERNATE:
        write_alternate(w, node);
        break;
    case CP_RE2_REPEAT:
        write_repeat(w, node);
        break;
    }
}

/* U+FFFD is not plain: RE2 lets it match a byte that is no UTF-8. */
static bool is_plain(const struct cp_re2_node *node)
{
    return node->kind == CP_RE2_RUNE && !(node->is_folded && node->has_case) &&
           node->rune >> 11 != 0x1b && node->rune != CP_UTF8_REPLACEMENT;
}

static void add_utf8(struct cp_re2_text *out, uint32_t rune)
{
    char bytes[4];

    cp_re2_text_add_bytes(out, bytes, cp_utf8_encode(rune, bytes));
}

/* If the pattern is a plain string adds its bytes; else adds nothing. */
static bool write_literal(const struct cp_re2_tree *t, uint32_t node,
                          struct cp_re2_text *out)
{
    const struct cp_re2_node *root = &t->nodes[node];
    const uint32_t *kids;

    if (is_plain(root)) {
        add_utf8(out, root->rune);
        return true;
    }
    if (root->kind == CP_RE2_LEAF)
        return root->n == 0;
    if (root->kind != CP_RE2_CONCAT)
        return false;
    kids = t->kids + root->first;
    for (size_t i = 0; i < root->n; i++)
        if (!is_plain(&t->nodes[kids[i]]))
            return false;
    for (size_t i = 0; i < root->n; i++)
        add_utf8(out, t->nodes[kids[i]].rune);
    return true;
}

/* Writes a branch so that it does not matter what stands before it. */
static void write_branch(const struct cp_re2_tree *t,
                         const struct cp_re2_node *node,
                         struct cp_re2_text *out)
{
    struct writer w = { t, out, false };

    write_node(&w, node);
    if (w.is_folded)
        cp_re2_text_add(out, "(?-i)"); /* it would reach past the next | */
}

/* Writes all branches one after the other and notes where each starts. */
static enum cp_status write_branches(const struct cp_re2_tree *t, uint32_t root,
                                     struct cp_re2 *re2,
                                     struct cp_re2_text *text)
{
    const struct cp_re2_node *node = &t->nodes[root];
    bool is_alternate = node->kind == CP_RE2_ALTERNATE;

    re2->n_branches = is_alternate ? node->n : 1;
    re2->branches = cp_alloc(re2->n_branches, sizeof(*re2->branches), NULL);
    if (!re2->branches)
        return CP_ENOMEM;
    for (size_t i = 0; i < re2->n_branches; i++) {
        if (i > 0)
            cp_re2_text_add(text, "|");
        re2->branches[i] = text->len;
        if (is_alternate)
            node = &t->nodes[t->kids[t->nodes[root].first + i]];
        write_branch(t, node, text);
    }
    return CP_OK;
}

enum cp_status cp_re2_tree_write(const struct cp_re2_tree *t, uint32_t root,
                                 struct cp_re2 *out, struct cp_error *err)
{
    struct cp_re2 re2 = { .size = t->nodes[root].size };
    struct cp_re2_text text = { 0 };
    enum cp_status status = CP_OK;

    re2.is_literal = write_literal(t, root, &text);
    if (!re2.is_literal)
        status = write_branches(t, root, &re2, &text);
    if (text.len == 0)
        re2.is_literal = true; /* as is ()(), of which nothing is left */
    re2.text = text.data;
    re2.len = text.len;
    if (status != CP_OK || text.is_short) {
        cp_re2_release(&re2);
        return cp_error_nomem(err);
    }
    *out = re2;
    return CP_OK;
}
