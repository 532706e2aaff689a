/*
 * re2_write.c - writes the tree as a PCRE2 pattern.
 *
 * The pattern requires PCRE2_DOTALL and PCRE2_MULTILINE, and no PCRE2_CASELESS:
 * (?i) and (?-i) are written where folding changes between two leaves with
 * case. PCRE2 restores the setting at the end of its group, and so does the
 * writer.
 *
 * Directly nested repetitions such as (a*)* become one. They are equivalent,
 * and a backtracking matcher would try exponentially many ways.
 *
 * x+ is written as xx*, because pcre2_dfa_match (pcre.c) counts the iterations
 * of x+ and then confuses positions in the text with positions in the pattern.
 */
#include "base/alloc.h"
#include "base/utf8.h"
#include "regex/re2.h"
#include "regex/re2_node.h"

#include <stdio.h>

struct writer {
    const struct cp_re2_tree *tree;
    struct cp_re2_text *out;
    bool is_folded; /* PCRE2's current setting */
};

static void write_node(struct writer *w, const struct cp_re2_node *node);

static const struct cp_re2_node *child(const struct writer *w,
                                       const struct cp_re2_node *node, size_t i)
{
    return &w->tree->nodes[w->tree->children[node->first + i]];
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
        cp_re2_text_add(w->out,
                        "[^\\p{Any}]"); /* no text contains surrogates */
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
        const struct cp_re2_node *part = child(w, node, i);

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
        write_node(w, child(w, node, i));
    }
}

/* Whether it is ?, * or +, or an equivalent count. */
static bool is_simple(struct cp_re2_repeat repeat_count)
{
    return repeat_count.min <= 1 &&
           (repeat_count.max < 0 || repeat_count.max == 1);
}

static void write_counts(struct cp_re2_text *out,
                         struct cp_re2_repeat repeat_count)
{
    char counts[32] = "";

    if (repeat_count.max < 0 && repeat_count.min <= 1)
        cp_re2_text_add(out, repeat_count.min ? "+" : "*");
    else if (repeat_count.max < 0)
        (void)snprintf(counts, sizeof(counts), "{%d,}", repeat_count.min);
    else
        (void)snprintf(counts, sizeof(counts), "{%d,%d}", repeat_count.min,
                       repeat_count.max);
    cp_re2_text_add(out, counts);
}

static void write_repeat(struct writer *w, const struct cp_re2_node *node)
{
    struct cp_re2_repeat repeat_count = node->repeat;
    const struct cp_re2_node *part = child(w, node, 0);

    while (part->kind == CP_RE2_REPEAT && is_simple(repeat_count) &&
           is_simple(part->repeat)) {
        repeat_count.min = repeat_count.min && part->repeat.min;
        repeat_count.max =
            repeat_count.max < 0 || part->repeat.max < 0 ? -1 : 1;
        part = child(w, part, 0);
    }
    if (part->is_char)
        write_node(w, part);
    else
        write_group(w, part);
    if (part->is_char && repeat_count.min == 1 && repeat_count.max < 0) {
        write_node(w, part);
        repeat_count.min = 0;
    }
    write_counts(w->out, repeat_count);
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

/*
 * Whether the node is literal. U+FFFD is not: in RE2 it also matches an invalid
 * byte.
 */
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

/*
 * Adds the bytes of the pattern if it is a plain string; otherwise adds
 * nothing.
 */
static bool write_literal(const struct cp_re2_tree *t, uint32_t node,
                          struct cp_re2_text *out)
{
    const struct cp_re2_node *root = &t->nodes[node];
    const uint32_t *children;

    if (is_plain(root)) {
        add_utf8(out, root->rune);
        return true;
    }
    if (root->kind == CP_RE2_LEAF)
        return root->n == 0;
    if (root->kind != CP_RE2_CONCAT)
        return false;
    children = t->children + root->first;
    for (size_t i = 0; i < root->n; i++)
        if (!is_plain(&t->nodes[children[i]]))
            return false;
    for (size_t i = 0; i < root->n; i++)
        add_utf8(out, t->nodes[children[i]].rune);
    return true;
}

/* Writes a branch independently of the settings before it. */
static void write_branch(const struct cp_re2_tree *t,
                         const struct cp_re2_node *node,
                         struct cp_re2_text *out)
{
    struct writer w = { t, out, false };

    write_node(&w, node);
    if (w.is_folded)
        cp_re2_text_add(
            out, "(?-i)"); /* otherwise it would apply beyond the next | */
}

/* Writes all branches and stores the start of each. */
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
            node = &t->nodes[t->children[t->nodes[root].first + i]];
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
        re2.is_literal = true; /* like ()(), which becomes empty */
    re2.text = text.data;
    re2.len = text.len;
    if (status != CP_OK || text.is_out_of_memory) {
        cp_re2_release(&re2);
        return cp_error_nomem(err);
    }
    *out = re2;
    return CP_OK;
}
