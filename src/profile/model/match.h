/*
 * match - asks a regular expression about a profile's strings, each once.
 *
 * A name stands in many locations; the answer for a string is kept, so an
 * expression costs the number of distinct names and not of places.
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

/* Starts as { 0 }, which matches nothing and is not set. */
struct cp_match {
    struct cp_regex *re; /* borrowed */
    uint8_t *answers;    /* by string: 0 unknown, 1 no, 2 yes */
    bool is_simplified;  /* ask about simplified function names */
};

/* re may be NULL. */
enum cp_status cp_match_init(struct cp_match *m, struct cp_regex *re,
                             const struct cp_profile *p, struct cp_error *err);
void cp_match_release(struct cp_match *m);

/* Whether the expression matches string number id. */
bool cp_match_string(struct cp_match *m, const struct cp_profile *p,
                     uint32_t id);

/* Whether it matches the name or the file of a line's function. */
bool cp_match_line(struct cp_match *m, const struct cp_profile *p,
                   const struct cp_line *line);

/* Whether it matches the file of a location's mapping. */
bool cp_match_mapping(struct cp_match *m, const struct cp_profile *p,
                      const struct cp_location *location);

#endif
