/*
 * tags.c - the report "tags": the total of each label value.
 *
 * Sums are made once per label set. tab_columns lays out the table; tabs and
 * newlines inside labels (SQL queries, for example) affect its layout.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/number.h"
#include "base/units.h"
#include "report/core/formats.h"
#include "report/core/report.h"
#include "report/text/tab_columns.h"

/* A value of a key, or the key itself (value CP_NONE). */
struct row {
    uint32_t key, value;
    int64_t sum;
    struct cp_str key_text, text;
};

struct tag_table {
    const struct cp_report *r;
    int64_t *sums; /* indexed by label set */
    struct row *rows;
    size_t n, cap;
    uint32_t *slots; /* row + 1; 0 means free */
    uint32_t mask;
    struct cp_strtab strings;
    struct cp_arena arena;
    struct cp_error *err;
};

static uint32_t *find_slot(const struct tag_table *t, uint32_t key,
                           uint32_t value)
{
    uint32_t i = (uint32_t)cp_hash_mix(key, value) & t->mask;

    while (t->slots[i] && (t->rows[t->slots[i] - 1].key != key ||
                           t->rows[t->slots[i] - 1].value != value))
        i = (i + 1) & t->mask;
    return &t->slots[i];
}

static enum cp_status grow(struct tag_table *t)
{
    uint32_t n = t->slots ? (t->mask + 1) * 2 : 256;

    if (cp_reserve(&t->rows, &t->cap, t->n + 1, sizeof(*t->rows), t->err) !=
        CP_OK)
        return CP_ENOMEM;
    if (t->slots && t->n < t->mask / 2)
        return CP_OK;
    cp_free(t->slots);
    t->slots = cp_alloc(n, sizeof(*t->slots), t->err);
    if (!t->slots)
        return CP_ENOMEM;
    t->mask = n - 1;
    for (size_t i = 0; i < t->n; i++)
        *find_slot(t, t->rows[i].key, t->rows[i].value) = (uint32_t)i + 1;
    return CP_OK;
}

static enum cp_status add(struct tag_table *t, uint32_t key, uint32_t value,
                          int64_t sum)
{
    uint32_t *slot;

    if (grow(t) != CP_OK)
        return CP_ENOMEM;
    slot = find_slot(t, key, value);
    if (!*slot) {
        t->rows[t->n++] = (struct row){ .key = key, .value = value };
        *slot = (uint32_t)t->n;
    }
    t->rows[*slot - 1].sum = cp_add(t->rows[*slot - 1].sum, sum);
    return CP_OK;
}

/* Returns the index in t->strings of a label's value as text. */
static uint32_t value_text(struct tag_table *t, const struct cp_label *l)
{
    const struct cp_report *r = t->r;
    struct cp_str text;
    char number[CP_LABEL_BYTES];

    if (l->str != CP_NONE) {
        text = cp_profile_str(r->profile, l->str);
        return cp_strtab_add(&t->strings, text.ptr, text.len, t->err);
    }
    cp_unit_label(l->num,
                  cp_profile_cstr(r->profile, r->label_units.unit[l->key]),
                  r->out_unit, number);
    return cp_strtab_add(&t->strings, number, strlen(number), t->err);
}

