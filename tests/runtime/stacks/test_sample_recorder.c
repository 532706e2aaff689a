/* test_sample_recorder - overlapping recordings and their samples. */
#include "profile/model/build.h"
#include "runtime/os/tables.h"
#include "runtime/stacks/sample_recorder.h"
#include "runtime/threads/labels.h"
#include "signal/unwinder/walk.h"

#include "check.h"

#define MIN_TABLE ((size_t)320 << 10) /* the smallest table */

static _Atomic(struct cp_signal_samples *) live;
static struct cp_sample_recorder recorder = { .live = &live };

static void add(uintptr_t leaf, uint64_t count, uint32_t labels, uint32_t state)
{
    uintptr_t stack[] = { leaf, 0x2000 };
    struct cp_signal_tag tag = { labels, state };

    CHECK(atomic_load(&live) != NULL);
    (void)cp_signal_add(atomic_load(&live), stack, 2, tag, count, count * 10);
}

static struct cp_profile *written(const struct cp_sample_recorder_mark *mark,
                                  const char *const *states)
{
    struct cp_builder b = { 0 };
    struct cp_error err = { 0 };
    struct cp_profile *p;

    CHECK(cp_builder_init(&b, &err) == CP_OK);
    CHECK(cp_builder_type(&b, "samples", "count", &err) == CP_OK);
    CHECK(cp_builder_type(&b, "cpu", "nanoseconds", &err) == CP_OK);
    CHECK(cp_sample_recorder_write(mark, states, &b, &err) == CP_OK);
    p = cp_builder_take(&b);
    cp_builder_release(&b);
    return p;
}

/* Sum of the counts of samples with this leaf; -1 if there are none. */
static int64_t count_at(const struct cp_profile *p, uint64_t leaf)
{
    int64_t sum = -1;

    for (uint32_t i = 0; i < p->n_samples; i++) {
        const struct cp_sample *s = &p->samples[i];

        if (p->locations[p->locs[s->locs]].address == leaf)
            sum = (sum < 0 ? 0 : sum) + p->values[i * p->n_types];
    }
    return sum;
}

static void test_overlapping_recordings(void)
{
    struct cp_sample_recorder_mark first, second;
    struct cp_error err;
    struct cp_profile *p;

    CHECK(cp_sample_recorder_open(&recorder, &first, &err) == CP_OK);
    add(0x1000, 3, 0, 0);
    add(0x1100, 1, 0, 0);
    CHECK(cp_sample_recorder_open(&recorder, &second, &err) == CP_OK);
    add(0x1000, 4, 0, 0);
    add(0x1200, 5, 0, 0);
    p = written(&first, NULL);
    CHECK_INT(count_at(p, 0x1000), 7);
    CHECK_INT(count_at(p, 0x1100), 1);
    CHECK_INT(count_at(p, 0x1200), 5);
    cp_profile_free(p);
    cp_sample_recorder_close(&recorder, &first);
    p = written(&second, NULL);
    CHECK_INT(count_at(p, 0x1000), 4);
    CHECK_INT(count_at(p, 0x1100), -1);
    CHECK_INT(count_at(p, 0x1200), 5);
    CHECK_INT(p->values[1], p->values[0] * 10);
    cp_profile_free(p);
    cp_sample_recorder_close(&recorder, &second);
    CHECK(atomic_load(&live) == NULL);
    CHECK_INT(cp_sample_recorder_bytes(&recorder), 0);
}

/* Recordings always overlap: new tables are added, old ones freed. */
static void test_tables_are_freed(void)
{
    struct cp_sample_recorder_mark marks[2];
    struct cp_error err;
    struct cp_profile *p;
    uintptr_t leaf = 0x10000;

    CHECK(cp_sample_recorder_open(&recorder, &marks[0], &err) == CP_OK);
    for (int n = 1; n < 8; n++) {
        for (size_t i = 0; i < CP_SAMPLE_RECORDER_SLOTS / 3; i++)
            add(leaf++, 1, 0, 0);
        CHECK(cp_sample_recorder_open(&recorder, &marks[n % 2], &err) == CP_OK);
        p = written(&marks[(n + 1) % 2], NULL);
        CHECK_INT(p->n_samples, CP_SAMPLE_RECORDER_SLOTS / 3);
        CHECK_INT(count_at(p, leaf - 1), 1);
        CHECK_INT(count_at(p, 0), -1); /* nothing was lost */
        cp_profile_free(p);
        cp_sample_recorder_close(&recorder, &marks[(n + 1) % 2]);
        CHECK(recorder.n_tables <= 2);
    }
    cp_sample_recorder_close(&recorder, &marks[1]);
    CHECK_INT(recorder.n_tables, 0);
}

/* A recording writes tables in which no open recording starts. */
static void test_used_table(void)
{
    struct cp_sample_recorder_mark first, second, third;
    struct cp_error err;
    struct cp_profile *p;

    CHECK(cp_sample_recorder_open(&recorder, &first, &err) == CP_OK);
    for (uintptr_t i = 0; i < CP_SAMPLE_RECORDER_SLOTS / 2 + 10; i++)
        add(0x10000 + i, 1, 0, 0);
    CHECK(cp_sample_recorder_open(&recorder, &second, &err) == CP_OK);
    CHECK(second.table != first.table);
    add(0x1000, 1, 0, 0);
    cp_sample_recorder_close(&recorder, &second);
    CHECK(cp_sample_recorder_open(&recorder, &third, &err) == CP_OK);
    add(0x1100, 1, 0, 0);
    p = written(&third, NULL);
    CHECK_INT(p->n_samples, 1);
    CHECK_INT(count_at(p, 0x1100), 1);
    cp_profile_free(p);
    cp_sample_recorder_close(&recorder, &third);
    p = written(&first, NULL);
    CHECK_INT(p->n_samples, CP_SAMPLE_RECORDER_SLOTS / 2 + 12);
    cp_profile_free(p);
    cp_sample_recorder_close(&recorder, &first);
}

