/* label_texts.c - formats the labels of all label sets in parallel. */
#include "report/core/label_texts.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/profile.h"

#define MIN_SHARE_SETS 512 /* minimum label sets for a thread */

struct job {
    struct cp_label_texts *t;
    const struct cp_profile *p;
    const struct cp_label_style *style;
};

/* The keys of one kind (text or number), before sorting. */
struct keys {
    struct cp_out bytes;
    struct cp_str *texts; /* ptr is set after all bytes are written */
    size_t n, cap;
};

static bool is_text(const struct cp_profile *p, const struct cp_label_set *set,
                    uint32_t i)
{
    return p->labels[set->labels + i].str != CP_NONE;
}

/* Sets the pointers of the texts into the bytes, and sorts the texts. */
static void order(struct keys *k)
{
    const char *at = k->bytes.buf ? k->bytes.buf : "";
    bool is_sorted = true;

    for (size_t i = 0; i < k->n; i++) {
        k->texts[i].ptr = at;
        at += k->texts[i].len;
        is_sorted &= i == 0 || cp_str_cmp(k->texts[i - 1], k->texts[i]) <= 0;
    }
    if (!is_sorted)
        qsort(k->texts, k->n, sizeof(*k->texts), cp_str_by_text);
}

/* Writes the keys of the kind of label *i; advances *i past them. */
static void write_kind(const struct job *job, const struct cp_label_set *set,
                       uint32_t *i, struct keys *k, struct cp_out *out)
{
    const struct cp_label_style *style = job->style;
    bool kind = is_text(job->p, set, *i);

    k->n = k->bytes.len = 0;
    while (*i < set->n_labels && is_text(job->p, set, *i) == kind) {
        size_t from = k->bytes.len;

        if (cp_reserve(&k->texts, &k->cap, k->n + 1, sizeof(*k->texts),
                       &out->err) != CP_OK)
            return;
        style->write(style->context, set, i, &k->bytes);
        k->texts[k->n++].len = (uint32_t)(k->bytes.len - from);
    }
    if (k->bytes.err.status != CP_OK)
        out->err = k->bytes.err;
    order(k);
    for (size_t n = 0; n < k->n; n++) {
        cp_out_cstr(out, n ? style->between : style->before);
        cp_out_str(out, k->texts[n]);
    }
    cp_out_cstr(out, style->after);
}

static void write_share(void *context, size_t share)
{
    const struct job *job = context;
    uint32_t n = job->p->n_label_sets;
    uint32_t from = (uint32_t)((uint64_t)n * share / job->t->n_parts);
    uint32_t to = (uint32_t)((uint64_t)n * (share + 1) / job->t->n_parts);
    struct cp_out *out = &job->t->parts[share];
    struct keys k = { .bytes = { .fd = -1 } };
    const char *at;

    for (uint32_t s = from; s < to && out->err.status == CP_OK; s++) {
        const struct cp_label_set *set = &job->p->label_sets[s];
        size_t before = out->len;

        for (uint32_t i = 0; i < set->n_labels && out->err.status == CP_OK;)
            write_kind(job, set, &i, &k, out);
        job->t->items[s].len = (uint32_t)(out->len - before);
    }
    at = out->buf ? out->buf : "";
    for (uint32_t s = from; s < to; s++) {
        job->t->items[s].ptr = at;
        at += job->t->items[s].len;
    }
    cp_free(k.texts);
    cp_out_release(&k.bytes);
}

enum cp_status cp_label_texts_init(struct cp_label_texts *t,
                                   const struct cp_profile *p,
                                   const struct cp_label_style *style,
                                   struct cp_error *err)
{
    struct job job = { t, p, style };
    size_t most = p->n_label_sets / MIN_SHARE_SETS + 1;

    t->n_parts = cp_parallel_width();
    if (t->n_parts > most)
        t->n_parts = most;
    for (size_t i = 0; i < t->n_parts; i++)
        t->parts[i].fd = -1;
    t->items = cp_alloc(p->n_label_sets, sizeof(*t->items), err);
    if (!t->items)
        return CP_ENOMEM;
    cp_parallel_run(t->n_parts, write_share, &job);
    for (size_t i = 0; i < t->n_parts; i++)
        if (cp_out_finish(&t->parts[i], err) != CP_OK)
            return CP_ENOMEM;
    return CP_OK;
}

void cp_label_texts_release(struct cp_label_texts *t)
{
    for (size_t i = 0; i < t->n_parts; i++)
        cp_out_release(&t->parts[i]);
    cp_free(t->items);
    *t = (struct cp_label_texts){ 0 };
}
