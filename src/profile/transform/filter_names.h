/*
 * filter_names - keeps, drops and shortens stacks by name.
 *
 * A filter matches function names, file names and mapping files. Filters work
 * in place: arrays only shrink.
 */
#ifndef CP_FILTER_NAMES_H
#define CP_FILTER_NAMES_H

#include <stdbool.h>

#include "base/error.h"

struct cp_profile;
struct cp_regex;

/* Expressions, each of which may be NULL, and whether each matched anything. */
struct cp_name_filter {
    struct cp_regex *focus, *ignore, *hide, *show;
    bool focus_matched, ignore_matched, hide_matched, show_matched;
};

/*
 * Keeps samples with a location that matches focus and none that matches
 * ignore; removes lines that match hide and those that do not match show.
 */
enum cp_status cp_filter_names(struct cp_profile *p, struct cp_name_filter *f,
                               struct cp_error *err);

/* Removes all frames on the root side of the outermost match of re. */
enum cp_status cp_filter_show_from(struct cp_profile *p, struct cp_regex *re,
                                   bool *matched, struct cp_error *err);

/* Keeps the samples whose flag is set, in order. */
void cp_filter_keep(struct cp_profile *p, const bool *keep);

#endif
