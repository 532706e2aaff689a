/*
 * dwarf_functions.c - walks the entries of a unit to find functions.
 *
 * The entries of a unit form a tree in pre-order; code 0 ends the children of
 * an entry. DW_AT_sibling allows whole subtrees to be skipped. A first walk
 * visits only the top level, where nearly all functions are, and ends when
 * every address has its function. If addresses are left, a second walk visits
 * all entries (functions in functions, classes and namespaces).
 *
 * Below a function that contains addresses, inlined calls and blocks that
 * contain none are skipped too.
 */
#include "symbol/dwarf/dwarf_functions.h"

#include "base/alloc.h"
#include "base/search.h"
#include "symbol/dwarf/dwarf_names.h"
#include "symbol/dwarf/dwarf_ranges.h"
#include "symbol/dwarf/dwarf_worker.h"

#define MAX_DEPTH 65536
#define MAX_LEVEL 255
#define RECORD_FUEL 64

struct walk {
    struct cp_worker *w;
    const struct cp_dwarf_unit *unit;
    const struct cp_abbrevs *abbrevs;
    struct cp_cursor c;
    const uint64_t *sorted;
    size_t n;
    size_t n_left;     /* addresses without a function */
    bool uses_sibling; /* whether the walk skips subtrees by DW_AT_sibling */
    bool has_jumped;
    bool is_out_of_memory;
    size_t depth;                  /* number of open entries */
    struct cp_function_list *list; /* list to fill, or NULL */
};

static void fetch_unit(const struct cp_dwarf_unit *u)
{
    cp_dwarf_fetch(&u->dwarf->part[CP_DWARF_INFO], u->start,
                   (size_t)(u->end - u->start));
}

/* Attributes of an entry with code. */
struct code_entry {
    struct cp_code code;
    uint32_t call_file, call_line, call_column;
};

static void read_code_entry(struct walk *k, const struct cp_abbrev *a,
                            struct code_entry *out)
{
    *out = (struct code_entry){ 0 };
    for (unsigned i = 0; i < a->n_attrs; i++) {
        const struct cp_attr *attr = &k->abbrevs->attrs[a->first_attr + i];
        struct cp_value v = { 0 };

        switch (attr->name) {
        case DW_AT_low_pc:
            cp_form_read(k->unit, attr, &k->c, &out->code.low);
            break;
        case DW_AT_high_pc:
            cp_form_read(k->unit, attr, &k->c, &out->code.high);
            break;
        case DW_AT_ranges:
            cp_form_read(k->unit, attr, &k->c, &out->code.ranges);
            break;
        case DW_AT_call_file:
            cp_form_read(k->unit, attr, &k->c, &v);
            out->call_file = (uint32_t)v.number;
            break;
        case DW_AT_call_line:
            cp_form_read(k->unit, attr, &k->c, &v);
            out->call_line = (uint32_t)v.number;
            break;
        case DW_AT_call_column:
            cp_form_read(k->unit, attr, &k->c, &v);
            out->call_column = (uint32_t)v.number;
            break;
        default:
            if (attr->size != CP_ABBREV_VARIES)
                cp_cursor_skip(&k->c, attr->size);
            else
                cp_form_skip(k->unit, attr->form, &k->c);
            break;
        }
    }
}

/* Returns the index of the first address >= `address`. */
static size_t first_from(const struct walk *k, uint64_t address)
{
    return cp_search_from(k->sorted, sizeof(*k->sorted), k->n, address);
}

/* Whether the entry's code contains any of the addresses. */
static bool holds_any(struct walk *k, const struct cp_code *code)
{
    struct cp_ranges r;

    cp_ranges_init(&r, k->unit, code, &k->w->fuel);
    while (cp_ranges_next(&r)) {
        size_t i = first_from(k, r.low);

        if (i < k->n && k->sorted[i] < r.high)
            return true;
    }
    return false;
}

/* Returns the record that would call an entry at this inlining level. */
static uint32_t outer_of(const struct walk *k, uint32_t head, uint32_t level)
{
    while (head != CP_NO_RECORD && k->w->records[head].level >= level)
        head = k->w->records[head].outer;
    return head;
}

static uint32_t add_record(struct walk *k, const struct cp_record *record)
{
    struct cp_worker *w = k->w;

    w->fuel -= RECORD_FUEL;
    if (w->fuel < 0)
        return CP_NO_RECORD;
    if (cp_reserve(&w->records, &w->records_cap, w->n_records + 1,
                   sizeof(*w->records), NULL) != CP_OK) {
        k->is_out_of_memory = true;
        return CP_NO_RECORD;
    }
    w->records[w->n_records] = *record;
    return (uint32_t)w->n_records++;
}

/*
 * Makes the entry the innermost record of the addresses [from, to). Addresses
 * with the same caller share a record.
 */
