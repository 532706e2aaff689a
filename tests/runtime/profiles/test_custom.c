/*
 * test_custom - a custom profile counts the values that are in it, through any
 * sequence of insertions and removals, and rejects bad names and values.
 */
#include "profile/model/profile.h"
#include "runtime/kind/kind.h"
#include "runtime/profiles/custom.h"

#include <stdio.h>

#include "check.h"

#define N_VALUES 4096
#define N_STEPS 200000

static struct cp_custom *custom;
static bool is_in[N_VALUES]; /* what the profile must contain */

static const void *value(size_t i)
{
    return (const void *)(uintptr_t)(0x10000 + 64 * i);
}

static uint64_t count(void)
{
    const struct cp_kind *kind = cp_custom_kind(0);

    return kind->count_of(kind);
}

/* The sum of the values in the profile that a client gets. */
static int64_t profile_total(void)
{
    const struct cp_kind *kind = cp_custom_kind(0);
    const struct cp_kind_request request = { .kind = kind };
    struct cp_profile *p = NULL;
    void *recording = NULL;
    int64_t sum = 0;

    if (!CHECK(kind->begin(&request, &recording, NULL) == CP_OK) ||
        !CHECK(kind->finish(recording, &p, NULL) == CP_OK))
        return -1;
    for (uint32_t i = 0; i < p->n_samples; i++)
        sum += p->values[i * p->n_types];
    cp_profile_free(p);
    return sum;
}

static void test_errors(void)
{
    struct cp_error err = { 0 };
    int there = 0;

    CHECK(cp_custom_add(custom, NULL, 0, &err) == CP_EUSAGE);
    CHECK(cp_custom_remove(custom, NULL, &err) == CP_EUSAGE);
    CHECK(cp_custom_remove(custom, &there, &err) == CP_EUSAGE);
    CHECK(cp_custom_add(custom, &there, 0, &err) == CP_OK);
    CHECK(cp_custom_add(custom, &there, 0, &err) == CP_EUSAGE);
    CHECK_INT(count(), 1);
    CHECK(cp_custom_remove(custom, &there, &err) == CP_OK);
    CHECK(cp_custom_remove(custom, &there, &err) == CP_EUSAGE);
    CHECK_INT(count(), 0);
}

/* One step: adds the value if it is not there, else removes it. */
static void toggle(size_t i, size_t *n)
{
    enum cp_status wrong = is_in[i] ? cp_custom_add(custom, value(i), 0, NULL)
                                    : cp_custom_remove(custom, value(i), NULL);
    enum cp_status right = is_in[i] ? cp_custom_remove(custom, value(i), NULL)
                                    : cp_custom_add(custom, value(i), 0, NULL);

    CHECK(wrong == CP_EUSAGE && right == CP_OK);
    is_in[i] = !is_in[i];
    *n = is_in[i] ? *n + 1 : *n - 1;
}

static void test_random_changes(void)
{
    uint32_t state = 1;
    size_t n = 0;

    for (int step = 0; step < N_STEPS; step++) {
        state = state * 1664525u + 1013904223u;
        toggle(state >> 12 & (N_VALUES - 1), &n);
    }
    CHECK_INT(count(), n);
    CHECK_INT(profile_total(), (int64_t)n);
    for (size_t i = 0; i < N_VALUES; i++)
        if (is_in[i])
            toggle(i, &n);
    CHECK_INT(count(), 0);
    CHECK_INT(profile_total(), 0);
}

/* The child of a fork keeps the values. */
static void test_reset_after_fork(void)
{
    int there = 0;

    CHECK(cp_custom_add(custom, &there, 0, NULL) == CP_OK);
    cp_custom_reset_after_fork();
    CHECK_INT(count(), 1);
    CHECK(cp_custom_remove(custom, &there, NULL) == CP_OK);
}

static void test_names(void)
{
    static const char *const bad[] = { "", ".", ".x", "a/b", "a b", "ä" };
    char name[65] = "";
    struct cp_custom *c = NULL;

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        CHECK(cp_custom_new(&c, bad[i], false, NULL) == CP_EUSAGE);
    CHECK(cp_custom_new(&c, "heap", true, NULL) == CP_EUSAGE);
    CHECK(cp_custom_new(&c, "values", false, NULL) == CP_EUSAGE);
    memset(name, 'a', 64);
    CHECK(cp_custom_new(&c, name, false, NULL) == CP_EUSAGE);
    name[63] = '\0';
    CHECK(cp_custom_new(&c, name, false, NULL) == CP_OK);
    CHECK_STR(cp_custom_kind(1)->name, name);
    CHECK(cp_custom_kind(2) == NULL);
}

static void test_maximum(void)
{
    struct cp_custom *c = NULL;
    char name[16];
    int n = 0;

    while (cp_custom_kind((size_t)n))
        n++;
    for (; n < CP_CUSTOM_MAX_PROFILES; n++) {
        (void)snprintf(name, sizeof(name), "p%d", n);
        CHECK(cp_custom_new(&c, name, false, NULL) == CP_OK);
    }
    CHECK(cp_custom_new(&c, "one.more", false, NULL) == CP_EUSAGE);
    CHECK(cp_custom_kind(CP_CUSTOM_MAX_PROFILES) == NULL);
}

int main(void)
{
    CHECK(cp_custom_kind(0) == NULL);
    if (!CHECK(cp_custom_new(&custom, "values", false, NULL) == CP_OK))
        return 1;
    RUN(test_errors);
    RUN(test_random_changes);
    RUN(test_reset_after_fork);
    RUN(test_names);
    RUN(test_maximum);
    return check_failures != 0;
}