static enum cp_status add_set(struct tag_table *t,
                              const struct cp_label_set *set, int64_t sum)
{
    const struct cp_profile *p = t->r->profile;

    for (uint32_t i = 0; i < set->n_labels; i++) {
        const struct cp_label *l = &p->labels[set->labels + i];
        uint32_t text = value_text(t, l);

        if (text == CP_NO_STR || add(t, l->key, text, sum) != CP_OK ||
            add(t, l->key, CP_NONE, sum) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

static int by_key_then_sum(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = cp_str_cmp(x->key_text, y->key_text);

    if (order != 0)
        return order;
    if ((x->value == CP_NONE) != (y->value == CP_NONE))
        return x->value == CP_NONE ? -1 : 1;
    if (cp_abs(x->sum) != cp_abs(y->sum))
        return cp_abs(x->sum) > cp_abs(y->sum) ? -1 : 1;
    return cp_str_cmp(x->text, y->text);
}

/* Writes " (60.00%)", or nothing if the total is 0. */
static void write_share(const struct tag_table *t, int64_t sum,
                        struct cp_out *to)
{
    char percent[CP_LABEL_BYTES];

    if (t->r->total <= 0)
        return;
    cp_percentage(sum, t->r->total, percent);
    cp_out_printf(to, " (%s)", percent);
}

/* Writes a key and its values: rows[0] is the key, the rest its n values. */
static void write_key(const struct tag_table *t, const struct row *rows,
                      size_t n, struct cp_out *to)
{
    char sum[CP_LABEL_BYTES], total[CP_LABEL_BYTES];

    cp_report_value(t->r, rows->sum, sum);
    cp_report_value(t->r, t->r->total, total);
    cp_out_str(to, rows->key_text);
    cp_out_printf(to, ":\t Total %s of %s", sum, total);
    write_share(t, rows->sum, to);
    cp_out_char(to, '\n');
    for (size_t i = 1; i <= n; i++) {
        cp_report_value(t->r, rows[i].sum, sum);
        cp_out_printf(to, " \t%s", sum);
        write_share(t, rows[i].sum, to);
        cp_out_cstr(to, ":\t ");
        cp_out_str(to, rows[i].text);
        cp_out_char(to, '\n');
    }
    cp_out_char(to, '\n');
}

static enum cp_status sum_sets(struct tag_table *t)
{
    const struct cp_profile *p = t->r->profile;
    bool *is_used = cp_arena_alloc(&t->arena, p->n_label_sets, 1, t->err);

    t->sums =
        cp_arena_alloc(&t->arena, p->n_label_sets, sizeof(*t->sums), t->err);
    if (!is_used || !t->sums)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < p->n_samples; i++) {
        uint32_t set = p->samples[i].label_set;
        int64_t div, value = cp_report_sample(t->r, i, &div);

        is_used[set] = true;
        t->sums[set] = cp_add(t->sums[set], value);
    }
    for (uint32_t i = 0; i < p->n_label_sets; i++)
        if (is_used[i] && add_set(t, &p->label_sets[i], t->sums[i]) != CP_OK)
            return CP_ENOMEM;
    return CP_OK;
}

static void sort_rows(struct tag_table *t)
{
    const struct cp_profile *p = t->r->profile;

    for (size_t i = 0; i < t->n; i++) {
        t->rows[i].key_text = cp_profile_str(p, t->rows[i].key);
        if (t->rows[i].value != CP_NONE)
            t->rows[i].text = t->strings.items[t->rows[i].value];
    }
    if (t->n)
        qsort(t->rows, t->n, sizeof(*t->rows), by_key_then_sum);
}

static enum cp_status write_all(const struct tag_table *t, struct cp_out *out)
{
    struct cp_out text = { .fd = -1 };
    enum cp_status status = CP_OK;

    for (size_t i = 0; status == CP_OK && i < t->n;) {
        size_t n = 0;

        while (i + n + 1 < t->n && t->rows[i + n + 1].value != CP_NONE)
            n++;
        text.len = 0;
        write_key(t, &t->rows[i], n, &text);
        status = cp_out_finish(&text, t->err);
        if (status == CP_OK)
            status = cp_tab_columns_write(text.buf, text.len, out, t->err);
        i += n + 1;
    }
    cp_out_release(&text);
    return status;
}

enum cp_status cp_write_tags(struct cp_report *r, struct cp_out *out,
                             struct cp_error *err)
{
    struct tag_table t = { .r = r, .err = err };
    enum cp_status status = cp_strtab_init(&t.strings, &t.arena, 64, err);

    if (status == CP_OK)
        status = sum_sets(&t);
    if (status == CP_OK) {
        sort_rows(&t);
        status = write_all(&t, out);
    }
    cp_free(t.rows);
    cp_free(t.slots);
    cp_arena_release(&t.arena);
    return status;
}
