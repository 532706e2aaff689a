/* tag_names.c - joins text labels and reads "bytes" labels. */
#include "report/core/tag_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "base/units.h"
#include "report/core/report.h"

/*
 * Returns the "key:value" strings of a set, without the label of a base,
 * sorted.
 */
static struct cp_str *sorted_texts(const struct cp_profile *p,
                                   const struct cp_label_set *set,
                                   struct cp_arena *arena, uint32_t *n,
                                   struct cp_error *err)
{
    uint32_t base = cp_strtab_find(&p->strings, "pprof::base", 11);
    struct cp_str *texts =
        cp_arena_alloc(arena, set->n_labels, sizeof(*texts), err);

    *n = 0;
    for (uint32_t i = 0; texts && i < set->n_labels; i++) {
        const struct cp_label *l = &p->labels[set->labels + i];
        char *text;

        if (l->str == CP_NONE || l->key == base)
            continue;
        text = cp_arena_printf(arena, err, "%s:%s", cp_profile_cstr(p, l->key),
                               cp_profile_cstr(p, l->str));
        if (!text)
            return NULL;
        texts[(*n)++] = (struct cp_str){ text, (uint32_t)strlen(text) };
    }
    if (texts)
        qsort(texts, *n, sizeof(*texts), cp_str_by_text);
    return texts;
}

/* Joins the strings of a set with "\n" (backslash, n); CP_NO_STR on failure. */
static uint32_t join_texts(struct cp_tag_names *t, const struct cp_profile *p,
                           const struct cp_label_set *set, struct cp_error *err)
{
    struct cp_arena arena = { 0 };
    struct cp_out joined = { .fd = -1 };
    uint32_t n, group = CP_NO_STR;
    struct cp_str *texts = sorted_texts(p, set, &arena, &n, err);

    for (uint32_t i = 0; texts && i < n; i++) {
        cp_out_cstr(&joined, i ? "\\n" : "");
        cp_out_str(&joined, texts[i]);
    }
    if (texts && cp_out_finish(&joined, err) == CP_OK)
        group = cp_strtab_add(&t->strings, joined.buf ? joined.buf : "",
                              joined.len, err);
    cp_out_release(&joined);
    cp_arena_release(&arena);
    return group;
}

enum cp_status cp_tag_names_init(struct cp_tag_names *t,
                                 const struct cp_report *r,
                                 struct cp_arena *arena, struct cp_error *err)
{
    const struct cp_profile *p = r->profile;

    *t = (struct cp_tag_names){ 0 };
    t->bytes_key = cp_strtab_find(&p->strings, "bytes", 5);
    if (cp_strtab_init(&t->strings, arena, 64, err) != CP_OK)
        return CP_ENOMEM;
    t->group_of =
        cp_arena_alloc(arena, p->n_label_sets, sizeof(*t->group_of), err);
    if (!t->group_of)
        return CP_ENOMEM;
    for (uint32_t set = 1; set < p->n_label_sets; set++) {
        t->group_of[set] = join_texts(t, p, &p->label_sets[set], err);
        if (t->group_of[set] == CP_NO_STR)
            return CP_ENOMEM;
    }
    return CP_OK;
}

static enum cp_status add_number(struct cp_tag_names *t,
                                 const struct cp_report *r,
                                 const struct cp_label *l, struct cp_error *err)
{
    uint32_t n = t->n_numbers;
    char text[CP_LABEL_BYTES];

    cp_unit_label(l->num,
                  cp_profile_cstr(r->profile, r->label_units.unit[l->key]),
                  r->options.unit, text);
    if (cp_reserve(&t->numbers, &t->cap_numbers, (size_t)n + 1,
                   sizeof(*t->numbers), err) != CP_OK ||
        cp_reserve(&t->values, &t->cap_values, (size_t)n + 1,
                   sizeof(*t->values), err) != CP_OK)
        return CP_ENOMEM;
    t->numbers[n] = cp_strtab_add(&t->strings, text, strlen(text), err);
    t->values[n] = l->num;
    t->n_numbers++;
    return t->numbers[n] == CP_NO_STR ? CP_ENOMEM : CP_OK;
}

enum cp_status cp_tag_names_read(struct cp_tag_names *t,
                                 const struct cp_report *r, uint32_t set,
                                 struct cp_error *err)
{
    const struct cp_profile *p = r->profile;
    const struct cp_label_set *s = &p->label_sets[set];

    t->n_numbers = 0;
    for (uint32_t i = 0; i < s->n_labels; i++) {
        const struct cp_label *l = &p->labels[s->labels + i];

        if (l->str == CP_NONE && l->key == t->bytes_key &&
            add_number(t, r, l, err) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

void cp_tag_names_release(struct cp_tag_names *t)
{
    cp_free(t->numbers);
    cp_free(t->values);
    t->numbers = NULL;
    t->values = NULL;
}
