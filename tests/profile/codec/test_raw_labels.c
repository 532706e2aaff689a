/* test_raw_labels.c - tests src/profile/codec/raw_labels.c. */
#include "base/alloc.h"
#include "base/out.h"
#include "profile/codec/decode_samples.h"
#include "profile/codec/raw_labels.h"
#include "profile/model/profile.h"

#include <stdio.h>

#include "check.h"
#include "proto_fixture.h"

#define N_SAMPLES 40000
#define N_KINDS                                                                \
    7000 /* distinct label sets: more than MIN_DUPLICATE_SEARCH in each table  \
          */
#define RUN_SAMPLES 500
#define N_TABLES 3

/* Writes the labels of sample i in the notation of proto_message. */
static void label_text(uint32_t i, char *text, size_t cap)
{
    uint32_t kind = i * 31 % N_KINDS;

    if (i % 11 == 0)
        (void)snprintf(text, cap, "%s", "");
    else if (i % 7 == 0) /* an empty label before another */
        (void)snprintf(text, cap, "3:{1:1} 3:{1:1 3:%u}", kind + 1);
    else if (i % 2 == 0) /* the same two labels, in either order */
        (void)snprintf(text, cap, "3:{1:2 2:1} 3:{1:1 3:%u}", kind + 1);
    else
        (void)snprintf(text, cap, "3:{1:1 3:%u} 3:{1:2 2:1}", kind + 1);
}

static void add_sample(struct cp_raw_labels *t, struct cp_profile *p,
                       uint32_t i)
{
    struct cp_out bytes = { .fd = -1 };
    char text[64];

    label_text(i, text, sizeof(text));
    (void)proto_message(text, &bytes);
    cp_raw_labels_begin(t);
    if (bytes.len) {
        const uint8_t *from = (const uint8_t *)bytes.buf;

        CHECK_INT(cp_raw_labels_add(t, from, from + bytes.len, NULL), CP_OK);
    }
    CHECK_INT(cp_raw_labels_end(t, i, &p->samples[i].label_set, NULL), CP_OK);
    CHECK_INT(cp_raw_labels_flush(t, NULL), CP_OK);
    cp_out_release(&bytes);
}

/* Runs of samples, assigned to n tables in turn. */
static struct cp_profile *read_by(size_t n, long fail_at)
{
    static const uint32_t strings[] = { 0, 1, 2 };
    struct cp_profile *p = cp_profile_new(NULL);
    struct cp_raw_labels tables[N_TABLES] = { { 0 } }, *list[N_TABLES];
    struct cp_raw_run runs[N_SAMPLES / RUN_SAMPLES];
    struct cp_decode_samples in = { .strings = strings,
                                    .n_strings = 3,
                                    .profile = p };
    struct cp_error err = { 0 };
    enum cp_status status;

    p->n_samples = N_SAMPLES;
    p->samples =
        cp_arena_alloc(&p->arena, N_SAMPLES, sizeof(*p->samples), &err);
    (void)cp_strtab_add(&p->strings, "b", 1, NULL);
    (void)cp_strtab_add(&p->strings, "a", 1, NULL);
    for (uint32_t i = 0; i < N_SAMPLES; i++)
        add_sample(&tables[i / RUN_SAMPLES % n], p, i);
    for (uint32_t k = 0; k < N_SAMPLES / RUN_SAMPLES; k++)
        runs[k] = (struct cp_raw_run){ k * RUN_SAMPLES, (k + 1) * RUN_SAMPLES,
                                       k % (uint32_t)n };
    for (size_t i = 0; i < n; i++)
        list[i] = &tables[i];
    cp_alloc_fail_at(fail_at);
    status =
        cp_raw_labels_finish(list, n, runs, N_SAMPLES / RUN_SAMPLES, &in, &err);
    cp_alloc_fail_at(0);
    for (size_t i = 0; i < n; i++)
        cp_raw_labels_release(&tables[i]);
    CHECK_INT(status == CP_OK, err.status == CP_OK);
    if (status == CP_OK)
        return p;
    cp_profile_free(p);
    return NULL;
}

/* Returns the number of the only numeric label; 0 without one. */
static int64_t number_of(const struct cp_profile *p, uint32_t set)
{
    const struct cp_label_set *s = &p->label_sets[set];

    return s->n_labels ? p->labels[s->labels + s->n_labels - 1].num : 0;
}

static void test_any_number_of_tables(void)
{
    struct cp_profile *one = read_by(1, 0);

    for (uint32_t i = 0; i < N_SAMPLES; i++) {
        bool is_empty = i % 11 == 0;
        uint32_t set = one->samples[i].label_set;

        CHECK_INT(one->label_sets[set].n_labels,
                  is_empty ? 0u : (i % 7 == 0 ? 1u : 2u));
        CHECK_INT(number_of(one, set), is_empty ? 0 : i * 31 % N_KINDS + 1);
    }
    for (size_t n = 2; n <= N_TABLES; n++) {
        struct cp_profile *p = read_by(n, 0);
        bool is_same = p->n_label_sets == one->n_label_sets &&
                       p->n_labels == one->n_labels;

        CHECK(is_same);
        for (uint32_t i = 0; is_same && i < N_SAMPLES; i++)
            is_same = p->samples[i].label_set == one->samples[i].label_set;
        for (uint32_t i = 0; is_same && i < p->n_label_sets; i++)
            is_same = p->label_sets[i].labels == one->label_sets[i].labels;
        CHECK(is_same);
        cp_profile_free(p);
    }
    cp_profile_free(one);
}

static void test_memory_runs_out(void)
{
    struct cp_profile *p = NULL;
    long n = 1;

    for (; !p && n < 100; n++)
        p = read_by(2, n);
    CHECK(p != NULL);
    CHECK(n > 5);
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_any_number_of_tables);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
