/*
 * raw_labels - label sets while samples are being decoded.
 *
 * Most samples share their labels with others. Labels are kept as the bytes
 * of the message, each distinct string of bytes once; only at the end are the
 * distinct ones read and made label sets. One table a worker, so nothing here
 * is shared between threads until cp_raw_labels_finish.
 *
 * A table of ten thousands of sets does not fit the nearest cache, so samples
 * are looked up some at a time, with the places of all of them asked for
 * before the first is looked at.
 */
#ifndef CP_RAW_LABELS_H
#define CP_RAW_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CP_RAW_WAITING 16

struct cp_decode_samples;

/* Where the bytes with this hash are; `at` is 0 in a free slot. */
struct cp_raw_slot {
    uint32_t hash;
    uint32_t at; /* in units of the block, + 1 */
};

/* A sample whose labels are still to be looked up. */
struct cp_raw_waiting {
    const uint8_t *bytes;
    uint32_t len, hash;
    uint32_t sample;
    uint32_t *out;
};

/* Starts as { 0 }. Number 0 is "no labels"; entries count from 1. */
struct cp_raw_labels {
    uint8_t *block; /* entries one after another; see raw_labels.c */
    size_t len, cap;
    uint32_t n;
    struct cp_raw_slot *slots;
    uint32_t mask;
    struct cp_raw_waiting waiting[CP_RAW_WAITING];
    uint32_t n_waiting;
    const uint8_t *from, *to; /* this sample's bytes while they adjoin */
    uint8_t *joined;          /* or their copy, where they do not */
    size_t joined_len, joined_cap;
};

static inline void cp_raw_labels_begin(struct cp_raw_labels *t)
{
    t->from = t->to = NULL;
    t->joined_len = 0;
}

/* Copies the labels of a sample that do not lie together. */
enum cp_status cp_raw_labels_join(struct cp_raw_labels *t, const uint8_t *from,
                                  const uint8_t *to, struct cp_error *err);

/* Adds a whole label field, key byte included. */
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
 * Has the number of what was added since begin put into *out, at the latest
 * by cp_raw_labels_flush; until then the bytes and `out` must stay. Samples
 * come in ascending order.
 */
enum cp_status cp_raw_labels_end(struct cp_raw_labels *t, uint32_t sample,
                                 uint32_t *out, struct cp_error *err);
enum cp_status cp_raw_labels_flush(struct cp_raw_labels *t,
                                   struct cp_error *err);

/* Samples from..to - 1 have numbers of tables[table]. */
struct cp_raw_run {
    uint32_t from, to;
    uint32_t table;
};

/*
 * Turns the entries of n tables into the profile's label sets, in the order
 * of the samples that had them first, and the numbers in its samples into
 * label set indexes. The runs cover all samples that have labels.
 */
enum cp_status cp_raw_labels_finish(struct cp_raw_labels *const *tables,
                                    size_t n, const struct cp_raw_run *runs,
                                    size_t n_runs,
                                    const struct cp_decode_samples *in,
                                    struct cp_error *err);

void cp_raw_labels_release(struct cp_raw_labels *t);

#endif
