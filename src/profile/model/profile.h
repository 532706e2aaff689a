/*
 * profile - the in-memory profile, shared by the tool and the runtime library.
 *
 * Flat arrays in one arena. Tables refer to each other by array index, which is
 * resolved when the profile is read; CP_NONE means "none". Strings are stored
 * as indexes into `strings`, so equal strings have equal numbers. A million
 * samples of depth 40 take about 200 MB.
 *
 * Stacks are leaf first, as in profile.proto. Samples with equal labels share a
 * label set, so code that handles labels runs once per set. Set 0 is empty.
 *
 * Readers fill a profile (decode.h, legacy.h); filters change it in place.
 *
 * Locking: none; threads may read one profile concurrently, but not change it.
 */
#ifndef CP_PROFILE_H
#define CP_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strtab.h"

/* Maximum frames of a stack; protects memory against malicious files. */
#define CP_MAX_DEPTH ((uint32_t)1 << 20)

/* Maximum sample types of a profile. */
#define CP_MAX_TYPES ((uint32_t)4096)

struct cp_value_type {
    uint32_t type, unit; /* string numbers */
};

struct cp_mapping {
    uint64_t id, start, limit, offset;
    uint32_t file, build_id; /* string numbers */
    bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

struct cp_function {
    uint64_t id;
    uint32_t name, system_name, filename; /* string numbers */
    int64_t start_line;
};

/* One source line of a location; several mean inlined calls. */
struct cp_line {
    uint32_t function; /* function index; never CP_NONE in a valid profile */
    int64_t line, column;
};

struct cp_location {
    uint64_t id, address;
    uint32_t mapping;        /* mapping index or CP_NONE */
    uint32_t lines, n_lines; /* range of profile->lines, innermost call first */
    bool is_folded;
};

/* A string label if `str` is not CP_NONE, otherwise a number with a unit. */
struct cp_label {
    uint32_t key;
    uint32_t str;  /* string number or CP_NONE */
    uint32_t unit; /* string number, or 0 */
    int64_t num;
};

/* Labels are sorted: strings before numbers, then by key. */
struct cp_label_set {
    uint32_t labels, n_labels; /* range of profile->labels */
};

struct cp_sample {
    uint64_t locs;   /* first index in profile->locs */
    uint32_t n_locs; /* number of frames, leaf first */
    uint32_t label_set;
};

struct cp_profile {
    struct cp_arena arena;
    struct cp_strtab strings;

    struct cp_value_type *types;
    uint32_t n_types;
    uint32_t default_type; /* string number; 0 if not set */

    struct cp_sample *samples;
    int64_t *values; /* n_types values per sample */
    uint32_t n_samples;
    uint32_t *locs; /* location indexes of all stacks */
    uint64_t n_locs;

    struct cp_label_set *label_sets;
    uint32_t n_label_sets; /* at least 1; set 0 is empty */
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

    uint32_t drop_frames, keep_frames; /* string numbers; 0 if not set */
    uint32_t doc_url;                  /* string number; 0 if not set */
    uint32_t *comments;                /* string numbers */
    uint32_t n_comments;
    int64_t time_ns, duration_ns, period;
    struct cp_value_type period_type;
};

/*
 * Returns an empty profile with label set 0 and string 0; NULL with *err set.
 */
struct cp_profile *cp_profile_new(struct cp_error *err);

void cp_profile_free(struct cp_profile *p);

/* Returns a deep copy of p; NULL with *err set. */
struct cp_profile *cp_profile_copy(const struct cp_profile *p,
                                   struct cp_error *err);

/* Returns the bytes of string number id, borrowed from the profile. */
static inline struct cp_str cp_profile_str(const struct cp_profile *p,
                                           uint32_t id)
{
    return p->strings.items[id];
}

/* Like cp_profile_str, as a C string: it ends at the first NUL byte. */
static inline const char *cp_profile_cstr(const struct cp_profile *p,
                                          uint32_t id)
{
    return p->strings.items[id].ptr;
}

/* Returns the location indexes of sample i, leaf first. */
static inline uint32_t *cp_profile_stack(const struct cp_profile *p, uint32_t i)
{
    return p->locs + p->samples[i].locs;
}

#endif
