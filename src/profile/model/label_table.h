/*
 * label_table - deduplicates the label sets of a profile.
 *
 * All code that adds label sets uses it: it sorts the labels and finds an equal
 * set. The table holds only the hash index; sets and labels are stored in the
 * profile.
 */
#ifndef CP_LABEL_TABLE_H
#define CP_LABEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_label;
struct cp_profile;

struct cp_label_slot {
    uint32_t hash;
    uint32_t set; /* 0 if free slot; set 0 is never looked up */
};

#define CP_LABEL_ORDER_MAX 8

/*
 * Permutation that sorted the last label set. It depends only on keys and
 * kinds, which nearly all samples of a profile share.
 */
struct cp_label_order {
    uint32_t n; /* number of labels; 0 if unknown */
    uint32_t keys[CP_LABEL_ORDER_MAX];
    bool is_num[CP_LABEL_ORDER_MAX];
    /* index of the label that sorts first, second, ... */
    uint8_t from[CP_LABEL_ORDER_MAX];
};

/* Initialize with { 0 }. */
struct cp_label_table {
    struct cp_profile *profile;
    size_t cap_sets, cap_labels;
    struct cp_label_slot *slots;
    uint32_t mask;
    struct cp_label *sorted;
    size_t cap_sorted;
    struct cp_label_order order;
};

/* Indexes the existing sets of the profile. */
enum cp_status cp_label_table_init(struct cp_label_table *t,
                                   struct cp_profile *profile,
                                   struct cp_error *err);

/* Reserves space for this many more sets and labels. */
enum cp_status cp_label_table_expect(struct cp_label_table *t, size_t n_sets,
                                     size_t n_labels, struct cp_error *err);

/*
 * Returns the set of these labels and adds it if new. Returns 0 if n is 0,
 * CP_NONE with *err set on failure. Labels with equal keys keep their order;
 * otherwise the order does not matter, nor do the unit and number of a text
 * label.
 */
uint32_t cp_label_table_add(struct cp_label_table *t,
                            const struct cp_label *labels, uint32_t n,
                            struct cp_error *err);

/*
 * Like cp_label_table_add, for labels that are already sorted, with their hash.
 * To add many sets, prefetch a batch: call cp_label_table_prefetch for all with
 * step 0, then with 1, then with 2.
 */
uint32_t cp_label_table_hash(const struct cp_label *labels, uint32_t n);
void cp_label_table_prefetch(const struct cp_label_table *t, uint32_t hash,
                             int step);
uint32_t cp_label_table_add_ordered(struct cp_label_table *t,
                                    const struct cp_label *labels, uint32_t n,
                                    uint32_t hash, struct cp_error *err);

void cp_label_table_release(struct cp_label_table *t);

#endif
