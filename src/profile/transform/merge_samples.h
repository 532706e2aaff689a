/*
 * merge_samples - the samples of a merge, on all cores.
 *
 * Three steps, of which merge.c does the second:
 *
 *   survey   what each source uses, in the order of its samples
 *   (tables) mappings, locations and label sets come over in that order
 *   write    samples come over with their new numbers; equal ones become one
 *
 * The tables of a source come over on one core while the samples of those
 * before it are written on the others.
 *
 * Samples stay in the order in which they, or those that they are equal to,
 * stand in the sources, whatever the number of cores.
 */
#ifndef CP_MERGE_SAMPLES_H
#define CP_MERGE_SAMPLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_profile;
struct cp_stack_room;

/* A source. The lists hold each thing that a sample uses once. */
struct cp_merge_source {
    struct cp_profile **profile; /* freed, and set to NULL, when it is in */
    uint32_t *locations, n_locations;
    uint32_t *sets, n_sets;
    /* To be filled in between: the merged number of each thing in the lists */
    uint32_t *location_of, *set_of;
    uint32_t n_label_sets; /* length of set_of */
    size_t first_piece;
    bool is_in_room;    /* its stacks are rewritten where they are */
    atomic_uint n_left; /* pieces to be written */
    struct cp_error err;
};

struct cp_merge_piece;

/* Starts as { 0 }. */
struct cp_merge_samples {
    struct cp_merge_source *sources;
    size_t n_sources;
    struct cp_merge_piece *pieces;
    size_t n_pieces;
    uint64_t *hashes; /* by sample of `to` */
    struct cp_profile *to;
    struct cp_stack_room *room; /* where sources may have stacks, or NULL */
};

enum cp_status cp_merge_survey(struct cp_merge_samples *m,
                               struct cp_profile **profiles, size_t n,
                               struct cp_error *err);

/* Brings over the tables of one source: fills location_of and set_of. */
typedef enum cp_status cp_merge_step(void *context, struct cp_merge_source *s);

/*
 * Fills the samples of `to`, whose sample types are there. Calls `step` for
 * each source, in order and on one thread.
 */
enum cp_status cp_merge_write(struct cp_merge_samples *m, struct cp_profile *to,
                              cp_merge_step *step, void *context,
                              struct cp_error *err);

void cp_merge_samples_release(struct cp_merge_samples *m);

/* Whether all values of a sample are 0. */
bool cp_merge_is_zero(const struct cp_profile *p, uint32_t sample);

#endif
