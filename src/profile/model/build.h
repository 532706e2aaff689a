/*
 * build - builds a profile incrementally.
 *
 * Used by readers that find samples, addresses and names in any order (legacy
 * formats, import) and by tests. Ids are assigned in ascending order from 1, so
 * index = id - 1.
 *
 * Initialize with `{ 0 }` and cp_builder_init. End with cp_builder_take (the
 * caller owns the profile) or cp_builder_release (frees it). A function that
 * fails sets *err; one that returns an index then returns CP_NONE.
 */
#ifndef CP_BUILD_H
#define CP_BUILD_H

#include <stddef.h>
#include <stdint.h>

#include "profile/model/label_table.h"
#include "profile/model/profile.h"

struct cp_builder {
    struct cp_profile *profile; /* the caller may set its scalar fields */
    size_t cap_types, cap_samples, cap_values, cap_locs;
    size_t cap_locations, cap_lines, cap_functions, cap_mappings, cap_comments;
    uint32_t *by_address; /* hash table of location index + 1 */
    uint32_t by_address_mask;
    struct cp_label_table labels;
};

enum cp_status cp_builder_init(struct cp_builder *b, struct cp_error *err);
void cp_builder_release(struct cp_builder *b);

/*
 * Returns the finished profile, which the caller owns; the builder becomes
 * empty.
 */
struct cp_profile *cp_builder_take(struct cp_builder *b);

/* Interns a string; returns CP_NO_STR on failure. */
uint32_t cp_builder_str(struct cp_builder *b, const char *text, size_t len,
                        struct cp_error *err);

/* Adds a sample type. All types must be added before the first sample. */
enum cp_status cp_builder_type(struct cp_builder *b, const char *type,
                               const char *unit, struct cp_error *err);

enum cp_status cp_builder_period(struct cp_builder *b, const char *type,
                                 const char *unit, int64_t period,
                                 struct cp_error *err);

/*
 * Returns the location with this address and without a mapping; adds it if new.
 */
uint32_t cp_builder_location(struct cp_builder *b, uint64_t address,
                             struct cp_error *err);

/*
 * Adds a location that differs from others by more than its address. Ignores
 * l.id and the lines. Do not mix with cp_builder_location.
 */
uint32_t cp_builder_new_location(struct cp_builder *b, struct cp_location l,
                                 struct cp_error *err);

/* Returns the location with this address, or CP_NONE. */
uint32_t cp_builder_find_location(const struct cp_builder *b, uint64_t address);

/*
 * Appends a line to a location. Cheap for the location that got the last line;
 * otherwise the lines of the location are copied.
 */
enum cp_status cp_builder_line(struct cp_builder *b, uint32_t location,
                               struct cp_line line, struct cp_error *err);

/* Adds a function without a search for an equal one; ignores f.id. */
uint32_t cp_builder_function(struct cp_builder *b, struct cp_function f,
                             struct cp_error *err);

/* Adds a mapping; ignores m.id. */
uint32_t cp_builder_mapping(struct cp_builder *b, struct cp_mapping m,
                            struct cp_error *err);

enum cp_status cp_builder_comment(struct cp_builder *b, const char *text,
                                  size_t len, struct cp_error *err);

/*
 * Returns the set of these labels; adds it if new. Only the order of labels
 * with equal keys matters. The empty set is 0.
 */
uint32_t cp_builder_label_set(struct cp_builder *b,
                              const struct cp_label *labels, uint32_t n,
                              struct cp_error *err);

/* Adds a sample: a stack of location indexes, leaf first, and its values. */
enum cp_status cp_builder_sample(struct cp_builder *b, const uint32_t *locs,
                                 uint32_t n_locs, const int64_t *values,
                                 uint32_t label_set, struct cp_error *err);

#endif