static void claim(struct walk *k, const struct cp_record *model, size_t from,
                  size_t to)
{
    uint32_t *heads = k->w->heads;
    uint32_t last_outer = CP_NO_RECORD, last = CP_NO_RECORD;

    for (size_t i = from; i < to; i++) {
        struct cp_record record = *model;

        record.outer = outer_of(k, heads[i], model->level);
        if (model->level > 0 && record.outer == CP_NO_RECORD)
            continue; /* inlined into a function without code here */
        if (last == CP_NO_RECORD || record.outer != last_outer) {
            last_outer = record.outer;
            last = add_record(k, &record);
        }
        if (last == CP_NO_RECORD)
            return;
        k->n_left -= heads[i] == CP_NO_RECORD;
        heads[i] = last;
    }
}

/* Claims all addresses in the entry's code; false if there are none. */
static bool claim_code(struct walk *k, const struct code_entry *e,
                       const uint8_t *entry, uint32_t level)
{
    struct cp_record model = { .entry = entry,
                               .level = level,
                               .call_file = e->call_file,
                               .call_line = e->call_line,
                               .call_column = e->call_column };
    bool is_any = false;
    struct cp_ranges r;

    cp_ranges_init(&r, k->unit, &e->code, &k->w->fuel);
    while (cp_ranges_next(&r)) {
        size_t from = first_from(k, r.low), to = from;

        while (to < k->n && k->sorted[to] < r.high)
            to++;
        if (to > from) {
            is_any = true;
            claim(k, &model, from, to);
        }
    }
    return is_any;
}

/* Enters the children of an entry; false if nested too deep. */
static bool open_children(struct walk *k, uint8_t level)
{
    struct cp_worker *w = k->w;

    if (k->depth >= MAX_DEPTH)
        return false;
    if (cp_reserve(&w->levels, &w->levels_cap, k->depth + 1, 1, NULL) !=
        CP_OK) {
        k->is_out_of_memory = true;
        return false;
    }
    w->levels[k->depth++] = level;
    return true;
}

/* Jumps to the next sibling, from the start of the attributes. */
static bool jump(struct walk *k, const struct cp_abbrev *a,
                 const struct cp_cursor *attrs)
{
    const uint8_t *sibling;

    if (!a->has_sibling)
        return false;
    sibling = cp_form_sibling(k->unit, k->abbrevs, a, attrs);
    if (!sibling || sibling < k->c.pos)
        return false;
    k->c.pos = sibling;
    return true;
}

/* Skips all children of an entry; its attributes are already skipped. */
static void pass_children(struct walk *k)
{
    size_t depth = 1;

    while (depth > 0 && k->c.pos < k->c.end) {
        uint64_t code = cp_cursor_uleb(&k->c);
        const struct cp_abbrev *a;

        if (code == 0) {
            depth--;
            continue;
        }
        a = cp_abbrev_of(k->abbrevs, code);
        if (!a) {
            cp_cursor_fail(&k->c);
            return;
        }
        if (a->has_children && jump(k, a, &k->c))
            continue;
        cp_form_skip_entry(k->unit, k->abbrevs, a, &k->c);
        depth += a->has_children;
    }
}

/* Skips an irrelevant entry, and enters its children if the walk needs them. */
static bool pass(struct walk *k, const struct cp_abbrev *a, uint8_t level)
{
    bool may_jump = a->kind == CP_ABBREV_LEAF ||
                    (k->uses_sibling && a->kind != CP_ABBREV_SCOPE);

    if (a->has_children && may_jump && jump(k, a, &k->c)) {
        k->has_jumped |= a->kind != CP_ABBREV_LEAF;
        return true;
    }
    cp_form_skip_entry(k->unit, k->abbrevs, a, &k->c);
    if (!a->has_children)
        return true;
    if (a->kind == CP_ABBREV_LEAF) {
        pass_children(k);
        return true;
    }
    return open_children(k, level);
}

/*
 * Handles a function, or an entry with code below a function that contains
 * addresses. Returns false to end the walk.
 */
static bool visit(struct walk *k, const struct cp_abbrev *a,
                  const uint8_t *entry, uint8_t level)
{
    struct cp_cursor attrs = k->c;
    struct code_entry e;
    bool is_held;

    read_code_entry(k, a, &e);
    if (a->kind == CP_ABBREV_FUNCTION) {
        level = 0;
        is_held = claim_code(k, &e, entry, 0);
    } else if (a->kind == CP_ABBREV_INLINED) {
        level = level < MAX_LEVEL ? (uint8_t)(level + 1) : MAX_LEVEL;
        is_held = claim_code(k, &e, entry, level);
    } else {
        is_held = holds_any(k, &e.code);
    }
    if (!a->has_children)
        return k->depth > 1 || k->n_left > 0;
    if (is_held)
        return open_children(k, level);
    if (k->uses_sibling && jump(k, a, &attrs)) {
        k->has_jumped |= a->kind == CP_ABBREV_FUNCTION;
        return true;
    }
    if (k->uses_sibling && a->kind != CP_ABBREV_FUNCTION) {
        pass_children(k);
        return true;
    }
    return open_children(k, level);
}