static void test_empty_again(void)
{
    struct cp_sample_recorder_mark mark;
    struct cp_error err;
    struct cp_profile *p;

    CHECK(cp_sample_recorder_open(&recorder, &mark, &err) == CP_OK);
    p = written(&mark, NULL);
    CHECK_INT(p->n_samples, 0);
    cp_profile_free(p);
    cp_sample_recorder_close(&recorder, &mark);
}

static void test_special_frames(void)
{
    struct cp_sample_recorder_mark mark;
    struct cp_error err;
    struct cp_profile *p;
    const struct cp_location *location;

    CHECK(cp_sample_recorder_open(&recorder, &mark, &err) == CP_OK);
    add(CP_FRAME_ELIDED, 2, 0, 0);
    cp_signal_add_lost(atomic_load(&live), 9, 90);
    p = written(&mark, NULL);
    CHECK_INT(p->n_samples, 2);
    CHECK_INT(count_at(p, 0), 11);
    location = &p->locations[p->locs[p->samples[0].locs]];
    CHECK_INT(location->n_lines, 1);
    CHECK_STR(cp_profile_cstr(
                  p, p->functions[p->lines[location->lines].function].name),
              "[frames left out]");
    cp_profile_free(p);
    cp_sample_recorder_close(&recorder, &mark);
}

static void test_labels(void)
{
    static const char *const states[] = { "", "running", "sleeping" };
    struct cp_sample_recorder_mark mark;
    struct cp_error err;
    struct cp_profile *p;
    uint32_t set;

    CHECK(cp_labels_change(0, "route", "/a", &set, &err) == CP_OK);
    CHECK(cp_sample_recorder_open(&recorder, &mark, &err) == CP_OK);
    add(0x1000, 1, set, 2);
    p = written(&mark, states);
    CHECK_INT(p->n_samples, 1);
    CHECK_INT(p->label_sets[p->samples[0].label_set].n_labels, 2);
    cp_profile_free(p);
    cp_sample_recorder_close(&recorder, &mark);
}

/* Limit and sum of the charges of tables, bytes. */
static size_t max_charged = SIZE_MAX, charged;

static bool charge(size_t bytes)
{
    if (bytes > max_charged - charged)
        return false;
    charged += bytes;
    return true;
}

static void uncharge(size_t bytes)
{
    CHECK(bytes <= charged);
    charged -= bytes;
}

/* Adds more stacks of 100 frames than a table has room for. */
static void fill(void)
{
    uintptr_t stack[100] = { 0 };
    struct cp_signal_tag tag = { 0, 0 };

    for (uintptr_t i = 0; i < 2 * CP_SAMPLE_RECORDER_SLOTS; i++) {
        stack[0] = i + 1;
        (void)cp_signal_add(atomic_load(&live), stack, 100, tag, 1, 1);
    }
}

/* Tables stay within the limits, and count the samples without room. */
static void check_limits(size_t max_of_one, size_t max_of_all)
{
    struct cp_tables_options options = { max_of_one, charge, uncharge };
    struct cp_sample_recorder_mark marks[2];
    struct cp_error err;
    struct cp_profile *p;
    int64_t sum = 0;

    cp_tables_configure(&options);
    max_charged = max_of_all;
    for (int i = 0; i < 2;
         i++) { /* the second is added because the first is full */
        CHECK(cp_sample_recorder_open(&recorder, &marks[i], &err) == CP_OK);
        fill();
        CHECK(charged <= (size_t)(i + 1) * max_of_one && charged <= max_of_all);
        CHECK(cp_sample_recorder_bytes(&recorder) <=
              charged + (size_t)(i + 1) * MIN_TABLE);
        CHECK(cp_sample_recorder_bytes(&recorder) > charged / 2);
    }
    CHECK_INT(recorder.n_tables, 2);
    p = written(&marks[1], NULL);
    for (uint32_t i = 0; i < p->n_samples; i++)
        sum += p->values[i * p->n_types];
    CHECK_INT(sum, 2 * CP_SAMPLE_RECORDER_SLOTS);
    cp_profile_free(p);
    cp_sample_recorder_close(&recorder, &marks[0]);
    cp_sample_recorder_close(&recorder, &marks[1]);
    CHECK_INT(charged, 0);
}

static void test_bounds(void)
{
    static const struct cp_tables_options none;

    check_limits((size_t)32 << 20, (size_t)64 << 20);
    check_limits((size_t)32 << 20, (size_t)24 << 20);
    check_limits((size_t)5 << 20, (size_t)64 << 20);
    check_limits((size_t)1 << 20, (size_t)1 << 20);
    check_limits((size_t)1 << 20, 0);
    check_limits(1, 0);
    cp_tables_configure(&none);
}

int main(void)
{
    RUN(test_overlapping_recordings);
    RUN(test_tables_are_freed);
    RUN(test_used_table);
    RUN(test_empty_again);
    RUN(test_special_frames);
    RUN(test_labels);
    RUN(test_bounds);
    return check_failures != 0;
}
