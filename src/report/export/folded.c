/*
 * folded.c - the report "folded": collapsed stacks, "root;child;leaf value".
 *
 * Lines are sorted by the bytes of their stack, so that two outputs can be
 * compared with diff. Comparing the text of whole stacks would be slow. Instead
 * each name gets two sort keys, one if ';' follows it and one if the stack ends
 * there. A multikey quicksort compares one frame at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pieces.h"
#include "report/core/formats.h"
#include "report/graph/stacks.h"

#define PIECE_STACKS 2048
#define MAX_INSERTION_SORT 12 /* entries; smaller ranges use insertion sort */

struct entry {
    struct cp_cursor at;
    uint32_t key; /* key of the current frame */
};

struct range {
    uint32_t from, n;
};

struct folder {
    struct cp_stacks stacks;
    uint32_t *inner, *leaf; /* keys by name: for inner frames, for leaves */
    struct entry *entries;
    uint32_t n_entries;
    struct range *todo; /* ranges not yet sorted */
    size_t n_todo, cap_todo;
};

/* Replaces ';' and line breaks, which separate frames and stacks. */
static void clean_name(char *name, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (name[i] == ';')
            name[i] = ':';
        else if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
            name[i] = ' ';
    }
}

/* A name, followed by ';' or by the end. */
struct piece {
    struct cp_str name;
    uint32_t *key;
    bool is_leaf;
};

static int by_text(const void *x, const void *y)
{
    const struct piece *a = x, *b = y;
    uint32_t n = a->name.len < b->name.len ? a->name.len : b->name.len;
    int order = memcmp(a->name.ptr, b->name.ptr, n);
    int next_a = a->is_leaf ? -1 : ';', next_b = b->is_leaf ? -1 : ';';

    if (order != 0)
        return order;
    if (n < a->name.len)
        next_a = (unsigned char)a->name.ptr[n];
    if (n < b->name.len)
        next_b = (unsigned char)b->name.ptr[n];
    return next_a - next_b;
}

static enum cp_status order_names(struct folder *f, struct cp_error *err)
{
    const struct cp_strtab *names = &f->stacks.names;
    struct piece *pieces = cp_alloc(names->n, 2 * sizeof(*pieces), err);

    f->inner = cp_alloc(names->n, sizeof(*f->inner), err);
    f->leaf = cp_alloc(names->n, sizeof(*f->leaf), err);
    if (!pieces || !f->inner || !f->leaf) {
        cp_free(pieces);
        return CP_ENOMEM;
    }
    for (uint32_t i = 0; i < names->n; i++) {
        pieces[2 * i] = (struct piece){ names->items[i], &f->inner[i], false };
        pieces[2 * i + 1] =
            (struct piece){ names->items[i], &f->leaf[i], true };
    }
    qsort(pieces, (size_t)names->n * 2, sizeof(*pieces), by_text);
    for (uint32_t i = 0; i < names->n * 2; i++)
        *pieces[i].key = i;
    cp_free(pieces);
    return CP_OK;
}

static void set_key(const struct folder *f, struct entry *e)
{
    if (e->at.name == CP_NONE)
        e->key = CP_NONE;
    else
        e->key = cp_cursor_is_leaf(&e->at) ? f->leaf[e->at.name]
                                           : f->inner[e->at.name];
}

/* Lists the stacks that have a value. */
static enum cp_status list_entries(struct folder *f, struct cp_error *err)
{
    const struct cp_stacks *s = &f->stacks;

    f->entries = cp_alloc(s->n_stacks, sizeof(*f->entries), err);
    if (!f->entries)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < s->n_stacks; i++) {
        struct entry *e = &f->entries[f->n_entries];

        if (cp_stacks_value(s, i) == 0)
            continue;
        e->at = cp_cursor_at_root(s, i);
        set_key(f, e);
        f->n_entries++;
    }
    return CP_OK;
}

/* Whether a sorts before b; both are equal up to their current frame. */
static bool is_before(const struct folder *f, struct entry a, struct entry b)
{
    while (a.key == b.key && a.key != CP_NONE) {
        cp_cursor_next(&f->stacks, &a.at);
        cp_cursor_next(&f->stacks, &b.at);
        set_key(f, &a);
        set_key(f, &b);
    }
    return a.key < b.key;
}

