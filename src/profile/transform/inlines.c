/* inlines.c - removes inlined calls. */
#include "profile/transform/inlines.h"

#include "profile/model/profile.h"

void cp_inlines_drop(struct cp_profile *p, bool keep_columns)
{
    for (uint32_t i = 0; i < p->n_mappings; i++)
        p->mappings[i].has_inline_frames = false;
    for (uint32_t i = 0; i < p->n_locations; i++) {
        struct cp_location *l = &p->locations[i];

        if (l->n_lines == 0)
            continue;
        l->lines += l->n_lines - 1;
        l->n_lines = 1;
        if (!keep_columns)
            p->lines[l->lines].column = 0;
    }
}