/* Adds the code of a function to the list, if all functions are listed. */
static void list(struct walk *k, const struct cp_abbrev *a,
                 const uint8_t *entry)
{
    struct cp_function_list *l = k->list;
    struct cp_cursor attrs = k->c;
    struct code_entry e;
    struct cp_ranges r;

    read_code_entry(k, a, &e);
    k->c = attrs;
    cp_ranges_init(&r, k->unit, &e.code, &k->w->fuel);
    while (cp_ranges_next(&r)) {
        if (l->n >= l->max_items ||
            cp_reserve(&l->items, &l->cap, l->n + 1, sizeof(*l->items), NULL) !=
                CP_OK) {
            l->is_incomplete = true;
            return;
        }
        l->items[l->n++] = (struct cp_function_range){ r.low, r.high, entry };
    }
}

/* Handles the next entry; false ends the walk. */
static bool step(struct walk *k)
{
    const uint8_t *entry = k->c.pos;
    uint64_t code = cp_cursor_uleb(&k->c);
    uint8_t level = k->w->levels[k->depth - 1];
    const struct cp_abbrev *a;

    if (code == 0) {
        k->depth--;
        return k->depth > 0 && (k->depth > 1 || k->n_left > 0);
    }
    a = cp_abbrev_of(k->abbrevs, code);
    if (!a)
        return false;
    if (k->list && a->kind == CP_ABBREV_FUNCTION)
        list(k, a, entry);
    else if (!k->list &&
             (a->kind == CP_ABBREV_FUNCTION || a->kind == CP_ABBREV_INLINED ||
              a->kind == CP_ABBREV_BLOCK))
        return visit(k, a, entry, level);
    return pass(k, a, level);
}

/* Walks the children of the root. */
static void walk_unit(struct walk *k)
{
    const struct cp_abbrev *a;
    bool goes_on;

    fetch_unit(k->unit);
    k->c = (struct cp_cursor){ k->unit->dies, k->unit->end, false };
    k->depth = 0;
    a = cp_abbrev_of(k->abbrevs, cp_cursor_uleb(&k->c));
    if (!a || !a->has_children)
        return;
    cp_form_skip_entry(k->unit, k->abbrevs, a, &k->c);
    goes_on = open_children(k, 0);
    while (goes_on && k->c.pos < k->c.end)
        goes_on = step(k);
}

/* Walks one function and its children. */
static void walk_function(struct walk *k, const uint8_t *entry)
{
    bool goes_on;

    fetch_unit(k->unit);
    k->c = (struct cp_cursor){ entry, k->unit->end, false };
    k->depth = 0;
    if (!open_children(k, 0))
        return;
    do
        goes_on = step(k);
    while (goes_on && k->depth > 1 && k->c.pos < k->c.end);
}

/* Prepares the worker for n addresses; false if there is nothing to do. */
static bool begin(struct walk *k, struct cp_worker *w)
{
    w->n_records = 0;
    if (cp_reserve(&w->heads, &w->heads_cap, k->n, sizeof(*w->heads), NULL) !=
        CP_OK) {
        k->is_out_of_memory = true;
        return false;
    }
    for (size_t i = 0; i < k->n; i++)
        w->heads[i] = CP_NO_RECORD;
    k->abbrevs = cp_abbrev_table(&w->abbrevs, k->unit);
    return k->abbrevs && k->n > 0;
}

enum cp_status cp_functions_find(struct cp_worker *w,
                                 const struct cp_dwarf_unit *u,
                                 const uint64_t *sorted, size_t n)
{
    struct walk k = { .w = w,
                      .unit = u,
                      .sorted = sorted,
                      .n = n,
                      .n_left = n,
                      .uses_sibling = true };

    if (begin(&k, w)) {
        walk_unit(&k);
        if (k.n_left > 0 && k.has_jumped && !k.is_out_of_memory) {
            k.uses_sibling = false;
            walk_unit(&k);
        }
    }
    return k.is_out_of_memory ? CP_ENOMEM : CP_OK;
}

enum cp_status cp_functions_find_in(struct cp_worker *w,
                                    const struct cp_dwarf_unit *u,
                                    const uint64_t *sorted, size_t n,
                                    const struct cp_function_list *functions)
{
    struct walk k = { .w = w,
                      .unit = u,
                      .sorted = sorted,
                      .n = n,
                      .n_left = n,
                      .uses_sibling = true };
    const uint8_t *last = NULL;

    if (begin(&k, w))
        for (size_t i = 0; i < n; i++) {
            const uint8_t *entry = cp_function_at(functions, sorted[i]);

            if (entry && entry != last && w->heads[i] == CP_NO_RECORD)
                walk_function(&k, entry);
            last = entry;
        }
    return k.is_out_of_memory ? CP_ENOMEM : CP_OK;
}

bool cp_functions_list(struct cp_worker *w, const struct cp_dwarf_unit *u,
                       struct cp_function_list *out)
{
    struct walk k = { .w = w, .unit = u, .n_left = 1, .list = out };

    out->n = 0;
    out->is_incomplete = false;
    k.abbrevs = cp_abbrev_table(&w->abbrevs, u);
    if (!k.abbrevs)
        return false;
    walk_unit(&k);
    return !k.is_out_of_memory && !out->is_incomplete && cp_function_sort(out);
}
