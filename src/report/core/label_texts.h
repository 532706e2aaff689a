/*
 * label_texts - the printed text of each label set, made once per set.
 *
 * All sets are formatted in parallel. Within a set, keys are sorted by their
 * formatted text, text labels separately from numbers.
 */
#ifndef CP_LABEL_TEXTS_H
#define CP_LABEL_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "base/parallel.h"

struct cp_label_set;
struct cp_profile;
struct cp_str;

struct cp_label_style {
    /* Writes the labels from *i that share a key and a kind; advances *i. */
    void (*write)(const void *context, const struct cp_label_set *set,
                  uint32_t *i, struct cp_out *out);
    const void *context;
    const char *before, *between, *after; /* text around the keys of a kind */
};

/* Initialize with { 0 }. */
struct cp_label_texts {
    struct cp_str *items; /* text, by label set */
    struct cp_out parts[CP_PARALLEL_MAX];
    size_t n_parts;
};

enum cp_status cp_label_texts_init(struct cp_label_texts *t,
                                   const struct cp_profile *p,
                                   const struct cp_label_style *style,
                                   struct cp_error *err);
void cp_label_texts_release(struct cp_label_texts *t);

#endif
