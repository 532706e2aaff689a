/*
 * label_texts - what a report prints for labels, made once a label set.
 *
 * All sets are done at once, on all cores. The keys of a set are written one
 * by one, sorted as the text they became, text labels apart from numbers.
 */
#ifndef CP_LABEL_TEXTS_H
#define CP_LABEL_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/out.h"
#include "base/parallel.h"

struct cp_label_set;
struct cp_profile;
struct cp_str;

struct cp_label_style {
    /* Writes the labels from *i on that share a key and a kind; moves *i. */
    void (*write)(const void *context, const struct cp_label_set *set,
                  uint32_t *i, struct cp_out *out);
    const void *context;
    const char *before, *between, *after; /* the keys of a kind */
};

/* Starts as { 0 }. */
struct cp_label_texts {
    struct cp_str *items; /* by label set */
    struct cp_out parts[CP_PARALLEL_MAX];
    size_t n_parts;
};

enum cp_status cp_label_texts_init(struct cp_label_texts *t,
                                   const struct cp_profile *p,
                                   const struct cp_label_style *style,
                                   struct cp_error *err);
void cp_label_texts_release(struct cp_label_texts *t);

#endif
