/*
 * tag_names - texts of the labels of a sample, for a picture.
 *
 * The group of a label set is its text labels, joined. Its numbers are the
 * values of its numeric label "bytes". Used by nodelets.c.
 */
#ifndef CP_TAG_NAMES_H
#define CP_TAG_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"

struct cp_arena;
struct cp_report;

/* Initialize with { 0 }. */
struct cp_tag_names {
    struct cp_strtab strings;
    uint32_t *group_of; /* by label set: string number, 0 without text labels */

    uint32_t *numbers; /* strings of the set read last ... */
    int64_t *values;   /* ... and their values */
    uint32_t n_numbers;
    size_t cap_numbers, cap_values;
    uint32_t bytes_key;
};

/* Computes the group of each label set. Allocates text in the arena. */
enum cp_status cp_tag_names_init(struct cp_tag_names *t,
                                 const struct cp_report *r,
                                 struct cp_arena *arena, struct cp_error *err);

/* Reads the numbers of one set. */
enum cp_status cp_tag_names_read(struct cp_tag_names *t,
                                 const struct cp_report *r, uint32_t set,
                                 struct cp_error *err);
void cp_tag_names_release(struct cp_tag_names *t);

#endif
