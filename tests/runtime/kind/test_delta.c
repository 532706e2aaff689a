/* test_delta - differences of snapshots. */
#include "base/alloc.h"
#include "profile/model/build.h"
#include "runtime/kind/delta.h"

#include "check.h"

/* A heap profile: n[i] allocated and m[i] live objects at each address. */
static struct cp_profile *make(const int64_t n[2], const int64_t m[2])
{
    struct cp_builder b = { 0 };
    struct cp_error err = { 0 };

    (void)cp_builder_init(&b, &err);
    (void)cp_builder_type(&b, "alloc_objects", "count", &err);
    (void)cp_builder_type(&b, "inuse_objects", "count", &err);
    (void)cp_builder_period(&b, "space", "bytes", 1, &err);
    for (int i = 0; i < 2; i++) {
        uint32_t loc = cp_builder_location(&b, 0x1000 + (uint64_t)i, &err);
        int64_t values[2] = { n[i], m[i] };

        (void)cp_builder_sample(&b, &loc, 1, values, 0, &err);
    }
    CHECK_INT(err.status, CP_OK);
    return cp_builder_take(&b);
}

/* Checks the values at an address; zeros stand for no sample. */
static void expect(const struct cp_profile *p, uint64_t address, int64_t n,
                   int64_t m)
{
    int64_t got[2] = { 0, 0 };

    for (uint32_t i = 0; i < p->n_samples; i++)
        if (p->locations[cp_profile_stack(p, i)[0]].address == address)
            memcpy(got, p->values + 2 * (size_t)i, sizeof(got));
    CHECK_INT(got[0], n);
    CHECK_INT(got[1], m);
}

static void test_between(void)
{
    struct cp_profile *p =
        cp_delta_between(make((int64_t[]){ 10, 5 }, (int64_t[]){ 4, 5 }),
                         make((int64_t[]){ 12, 5 }, (int64_t[]){ 3, 5 }), NULL);

    if (CHECK(p)) {
        CHECK_INT(p->n_samples, 1);
        expect(p, 0x1000, 2, -1);
    }
    cp_profile_free(p);
}

static void test_since(void)
{
    struct cp_profile *last = NULL, *p;

    p = cp_delta_since(&last, make((int64_t[]){ 10, 5 }, (int64_t[]){ 4, 5 }),
                       NULL);
    if (CHECK(p && last)) { /* all is new at the first call */
        expect(p, 0x1000, 10, 4);
        expect(p, 0x1001, 5, 5);
    }
    cp_profile_free(p);
    p = cp_delta_since(&last, make((int64_t[]){ 12, 5 }, (int64_t[]){ 3, 0 }),
                       NULL);
    if (CHECK(p)) {
        expect(p, 0x1000, 2, 3);
        expect(p, 0x1001, 0, 0);
        CHECK_INT(p->n_samples, 1);
    }
    cp_profile_free(p);
    p = cp_delta_since(&last, make((int64_t[]){ 12, 6 }, (int64_t[]){ 3, 1 }),
                       NULL);
    if (CHECK(p)) {
        expect(p, 0x1000, 0, 3);
        expect(p, 0x1001, 1, 1);
    }
    cp_profile_free(p);
    cp_profile_free(last);
}

static void test_no_memory(void)
{
    for (long n = 1; n < 60; n++) {
        struct cp_profile *last =
            make((int64_t[]){ 1, 1 }, (int64_t[]){ 1, 1 });
        struct cp_profile *p = make((int64_t[]){ 2, 1 }, (int64_t[]){ 1, 1 });
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        p = cp_delta_since(&last, p, &err);
        cp_alloc_fail_at(0);
        CHECK(p || err.status != CP_OK);
        cp_profile_free(p);
        cp_profile_free(last);
    }
}

int main(void)
{
    RUN(test_between);
    RUN(test_since);
    RUN(test_no_memory);
    return check_failures != 0;
}
