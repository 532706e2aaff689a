/* delta.c - negates the earlier snapshot and merges both. */
#include "runtime/kind/delta.h"

#include <string.h>

#include "profile/model/profile.h"
#include "profile/transform/merge.h"
#include "profile/transform/scale.h"

#define MAX_COLUMNS 16

struct cp_profile *cp_delta_between(struct cp_profile *before,
                                    struct cp_profile *after,
                                    struct cp_error *err)
{
    struct cp_profile *both[2] = { before, after };

    if (cp_scale_all(before, -1, err) == CP_OK)
        return cp_merge(both, 2, err);
    cp_profile_free(before);
    cp_profile_free(after);
    return NULL;
}

/* Negates the columns that only grow, and clears the others. */
static void negate_growing(struct cp_profile *p)
{
    double ratios[MAX_COLUMNS] = { 0 };

    for (uint32_t i = 0; i < p->n_types && i < MAX_COLUMNS; i++) {
        const char *type = cp_profile_cstr(p, p->types[i].type);

        if (strncmp(type, "inuse_", 6) != 0)
            ratios[i] = -1;
    }
    cp_scale_columns(p, ratios);
}

struct cp_profile *cp_delta_since(struct cp_profile **last,
                                  struct cp_profile *after,
                                  struct cp_error *err)
{
    struct cp_profile *kept = cp_profile_copy(after, err);
    struct cp_profile *both[2] = { *last, after };

    if (kept && after->n_types > MAX_COLUMNS)
        (void)cp_error_set(err, CP_EOTHER,
                           "the profile has more than 16 sample types");
    if (!kept || after->n_types > MAX_COLUMNS) {
        cp_profile_free(kept);
        cp_profile_free(after);
        return NULL;
    }
    *last = kept;
    if (!both[0])
        return after;
    negate_growing(both[0]);
    return cp_merge(both, 2, err);
}
