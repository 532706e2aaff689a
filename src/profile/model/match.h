/*
 * match - matches a regular expression against strings of a profile, with a
 * cache.
 *
 * Many locations share a name. The result is cached by string number, so each
 * distinct string is matched once.
 */
#ifndef CP_MATCH_H
#define CP_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct cp_line;
struct cp_location;
struct cp_profile;
struct cp_regex;

/* Initialize with { 0 }, which matches nothing. */
struct cp_match {
    struct cp_regex *re; /* borrowed; NULL matches nothing */
    uint8_t *results;    /* by string number: 0 unknown, 1 no match, 2 match */
    /* match function names without arguments (simple_name.h) */
    bool is_simplified;
};

/* Initializes the matcher; re may be NULL. */
enum cp_status cp_match_init(struct cp_match *m, struct cp_regex *re,
                             const struct cp_profile *p, struct cp_error *err);
void cp_match_release(struct cp_match *m);

/* Whether the expression matches string number id. */
bool cp_match_string(struct cp_match *m, const struct cp_profile *p,
                     uint32_t id);

/* Whether it matches the function name or the file name of a line. */
bool cp_match_line(struct cp_match *m, const struct cp_profile *p,
                   const struct cp_line *line);

/* Whether it matches the file name of the location's mapping. */
bool cp_match_mapping(struct cp_match *m, const struct cp_profile *p,
                      const struct cp_location *location);

#endif
