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

/* NULL with *err set when a regular expression is wrong. */
struct cp_tag_filter *cp_tag_filter_new(const char *text, struct cp_error *err);
void cp_tag_filter_free(struct cp_tag_filter *f);

/* The value part when it was read as a range of numbers, else NULL. */
const char *cp_tag_filter_range(const struct cp_tag_filter *f);

/* Whether a sample with this label set passes. */
bool cp_tag_filter_matches(struct cp_tag_filter *f, const struct cp_profile *p,
                           const struct cp_label_set *set,
                           const struct cp_label_units *units);

/*
 * CP_OK, or what a match has met: see cp_regex_check. What was found with the
 * filter is not to be used then.
 */
enum cp_status cp_tag_filter_check(const struct cp_tag_filter *f,
                                   struct cp_error *err);

/*
 * Keeps the samples that pass `focus` (may be NULL) and do not pass `ignore`
 * (may be NULL); says whether each passed any.
 */
enum cp_status cp_filter_tags(struct cp_profile *p, struct cp_tag_filter *focus,
                              struct cp_tag_filter *ignore,
                              const struct cp_label_units *units,
                              bool *focus_matched, bool *ignore_matched,
                              struct cp_error *err);

/*
 * Removes labels whose key does not match `show` or matches `hide`; each may
 * be NULL.
 */
enum cp_status cp_filter_tag_keys(struct cp_profile *p, struct cp_regex *show,
                                  struct cp_regex *hide, bool *show_matched,
                                  bool *hide_matched, struct cp_error *err);

/* Removes labels without a value: an empty text, or 0 without a unit. */
enum cp_status cp_filter_empty_labels(struct cp_profile *p,
                                      struct cp_error *err);

#endif
