/*
 * build - puts a profile together piece by piece.
 *
 * For readers that meet samples, addresses and names in whatever order the
 * file has them (the legacy formats) and for tests. Ids are given out as
 * 1, 2, 3 in the order of addition, so an index is its id less one.
 *
 * Start with `{ 0 }` and cp_builder_init; end with cp_builder_take (the
 * profile is the caller's) or cp_builder_release (nothing is left). Every
 * function that can fail sets *err; those that return an index return CP_NONE
 * then.
 */
#ifndef CP_BUILD_H
#define CP_BUILD_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/model/label_table.h"
#include "profile/model/profile.h"

struct cp_builder {
    struct cp_profile *profile; /* its scalar fields may be set directly */
    size_t cap_types, cap_samples, cap_values, cap_locs;
    size_t cap_locations, cap_lines, cap_functions, cap_mappings, cap_comments;
    uint32_t *by_address; /* hash of location index + 1 */
    uint32_t by_address_mask;
    struct cp_label_table labels;
};

enum cp_status cp_builder_init(struct cp_builder *b, struct cp_error *err);
void cp_builder_release(struct cp_builder *b);

/* Hands the finished profile over; the builder is empty afterwards. */
struct cp_profile *cp_builder_take(struct cp_builder *b);

/* Interns text; CP_NO_STR on failure. */
uint32_t cp_builder_str(struct cp_builder *b, const char *text, size_t len,
                        struct cp_error *err);

/* Adds a sample type; types must all be there before the first sample. */
enum cp_status cp_builder_type(struct cp_builder *b, const char *type,
                               const char *unit, struct cp_error *err);

/* Sets the period type and the period. */
enum cp_status cp_builder_period(struct cp_builder *b, const char *type,
                                 const char *unit, int64_t period,
                                 struct cp_error *err);

/* The location with this address and no mapping yet, added if new. */
uint32_t cp_builder_location(struct cp_builder *b, uint64_t address,
                             struct cp_error *err);

/*
 * Adds a location that is told apart by more than its address; l.id and the
 * lines are ignored. Not to be mixed with cp_builder_location.
 */
uint32_t cp_builder_new_location(struct cp_builder *b, struct cp_location l,
                                 struct cp_error *err);

/* The location with this address, or CP_NONE. */
uint32_t cp_builder_find_location(const struct cp_builder *b, uint64_t address);

/*
 * Gives a location one more line, after those that it has. Cheap for the
 * location that got the last line; the lines of another are copied.
 */
enum cp_status cp_builder_line(struct cp_builder *b, uint32_t location,
                               struct cp_line line, struct cp_error *err);

/* Adds a function; f.id is ignored. No search for an equal one is made. */
uint32_t cp_builder_function(struct cp_builder *b, struct cp_function f,
                             struct cp_error *err);

/* Adds a mapping; m.id is ignored. */
uint32_t cp_builder_mapping(struct cp_builder *b, struct cp_mapping m,
                            struct cp_error *err);

enum cp_status cp_builder_comment(struct cp_builder *b, const char *text,
                                  size_t len, struct cp_error *err);

/*
 * The set of these labels, added if new. The order of the argument does not
 * matter but for labels of one key. An empty set is 0.
 */
uint32_t cp_builder_label_set(struct cp_builder *b,
                              const struct cp_label *labels, uint32_t n,
                              struct cp_error *err);

/* Adds a sample: a stack of location indexes, leaf first, and its values. */
enum cp_status cp_builder_sample(struct cp_builder *b, const uint32_t *locs,
                                 uint32_t n_locs, const int64_t *values,
                                 uint32_t label_set, struct cp_error *err);

#endif
