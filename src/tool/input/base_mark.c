/* base_mark.c - adds the label "pprof::base" to all label sets of a profile. */
#include "tool/input/base_mark.h"

#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/label_table.h"
#include "profile/model/profile.h"

enum cp_status cp_base_mark(struct cp_profile *p, struct cp_error *err)
{
    uint32_t key = cp_strtab_add(&p->strings, "pprof::base", 11, err);
    uint32_t yes = cp_strtab_add(&p->strings, "true", 4, err);
    uint32_t n_sets = p->n_label_sets;
    uint32_t *marked = cp_alloc(n_sets, sizeof(*marked), err);
    struct cp_label *room =
        cp_alloc((size_t)p->n_labels + 1, sizeof(*room), err);
    struct cp_label_table table = { 0 };
    enum cp_status status = CP_ENOMEM;

    if (key != CP_NO_STR && yes != CP_NO_STR && marked && room &&
        cp_label_table_init(&table, p, err) == CP_OK)
        status = CP_OK;
    for (uint32_t i = 0; status == CP_OK && i < n_sets; i++) {
        struct cp_label_set set = p->label_sets[i];
        uint32_t n = 0;

        for (uint32_t k = 0; k < set.n_labels; k++)
            if (p->labels[set.labels + k].key != key ||
                p->labels[set.labels + k].str == CP_NONE)
                room[n++] = p->labels[set.labels + k];
        room[n++] = (struct cp_label){ .key = key, .str = yes };
        marked[i] = cp_label_table_add(&table, room, n, err);
        status = marked[i] == CP_NONE ? CP_ENOMEM : CP_OK;
    }
    for (uint32_t i = 0; status == CP_OK && i < p->n_samples; i++)
        p->samples[i].label_set = marked[p->samples[i].label_set];
    cp_label_table_release(&table);
    cp_free(room);
    cp_free(marked);
    return status;
}
