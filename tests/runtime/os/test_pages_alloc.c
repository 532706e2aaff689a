/* test_pages_alloc - blocks are zeroed, limited and reused. */
#include "base/alloc.h"
#include "runtime/os/pages_alloc.h"

#include <pthread.h>
#include <stdint.h>

#include "check.h"

static bool is_zero(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

/* All size classes, twice: the second time blocks come from free lists. */
static void test_sizes(void)
{
    for (int repeat = 0; repeat < 2; repeat++) {
        for (size_t n = 0; n < 100000; n += n / 7 + 1) {
            char *p = cp_alloc(n, 1, NULL);

            CHECK(p && (uintptr_t)p % 16 == 0 && is_zero(p, n));
            memset(p, 0xff, n);
            cp_free(p);
        }
    }
    cp_free(NULL);
}

static void test_resize(void)
{
    char *p = NULL;

    for (size_t n = 1; n < 3000000; n = n * 3 / 2 + 1) {
        p = cp_resize(p, n, 1, NULL);
        CHECK(p != NULL);
        p[n - 1] = 'x';
        p[n / 2] = 'y';
        p = cp_resize(p, n, 1, NULL);
        CHECK((p[n - 1] == 'x' || n <= 2) && p[n / 2] == 'y');
    }
    p = cp_resize(p, 10, 1, NULL);
    CHECK(p != NULL);
    cp_free(p);
}

static void test_limit(void)
{
    struct cp_error err = { 0 };
    size_t before = cp_pages_bytes();
    char *p, *q;

    cp_pages_set_limit(before + 1000000);
    CHECK(cp_alloc(2000000, 1, &err) == NULL);
    CHECK_INT(err.status, CP_ENOMEM);
    CHECK_INT(cp_pages_bytes(), before);
    p = cp_alloc(500000, 1, &err);
    CHECK(p && cp_pages_bytes() > before);
    CHECK(cp_resize(p, 3000000, 1, &err) == NULL);
    q = cp_resize(p, 900000, 1, &err);
    CHECK(q != NULL);
    cp_free(q);
    CHECK_INT(cp_pages_bytes(), before);
    cp_pages_reserve(300000); /* tables mapped elsewhere */
    CHECK(cp_alloc(800000, 1, &err) == NULL);
    p = cp_alloc(300000, 1, &err);
    CHECK(p != NULL);
    CHECK(cp_resize(p, 800000, 1, &err) == NULL);
    cp_free(p);
    cp_pages_set_limit(800000);
    CHECK(!cp_pages_charge(300001)); /* the limit is three eighths */
    CHECK(cp_pages_charge(200000));
    CHECK(!cp_pages_charge(200000));
    cp_pages_uncharge(200000);
    CHECK(cp_pages_charge(300000));
    cp_pages_uncharge(300000);
    cp_pages_set_limit(0);
    CHECK(cp_pages_charge(SIZE_MAX / 4));
    cp_pages_uncharge(SIZE_MAX / 4);
    CHECK(cp_alloc(SIZE_MAX / 2, 3, &err) == NULL);
    CHECK(cp_resize(NULL, SIZE_MAX, SIZE_MAX, &err) == NULL);
}

static void *use(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    char *kept[16] = { 0 };
    uintptr_t n_bad = 0;

    for (unsigned i = 0; i < 20000; i++) {
        char **slot = &kept[i % 16];
        size_t n = seed = seed * 1664525u + 1013904223u;

        cp_free(*slot);
        n = n / 65536 % 3000 + 1;
        *slot = cp_alloc(n, 1, NULL);
        n_bad += !*slot || !is_zero(*slot, n);
        memset(*slot, (int)i, n);
    }
    for (unsigned i = 0; i < 16; i++)
        cp_free(kept[i]);
    return (void *)n_bad;
}

static void test_threads(void)
{
    pthread_t threads[4];
    void *n_bad;

    for (uintptr_t i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, use, (void *)i) == 0);
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_join(threads[i], &n_bad) == 0);
        CHECK(n_bad == NULL);
    }
}

int main(void)
{
    RUN(test_sizes);
    RUN(test_resize);
    RUN(test_limit);
    RUN(test_threads);
    return check_failures != 0;
}