static void insertion_sort(const struct folder *f, struct range r)
{
    struct entry *e = f->entries + r.from;

    for (uint32_t i = 1; i < r.n; i++) {
        struct entry moving = e[i];
        uint32_t j = i;

        for (; j > 0 && is_before(f, moving, e[j - 1]); j--)
            e[j] = e[j - 1];
        e[j] = moving;
    }
}

static uint32_t middle(uint32_t a, uint32_t b, uint32_t c)
{
    if (a > b)
        return middle(b, a, c);
    return c < a ? a : c > b ? b : c;
}

/* Partitions into lower, equal and higher keys; returns the equal range. */
static struct range partition(struct entry *e, struct range r)
{
    uint32_t low = r.from, high = r.from + r.n, i = low;
    uint32_t pivot = middle(e[low].key, e[low + r.n / 2].key, e[high - 1].key);

    while (i < high) {
        struct entry here = e[i];

        if (here.key < pivot) {
            e[i++] = e[low];
            e[low++] = here;
        } else if (here.key > pivot) {
            e[i] = e[--high];
            e[high] = here;
        } else {
            i++;
        }
    }
    return (struct range){ low, high - low };
}

static enum cp_status queue_range(struct folder *f, struct range r,
                                  struct cp_error *err)
{
    if (r.n < 2)
        return CP_OK;
    if (cp_reserve(&f->todo, &f->cap_todo, f->n_todo + 1, sizeof(*f->todo),
                   err) != CP_OK)
        return CP_ENOMEM;
    f->todo[f->n_todo++] = r;
    return CP_OK;
}

/* Sorts a range by its current frame and queues its parts. */
static enum cp_status sort_step(struct folder *f, struct range r,
                                struct cp_error *err)
{
    struct range equal = partition(f->entries, r);
    uint32_t end = equal.from + equal.n;

    if (queue_range(f, (struct range){ r.from, equal.from - r.from }, err) !=
            CP_OK ||
        queue_range(f, (struct range){ end, r.from + r.n - end }, err) != CP_OK)
        return CP_ENOMEM;
    for (uint32_t i = equal.from; i < end; i++) {
        cp_cursor_next(&f->stacks, &f->entries[i].at);
        set_key(f, &f->entries[i]);
    }
    return queue_range(f, equal, err);
}

static enum cp_status sort_entries(struct folder *f, struct cp_error *err)
{
    enum cp_status status =
        queue_range(f, (struct range){ 0, f->n_entries }, err);

    while (status == CP_OK && f->n_todo > 0) {
        struct range r = f->todo[--f->n_todo];

        if (r.n <= MAX_INSERTION_SORT)
            insertion_sort(f, r);
        else
            status = sort_step(f, r, err);
    }
    return status;
}

static void write_some(const void *context, struct cp_piece piece,
                       struct cp_out *out)
{
    const struct folder *f = context;
    const struct cp_stacks *s = &f->stacks;

    for (uint32_t i = piece.from; i < piece.to; i++) {
        uint32_t stack = f->entries[i].at.stack;
        struct cp_cursor at = cp_cursor_at_root(s, stack);

        for (; at.name != CP_NONE; cp_cursor_next(s, &at)) {
            cp_out_str(out, s->names.items[at.name]);
            cp_out_char(out, cp_cursor_is_leaf(&at) ? ' ' : ';');
        }
        cp_out_i64(out, cp_stacks_value(s, stack));
        cp_out_char(out, '\n');
    }
}

enum cp_status cp_write_folded(struct cp_report *r, struct cp_out *out,
                               struct cp_error *err)
{
    struct folder f = { 0 };
    enum cp_status status = cp_stacks_init(&f.stacks, r, clean_name, err);

    if (status != CP_OK)
        return status;
    status = order_names(&f, err);
    if (status == CP_OK)
        status = list_entries(&f, err);
    if (status == CP_OK)
        status = sort_entries(&f, err);
    if (status == CP_OK)
        status = cp_pieces_write(f.n_entries, PIECE_STACKS, write_some, &f, out,
                                 err);
    cp_free(f.todo);
    cp_free(f.entries);
    cp_free(f.inner);
    cp_free(f.leaf);
    cp_stacks_release(&f.stacks);
    return status;
}
