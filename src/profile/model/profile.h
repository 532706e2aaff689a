/*
 * profile - the profile in memory, the hub of both products.
 *
 * Flat arrays in one arena. References between tables are array indexes,
 * resolved once when the profile is read; CP_NONE means "none". Text is a
 * number in `strings`, so equal text is an equal number. A million samples of
 * depth 40 take about 200 MB.
 *
 * Stacks are leaf first, as in the file format. A sample's labels are one
 * number: samples with the same labels share a label set, and work on labels
 * is done once a set. Set 0 is the empty one.
 *
 * Readers fill it (decode.h, legacy.h), filters change it in place; nothing
 * here is shared between threads except for reading.
 */
#ifndef CP_PROFILE_H
#define CP_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/strtab.h"

/* A stack deeper than this is not a stack but an attack on our memory. */
#define CP_MAX_DEPTH ((uint32_t)1 << 20)

/* Nor has any profile so many kinds of values. */
#define CP_MAX_TYPES ((uint32_t)4096)

struct cp_value_type {
    uint32_t type, unit; /* strings */
};

struct cp_mapping {
    uint64_t id, start, limit, offset;
    uint32_t file, build_id; /* strings */
    bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

struct cp_function {
    uint64_t id;
    uint32_t name, system_name, filename; /* strings */
    int64_t start_line;
};

/* One source position of a location. */
struct cp_line {
    uint32_t function; /* index, never CP_NONE in a valid profile */
    int64_t line, column;
};

struct cp_location {
    uint64_t id, address;
    uint32_t mapping; /* index or CP_NONE */
    uint32_t lines,
        n_lines; /* first index in profile->lines; innermost first */
    bool is_folded;
};

/* A label: text when `str` is not CP_NONE, else a number with a unit. */
struct cp_label {
    uint32_t key;
    uint32_t str;  /* string, or CP_NONE */
    uint32_t unit; /* string; 0 when there is none */
    int64_t num;
};

/* Labels of a set stand in the order: text before numbers, then by key. */
struct cp_label_set {
    uint32_t labels, n_labels; /* first index in profile->labels */
};

struct cp_sample {
    uint64_t locs;   /* first index in profile->locs */
    uint32_t n_locs; /* leaf first */
    uint32_t label_set;
};

struct cp_profile {
    struct cp_arena arena;
    struct cp_strtab strings;

    struct cp_value_type *types;
    uint32_t n_types;
    uint32_t default_type; /* string; 0 when not set */

    struct cp_sample *samples;
    int64_t *values; /* n_types for each sample */
    uint32_t n_samples;
    uint32_t *locs; /* location indexes of all stacks */
    uint64_t n_locs;

    struct cp_label_set *label_sets;
    uint32_t n_label_sets; /* at least 1: set 0 is empty */
    struct cp_label *labels;
    uint32_t n_labels;

    struct cp_location *locations;
    uint32_t n_locations;
    struct cp_line *lines;
    uint32_t n_lines;
    struct cp_function *functions;
    uint32_t n_functions;
    struct cp_mapping *mappings;
    uint32_t n_mappings;

    uint32_t drop_frames, keep_frames; /* strings; 0 when not set */
    uint32_t doc_url;                  /* string */
    uint32_t *comments;                /* strings */
    uint32_t n_comments;
    int64_t time_ns, duration_ns, period;
    struct cp_value_type period_type;
};

/* An empty profile: label set 0 and string 0 only. NULL with *err set. */
struct cp_profile *cp_profile_new(struct cp_error *err);

void cp_profile_free(struct cp_profile *p);

/* A deep copy that shares nothing with p; NULL with *err set. */
struct cp_profile *cp_profile_copy(const struct cp_profile *p,
                                   struct cp_error *err);

/* The text of string number id, borrowed from the profile. */
static inline struct cp_str cp_profile_str(const struct cp_profile *p,
                                           uint32_t id)
{
    return p->strings.items[id];
}

/* The same as a C string: cut at a NUL, should the text hold one. */
static inline const char *cp_profile_cstr(const struct cp_profile *p,
                                          uint32_t id)
{
    return p->strings.items[id].ptr;
}

/* The location indexes of sample i, leaf first. */
static inline uint32_t *cp_profile_stack(const struct cp_profile *p, uint32_t i)
{
    return p->locs + p->samples[i].locs;
}

#endif
