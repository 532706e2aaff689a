/*
 * tag_names - how the labels of a sample read in a picture.
 *
 * The text labels of a set, joined, are its group; the values of its numeric
 * label "bytes" are its numbers. Used by nodelets.c.
 */
#ifndef CP_TAG_NAMES_H
#define CP_TAG_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strtab.h"

struct cp_arena;
struct cp_report;

/* Starts as { 0 }. */
struct cp_tag_names {
    struct cp_strtab strings;
    uint32_t *group_of; /* by label set: a string, 0 for no text labels */

    uint32_t *numbers; /* of the set read last: strings ... */
    int64_t *values;   /* ... and what they stand for */
    uint32_t n_numbers;
    size_t cap_numbers, cap_values;
    uint32_t bytes_key;
};

/* Finds the group of each label set. Text goes to the arena. */
enum cp_status cp_tag_names_init(struct cp_tag_names *t,
                                 const struct cp_report *r,
                                 struct cp_arena *arena, struct cp_error *err);

/* Reads the numbers of one set. */
enum cp_status cp_tag_names_read(struct cp_tag_names *t,
                                 const struct cp_report *r, uint32_t set,
                                 struct cp_error *err);
void cp_tag_names_release(struct cp_tag_names *t);

#endif
