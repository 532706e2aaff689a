/* test_samples - the table of stacks: equal, different, full, and contended. */
#include "signal/tables/samples.h"

#include <pthread.h>
#include <stdlib.h>

#include "check.h"

#define SLOTS 256
#define FRAMES 1024

static struct cp_signal_slot slots[SLOTS];
static uintptr_t frames[FRAMES];

static void clear(struct cp_signal_samples *s)
{
    memset((void *)slots, 0, sizeof(slots));
    memset(s, 0, sizeof(*s));
    s->seed = 12345;
    s->n_slots = SLOTS;
    s->n_frames = FRAMES;
    s->slots = slots;
    s->frames = frames;
}

static uint64_t sum_of_counts(const struct cp_signal_samples *s)
{
    uint64_t sum = s->lost_count;

    for (size_t i = 0; i < SLOTS; i++)
        sum += slots[i].count;
    return sum;
}

static void test_equal_and_different(void)
{
    static const struct {
        const char *name;
        uintptr_t stack[3];
        size_t n;
        struct cp_signal_tag tag;
    } rows[] = {
        { "one", { 1, 2, 3 }, 3, { 0, 0 } },
        { "shorter", { 1, 2 }, 2, { 0, 0 } },
        { "other order", { 2, 1, 3 }, 3, { 0, 0 } },
        { "other labels", { 1, 2, 3 }, 3, { 1, 0 } },
        { "other state", { 1, 2, 3 }, 3, { 0, 1 } },
        { "empty", { 0 }, 0, { 0, 0 } },
    };
    struct cp_signal_slot *found[6];
    struct cp_signal_samples s;

    clear(&s);
    for (size_t i = 0; i < 6; i++)
        found[i] =
            cp_signal_add(&s, rows[i].stack, rows[i].n, rows[i].tag, 1, 10);
    for (size_t i = 0; i < 6; i++) {
        uint64_t where = found[i]->frames;

        check_case(rows[i].name);
        CHECK(cp_signal_add(&s, rows[i].stack, rows[i].n, rows[i].tag, 2, 5) ==
              found[i]);
        CHECK_INT(found[i]->count, 3);
        CHECK_INT(found[i]->value, 15);
        CHECK_INT(where & 0xffff, rows[i].n);
        CHECK(memcmp(frames + (where >> 16), rows[i].stack,
                     rows[i].n * sizeof(frames[0])) == 0);
        for (size_t k = 0; k < i; k++)
            CHECK(found[i] != found[k]);
    }
}

static void test_full(void)
{
    struct cp_signal_samples s;
    size_t n_no_room = 0;

    clear(&s);
    for (uintptr_t i = 0; i < 4 * SLOTS; i++) {
        uintptr_t stack[8] = { i, i, i, i, i, i, i, i };

        (void)cp_signal_add(&s, stack, 8, (struct cp_signal_tag){ 0 }, 1, 1);
    }
    for (size_t i = 0; i < SLOTS; i++)
        n_no_room += slots[i].frames == CP_SAMPLE_NO_ROOM;
    CHECK_INT(sum_of_counts(&s), 4 * SLOTS);
    CHECK(s.lost_count > 0);
    CHECK(n_no_room > 0);
    CHECK_INT(s.lost_value, s.lost_count);
}

#define LARGE (4 * CP_SAMPLES_PRIMARY)

/* Few stacks use the primary slots; many use all slots. */
static void test_primary_slots_first(void)
{
    struct cp_signal_samples s;
    struct cp_signal_slot *large = calloc(LARGE + 1, sizeof(*large));
    uintptr_t stack[1], here = (uintptr_t)large;
    size_t n = 0, n_primary = 0;

    CHECK(large != NULL);
    clear(&s);
    s.n_slots = LARGE;
    s.slots = (void *)((char *)large + (64 - here % 64) % 64);
    for (; n < CP_SAMPLES_PRIMARY / 8; n++) {
        struct cp_signal_slot *slot;

        stack[0] = n + 1;
        slot = cp_signal_add(&s, stack, 1, (struct cp_signal_tag){ 0 }, 1, n);
        CHECK(slot != NULL);
        n_primary += slot < s.slots + CP_SAMPLES_PRIMARY;
        CHECK_INT(slot ? slot->first_value : 0, n);
    }
    CHECK(n_primary > n - n / 50);
    for (; n < LARGE / 4 * 3; n++) {
        stack[0] = n + 1;
        CHECK(cp_signal_add(&s, stack, 1, (struct cp_signal_tag){ 0 }, 1, n));
    }
    for (n = 0; n < LARGE / 4 * 3; n++) {
        stack[0] = n + 1;
        (void)cp_signal_add(&s, stack, 1, (struct cp_signal_tag){ 0 }, 1, 0);
    }
    CHECK_INT(s.used_slots, LARGE / 4 * 3);
    CHECK_INT(s.lost_count, 0);
    free(large);
}

struct adder {
    struct cp_signal_samples *samples;
    unsigned seed;
};

#define ADDS 20000

static void *add_many(void *arg)
{
    struct adder *a = arg;

    for (unsigned i = 0; i < ADDS; i++) {
        uintptr_t which = (a->seed + i * 7) % 64;
        uintptr_t stack[2] = { which, which + 1 };

        (void)cp_signal_add(a->samples, stack, 2, (struct cp_signal_tag){ 0 },
                            1, 1);
    }
    return NULL;
}

static void test_many_threads(void)
{
    struct cp_signal_samples s;
    struct adder adders[4];
    pthread_t threads[4];
    size_t n_used = 0;

    clear(&s);
    for (unsigned i = 0; i < 4; i++) {
        adders[i] = (struct adder){ &s, i };
        CHECK(pthread_create(&threads[i], NULL, add_many, &adders[i]) == 0);
    }
    for (unsigned i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (size_t i = 0; i < SLOTS; i++) {
        uintptr_t *stack = frames + (slots[i].frames >> 16);

        if (slots[i].key == 0)
            continue;
        n_used++;
        CHECK(stack[1] == stack[0] + 1);
    }
    CHECK_INT(n_used, 64);
    CHECK_INT(sum_of_counts(&s), 4 * ADDS);
    CHECK_INT(s.lost_count, 0);
}

int main(void)
{
    RUN(test_equal_and_different);
    RUN(test_full);
    RUN(test_primary_slots_first);
    RUN(test_many_threads);
    return check_failures != 0;
}
