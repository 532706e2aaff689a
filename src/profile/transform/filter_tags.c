/* filter_tags.c - filters samples and labels by tag expressions. */

#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/label_table.h"
#include "profile/model/label_units.h"
#include "profile/model/match.h"
#include "profile/model/profile.h"
#include "profile/transform/filter_names.h"
#include "profile/transform/tag_filter.h"
#include "regex/regex.h"

/*
 * Evaluates a filter for each label set; every result is `otherwise` if f is
 * NULL. Returns NULL with *err set on failure.
 */
static bool *results(struct cp_tag_filter *f, const struct cp_profile *p,
                     const struct cp_label_units *units, bool otherwise,
                     struct cp_error *err)
{
    bool *yes = cp_alloc(p->n_label_sets, sizeof(*yes), err);

    for (uint32_t i = 0; yes && i < p->n_label_sets; i++)
        yes[i] = f ? cp_tag_filter_matches(f, p, &p->label_sets[i], units)
                   : otherwise;
    if (!f || !yes || cp_tag_filter_check(f, err) == CP_OK)
        return yes;
    cp_free(yes);
    return NULL;
}

enum cp_status cp_filter_tags(struct cp_profile *p, struct cp_tag_filter *focus,
                              struct cp_tag_filter *ignore,
                              const struct cp_label_units *units,
                              bool *focus_matched, bool *ignore_matched,
                              struct cp_error *err)
{
    struct cp_error unseen, *to = err ? err : &unseen;
    bool *focused = results(focus, p, units, true, to);
    bool *ignored = focused ? results(ignore, p, units, false, to) : NULL;
    bool *keep = ignored ? cp_alloc(p->n_samples, sizeof(*keep), to) : NULL;
    bool is_ok = keep != NULL;

    *focus_matched = *ignore_matched = false;
    for (uint32_t i = 0; is_ok && i < p->n_samples; i++) {
        uint32_t set = p->samples[i].label_set;

        *focus_matched |= focused[set];
        *ignore_matched |= ignored[set];
        keep[i] = focused[set] && !ignored[set];
    }
    if (is_ok)
        cp_filter_keep(p, keep);
    cp_free(keep);
    cp_free(ignored);
    cp_free(focused);
    return is_ok ? CP_OK : to->status;
}

/* Which labels stay. */
struct label_filter {
    struct cp_match match[2]; /* keys to show, keys to hide */
    bool matched[2];
    bool drop_empty; /* whether labels without a value are removed */
};

static bool is_kept(struct label_filter *k, const struct cp_profile *p,
                    const struct cp_label *l)
{
    struct cp_match *m = k->match;
    bool is_empty =
        l->str == 0 || (l->str == CP_NONE && l->num == 0 && l->unit == 0);
    bool shown = !m[0].re || cp_match_string(&m[0], p, l->key);
    bool hidden = m[1].re && cp_match_string(&m[1], p, l->key);

    k->matched[0] |= shown;
    k->matched[1] |= hidden;
    return shown && !hidden && !(is_empty && k->drop_empty);
}

static uint32_t reduced_set(struct cp_label_table *table,
                            const struct cp_profile *p,
                            const struct cp_label_set *set,
                            struct label_filter *k, struct cp_label *scratch,
                            struct cp_error *err)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < set->n_labels; i++) {
        struct cp_label l = p->labels[set->labels + i];

        if (is_kept(k, p, &l))
            scratch[n++] = l;
    }
    return n == set->n_labels ? (uint32_t)(set - p->label_sets)
                              : cp_label_table_add(table, scratch, n, err);
}

/* Marks the label sets that samples use in new_set, which must be all 0. */
static void find_used(const struct cp_profile *p, uint32_t *new_set)
{
    for (uint32_t i = 0; i < p->n_samples; i++)
        new_set[p->samples[i].label_set] = 1;
}

static enum cp_status reduce_all(struct cp_profile *p, struct label_filter *k,
                                 struct cp_error *err)
{
    uint32_t n_sets = p->n_label_sets;
    uint32_t *new_set = cp_alloc(n_sets, sizeof(*new_set), err);
    struct cp_label *scratch = cp_alloc(p->n_labels, sizeof(*scratch), err);
    struct cp_label_table table = { 0 };
    enum cp_status status = CP_ENOMEM;

    if (new_set && scratch && cp_label_table_init(&table, p, err) == CP_OK) {
        status = CP_OK;
        find_used(p, new_set);
        for (uint32_t i = 0; status == CP_OK && i < n_sets; i++) {
            if (new_set[i])
                new_set[i] =
                    reduced_set(&table, p, &p->label_sets[i], k, scratch, err);
            if (new_set[i] == CP_NONE)
                status = CP_ENOMEM;
        }
        for (uint32_t i = 0; status == CP_OK && i < p->n_samples; i++)
            p->samples[i].label_set = new_set[p->samples[i].label_set];
    }
    cp_label_table_release(&table);
    cp_free(scratch);
    cp_free(new_set);
    return status;
}

enum cp_status cp_filter_tag_keys(struct cp_profile *p, struct cp_regex *show,
                                  struct cp_regex *hide, bool *show_matched,
                                  bool *hide_matched, struct cp_error *err)
{
    struct label_filter k = { 0 };
    enum cp_status status = CP_ENOMEM;

    if (cp_match_init(&k.match[0], show, p, err) == CP_OK &&
        cp_match_init(&k.match[1], hide, p, err) == CP_OK)
        status = reduce_all(p, &k, err);
    if (status == CP_OK && show)
        status = cp_regex_check(show, err);
    if (status == CP_OK && hide)
        status = cp_regex_check(hide, err);
    cp_match_release(&k.match[0]);
    cp_match_release(&k.match[1]);
    *show_matched = k.matched[0];
    *hide_matched = k.matched[1];
    return status;
}

enum cp_status cp_filter_empty_labels(struct cp_profile *p,
                                      struct cp_error *err)
{
    struct label_filter k = { .drop_empty = true };

    return reduce_all(p, &k, err);
}
