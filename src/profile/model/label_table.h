/*
 * label_table - the label sets of a profile, each once.
 *
 * Whoever adds label sets to a profile does it through one of these: it puts
 * labels into the order that label sets have and finds the equal set that is
 * already there. It holds only the index; sets and labels go to the profile.
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
    uint32_t set; /* 0 for empty: set 0 is never looked for */
};

#define CP_LABEL_ORDER_MAX 8

/*
 * How the labels of the last set were put in order. It depends on their keys
 * and kinds alone, which nearly all samples of a profile have in common.
 */
struct cp_label_order {
    uint32_t n; /* 0: not known */
    uint32_t keys[CP_LABEL_ORDER_MAX];
    bool is_num[CP_LABEL_ORDER_MAX];
    uint8_t from[CP_LABEL_ORDER_MAX]; /* which label comes first, second ... */
};

/* Starts as { 0 }. */
struct cp_label_table {
    struct cp_profile *profile;
    size_t cap_sets, cap_labels;
    struct cp_label_slot *slots;
    uint32_t mask;
    struct cp_label *sorted;
    size_t cap_sorted;
    struct cp_label_order order;
};

/* Indexes the sets that the profile has. */
enum cp_status cp_label_table_init(struct cp_label_table *t,
                                   struct cp_profile *profile,
                                   struct cp_error *err);

/* Makes room for more sets and labels than there are, to grow at once. */
enum cp_status cp_label_table_expect(struct cp_label_table *t, size_t n_sets,
                                     size_t n_labels, struct cp_error *err);

/*
 * The set of these labels, added if new; 0 when n is 0, CP_NONE with *err on
 * failure. Labels of one key keep their order; apart from that the order of
 * the argument does not matter, nor do the unit and the number of text.
 */
uint32_t cp_label_table_add(struct cp_label_table *t,
                            const struct cp_label *labels, uint32_t n,
                            struct cp_error *err);

/*
 * The same for labels in the order that sets have, as those of any profile
 * are, with their hash. For many sets in a row it pays to ask for the memory
 * of some ahead: first all with step 0, then all with 1, then with 2.
 */
uint32_t cp_label_table_hash(const struct cp_label *labels, uint32_t n);
void cp_label_table_prefetch(const struct cp_label_table *t, uint32_t hash,
                             int step);
uint32_t cp_label_table_add_ordered(struct cp_label_table *t,
                                    const struct cp_label *labels, uint32_t n,
                                    uint32_t hash, struct cp_error *err);

void cp_label_table_release(struct cp_label_table *t);

#endif
