/*
 * fuzz_legacy.c - any bytes at all, to every reader of the old formats: they
 * must stay inside the bytes, and what they make must hang together.
 */
#include "profile/legacy.h"

#include <stdlib.h>

typedef struct cp_profile *reader(const char *bytes, size_t len,
                                  struct cp_error *err);

/* As jeprof reads them. */
static struct cp_profile *read_as_jeprof(const char *bytes, size_t len,
                                         struct cp_error *err)
{
    struct cp_heap_reading how = { .parts = CP_HEAP_PARTS };

    return cp_legacy_read_as(bytes, len, &how, err);
}

static reader *const readers[] = {
    cp_legacy_read_cpu,   cp_legacy_read_heap,   cp_legacy_read_jemalloc,
    cp_legacy_read_count, cp_legacy_read_thread, cp_legacy_read_contention,
    cp_legacy_read_java,  cp_legacy_read,        read_as_jeprof,
};

static void check(bool ok)
{
    if (!ok)
        abort();
}

static void check_locations(const struct cp_profile *p)
{
    for (uint32_t i = 0; i < p->n_locations; i++) {
        const struct cp_location *l = &p->locations[i];

        check(l->mapping == CP_NONE || l->mapping < p->n_mappings);
        check((uint64_t)l->lines + l->n_lines <= p->n_lines);
        for (uint32_t k = 0; k < l->n_lines; k++)
            check(p->lines[l->lines + k].function < p->n_functions);
    }
}

static void check_samples(const struct cp_profile *p)
{
    for (uint32_t i = 0; i < p->n_samples; i++) {
        const struct cp_sample *s = &p->samples[i];

        check(s->label_set < p->n_label_sets);
        check(s->locs + s->n_locs <= p->n_locs);
        for (uint32_t k = 0; k < s->n_locs; k++)
            check(p->locs[s->locs + k] < p->n_locations);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        struct cp_error err = { 0 };
        struct cp_profile *p = readers[i]((const char *)data, size, &err);

        if (p) {
            check_samples(p);
            check_locations(p);
        } else {
            check(err.status != CP_OK && err.msg[0]);
        }
        cp_profile_free(p);
    }
    return 0;
}
