/* test_sort.c - tests src/base/sort.c. */
#include "base/alloc.h"
#include "base/sort.h"

#include <stdlib.h>

#include "check.h"

/* Pseudo-random numbers, equal in each run. */
static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

/* Sorts n pairs with keys below a limit; the values are their old indexes. */
static void check_sorted(const char *name, size_t n, uint64_t limit,
                         uint64_t base)
{
    struct cp_sort_pair *pairs = calloc(n + 1, sizeof(*pairs));
    uint64_t state = n, sum = 0;
    int is_sorted = 1, is_stable = 1;

    check_case(name);
    for (size_t i = 0; i < n; i++) {
        pairs[i] = (struct cp_sort_pair){ base + next(&state) % limit, i };
        sum += i;
    }
    CHECK_INT(cp_sort_pairs(pairs, n, NULL), CP_OK);
    for (size_t i = 0; i < n; i++) {
        sum -= pairs[i].value;
        if (i == 0)
            continue;
        is_sorted &= pairs[i - 1].key <= pairs[i].key;
        is_stable &= pairs[i - 1].key != pairs[i].key ||
                     pairs[i - 1].value < pairs[i].value;
    }
    CHECK(is_sorted);
    CHECK(is_stable);
    CHECK_INT(sum, 0);
    free(pairs);
}

static void test_sizes(void)
{
    check_sorted("nothing", 0, 10, 0);
    check_sorted("one", 1, 10, 0);
    check_sorted("two", 2, 10, 0);
    check_sorted("short", 32, 20, 0);
    check_sorted("just long", 33, 20, 0);
    check_sorted("equal keys", 1000, 1, 7);
    check_sorted("one pass", 5000, 100, 0);
    check_sorted("two passes", 5000, 1 << 20, 0xffffffff81000000u);
    check_sorted("all passes", 20000, UINT64_MAX, 0);
}

static void test_structs(void)
{
    struct {
        char name;
        uint64_t key;
    } items[] = { { 'c', 3 }, { 'a', 1 }, { 'x', 3 }, { 'b', 2 } };

    CHECK_INT(cp_sort_structs(items, 4, sizeof(items[0]),
                              (size_t)((char *)&items[0].key - &items[0].name),
                              NULL),
              CP_OK);
    CHECK(items[0].name == 'a' && items[1].name == 'b');
    CHECK(items[2].name == 'c' && items[3].name == 'x');
    CHECK_INT(cp_sort_structs(NULL, 0, 16, 8, NULL), CP_OK);
}

static void test_no_memory(void)
{
    struct cp_sort_pair pairs[100] = { 0 };
    struct cp_error err;

    for (size_t i = 0; i < 100; i++)
        pairs[i].key = 100 - i;
    cp_alloc_fail_at(1);
    CHECK_INT(cp_sort_pairs(pairs, 100, &err), CP_ENOMEM);
    cp_alloc_fail_at(0);
    CHECK_INT(pairs[0].key, 100);
}

int main(void)
{
    RUN(test_sizes);
    RUN(test_structs);
    RUN(test_no_memory);
    return check_failures != 0;
}
