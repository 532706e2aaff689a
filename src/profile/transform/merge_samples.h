/*
 * merge_samples - merges samples on all cores.
 *
 * Three steps; merge.c does the second:
 *
 *   survey   lists what each source uses, in the order of its samples
 *   (tables) merges mappings, locations and label sets in that order
 *   write    copies samples with merged numbers; then adds equal samples
 *
 * One thread merges the tables of a source while the others write the samples
 * of the sources before it.
 *
 * Samples keep the order of their first occurrence, independent of the number
 * of cores.
 */
#ifndef CP_MERGE_SAMPLES_H
#define CP_MERGE_SAMPLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_profile;
struct cp_stack_pool;

/* A source. The lists hold each used location and label set once. */
struct cp_merge_source {
    /* freed and set to NULL when its samples are written */
    struct cp_profile **profile;
    uint32_t *locations, n_locations;
    uint32_t *sets, n_sets;
    /* Filled in by the table step: the merged number of each listed item. */
    uint32_t *location_of, *set_of;
    uint32_t n_label_sets; /* length of set_of */
    size_t first_piece;
    /* whether its stacks are in the pool and rewritten in place */
    bool is_in_pool;
    atomic_uint n_left; /* number of pieces still to write */
    struct cp_error err;
};

struct cp_merge_piece;

/* Initialize with { 0 }. */
struct cp_merge_samples {
    struct cp_merge_source *sources;
    size_t n_sources;
    struct cp_merge_piece *pieces;
    size_t n_pieces;
    uint64_t *hashes; /* indexed by sample of `to` */
    struct cp_profile *to;
    /* pool that may hold stacks of sources, or NULL */
    struct cp_stack_pool *pool;
};

enum cp_status cp_merge_scan(struct cp_merge_samples *m,
                             struct cp_profile **profiles, size_t n,
                             struct cp_error *err);

/* Merges the tables of one source: fills location_of and set_of. */
typedef enum cp_status cp_merge_step(void *context, struct cp_merge_source *s);

/*
 * Fills the samples of `to`, whose sample types must be set. Calls `step` for
 * each source, in order, on one thread.
 */
enum cp_status cp_merge_write(struct cp_merge_samples *m, struct cp_profile *to,
                              cp_merge_step *step, void *context,
                              struct cp_error *err);

void cp_merge_samples_release(struct cp_merge_samples *m);

/* Whether all values of a sample are 0. */
bool cp_merge_is_zero(const struct cp_profile *p, uint32_t sample);

#endif
