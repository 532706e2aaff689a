/*
 * tag_filter - the expressions of tagfocus and tagignore.
 *
 *   [key=]N[unit]   [key=]N[unit]:   [key=]:N[unit]   [key=]N[unit]:M[unit]
 *       a numeric label within these bounds, when its unit agrees
 *   [key=]REGEXP[,REGEXP...]
 *       text labels: with a key, any expression on any value of that key;
 *       without, each expression on some "key:value"
 */
#ifndef CP_TAG_FILTER_H
#define CP_TAG_FILTER_H

#include <stdbool.h>

#include "base/error.h"

struct cp_label_set;
struct cp_label_units;
struct cp_profile;
struct cp_regex;

struct cp_tag_filter;

/* Returns NULL with *err set if a regular expression is invalid. */
struct cp_tag_filter *cp_tag_filter_new(const char *text, struct cp_error *err);
void cp_tag_filter_free(struct cp_tag_filter *f);

/* Returns the value part if it is a range of numbers, else NULL. */
const char *cp_tag_filter_range(const struct cp_tag_filter *f);

/* Whether the filter matches a sample with this label set. */
bool cp_tag_filter_matches(struct cp_tag_filter *f, const struct cp_profile *p,
                           const struct cp_label_set *set,
                           const struct cp_label_units *units);

/*
 * Returns CP_OK, or the error of a match (cp_regex_check); results are then
 * invalid.
 */
enum cp_status cp_tag_filter_check(const struct cp_tag_filter *f,
                                   struct cp_error *err);

/*
 * Keeps the samples that match `focus` and do not match `ignore`; each may be
 * NULL. Sets whether each matched any sample.
 */
enum cp_status cp_filter_tags(struct cp_profile *p, struct cp_tag_filter *focus,
                              struct cp_tag_filter *ignore,
                              const struct cp_label_units *units,
                              bool *focus_matched, bool *ignore_matched,
                              struct cp_error *err);

/*
 * Removes labels whose key does not match `show` or matches `hide`; each may be
 * NULL.
 */
enum cp_status cp_filter_tag_keys(struct cp_profile *p, struct cp_regex *show,
                                  struct cp_regex *hide, bool *show_matched,
                                  bool *hide_matched, struct cp_error *err);

/* Removes labels without a value: an empty string, or 0 without a unit. */
enum cp_status cp_filter_empty_labels(struct cp_profile *p,
                                      struct cp_error *err);

#endif
