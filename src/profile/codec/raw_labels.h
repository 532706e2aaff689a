/*
 * raw_labels - deduplicates labels while samples are decoded.
 *
 * Most samples share their labels with others. Each distinct byte string of
 * Label fields is stored once, in a hash table with open addressing.
 * cp_raw_labels_finish decodes the distinct strings into label sets.
 *
 * A large table exceeds the L1 cache. Lookups are therefore batched: all slots
 * of a batch are prefetched before the first is read.
 *
 * Context: one table per worker thread; cp_raw_labels_finish runs when the
 * workers are done. Locking: none. Failure: *err is set; the table can only be
 * released.
 */
#ifndef CP_RAW_LABELS_H
#define CP_RAW_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CP_RAW_PENDING 16

struct cp_decode_samples;

/* A hash table slot; `at` is 0 if it is free. */
struct cp_raw_slot {
    uint32_t hash;
    uint32_t at; /* position in the block + 1, in units of 4 bytes */
};

/* A sample whose lookup is pending. */
struct cp_raw_pending {
    const uint8_t *bytes;
    uint32_t len, hash;
    uint32_t sample;
    uint32_t *out;
};

/*
 * Initialize with { 0 }. Entries are numbered from 1; number 0 means "no
 * labels".
 */
struct cp_raw_labels {
    uint8_t *block; /* entries, in the format of raw_labels.c */
    size_t len, cap;
    uint32_t n;
    struct cp_raw_slot *slots;
    uint32_t mask;
    struct cp_raw_pending pending[CP_RAW_PENDING];
    uint32_t n_pending;
    const uint8_t *from,
        *to; /* label bytes of the current sample while they are contiguous */
    uint8_t *joined; /* copy of the label bytes if they are not contiguous */
    size_t joined_len, joined_cap;
};

static inline void cp_raw_labels_begin(struct cp_raw_labels *t)
{
    t->from = t->to = NULL;
    t->joined_len = 0;
}

/* Appends label bytes that are not contiguous with those before to the copy. */
enum cp_status cp_raw_labels_join(struct cp_raw_labels *t, const uint8_t *from,
                                  const uint8_t *to, struct cp_error *err);

/* Adds one Label field of the current sample, key byte included. */
static inline enum cp_status cp_raw_labels_add(struct cp_raw_labels *t,
                                               const uint8_t *from,
                                               const uint8_t *to,
                                               struct cp_error *err)
{
    if (t->joined_len || (t->from && t->to != from))
        return cp_raw_labels_join(t, from, to, err);
    t->from = t->from ? t->from : from;
    t->to = to;
    return CP_OK;
}

/*
 * Stores the entry number of the current sample's labels in *out, at the latest
 * at the next cp_raw_labels_flush. The bytes and `out` must stay valid until
 * then. Samples must come in ascending order.
 */
enum cp_status cp_raw_labels_end(struct cp_raw_labels *t, uint32_t sample,
                                 uint32_t *out, struct cp_error *err);
enum cp_status cp_raw_labels_flush(struct cp_raw_labels *t,
                                   struct cp_error *err);

/* The samples [from, to) hold entry numbers of tables[table]. */
struct cp_raw_run {
    uint32_t from, to;
    uint32_t table;
};

/*
 * Decodes the entries of n tables into label sets of the profile, in the order
 * of first use. Replaces the entry numbers in the samples by label set indexes.
 * The runs cover all samples that have labels.
 */
enum cp_status cp_raw_labels_finish(struct cp_raw_labels *const *tables,
                                    size_t n, const struct cp_raw_run *runs,
                                    size_t n_runs,
                                    const struct cp_decode_samples *in,
                                    struct cp_error *err);

void cp_raw_labels_release(struct cp_raw_labels *t);

#endif
