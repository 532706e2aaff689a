/* profile_check - the invariants of every profile that a reader makes. */
#ifndef CP_PROFILE_CHECK_H
#define CP_PROFILE_CHECK_H

#include <stdlib.h>

#include "base/error.h"
#include "base/index.h"
#include "profile/model/profile.h"

static inline void check(bool ok)
{
    if (!ok)
        abort();
}

static inline void check_locations(const struct cp_profile *p)
{
    for (uint32_t i = 0; i < p->n_locations; i++) {
        const struct cp_location *l = &p->locations[i];

        check(l->mapping == CP_NONE || l->mapping < p->n_mappings);
        check((uint64_t)l->lines + l->n_lines <= p->n_lines);
        for (uint32_t k = 0; k < l->n_lines; k++)
            check(p->lines[l->lines + k].function < p->n_functions);
    }
}

static inline void check_samples(const struct cp_profile *p)
{
    for (uint32_t i = 0; i < p->n_samples; i++) {
        const struct cp_sample *s = &p->samples[i];

        check(s->label_set < p->n_label_sets);
        check(s->locs + s->n_locs <= p->n_locs);
        for (uint32_t k = 0; k < s->n_locs; k++)
            check(p->locs[s->locs + k] < p->n_locations);
    }
}

/* Checks for a valid profile or an error message; frees the profile. */
static inline void check_outcome(struct cp_profile *p,
                                 const struct cp_error *err)
{
    if (p) {
        check_samples(p);
        check_locations(p);
    } else {
        check(err->status != CP_OK && err->msg[0]);
    }
    cp_profile_free(p);
}

#endif
