/*
 * raw_labels - label sets while samples are being decoded.
 *
 * Most samples share their labels with others. Labels are kept as the bytes
 * of the message, each distinct string of bytes once; only at the end are the
 * distinct ones read and made label sets. One table a worker, so nothing here
 * is shared between threads until cp_raw_labels_finish.
 */
#ifndef CP_RAW_LABELS_H
#define CP_RAW_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct cp_decode_samples;

struct cp_raw_entry {
    const uint8_t *bytes;
    uint32_t len;
    uint32_t hash;
};

/* Starts as { 0 }. Number 0 is "no labels"; entries count from 1. */
struct cp_raw_labels {
    struct cp_arena arena;
    struct cp_raw_entry *entries;
    size_t n, cap;
    uint32_t *slots; /* entry number, 0 for empty */
    uint32_t mask;
    const uint8_t *from, *to; /* this sample's bytes while they adjoin */
    uint8_t *joined;          /* or their copy, where they do not */
    size_t joined_len, joined_cap;
};

void cp_raw_labels_begin(struct cp_raw_labels *t);

/* Adds a whole label field, key byte included. */
enum cp_status cp_raw_labels_add(struct cp_raw_labels *t, const uint8_t *from,
                                 const uint8_t *to, struct cp_error *err);

/* The number of what was added since begin. */
enum cp_status cp_raw_labels_end(struct cp_raw_labels *t, uint32_t *out,
                                 struct cp_error *err);

/*
 * Turns the entries of n tables into the profile's label sets, and the
 * numbers in its samples into label set indexes. Samples from[i] to
 * from[i + 1] belong to table i.
 */
enum cp_status cp_raw_labels_finish(struct cp_raw_labels *const *tables,
                                    const uint32_t *from, size_t n,
                                    const struct cp_decode_samples *in,
                                    struct cp_error *err);

void cp_raw_labels_release(struct cp_raw_labels *t);

#endif
