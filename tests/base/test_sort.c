/* test_sort.c - order, stability and search. */
#include "base/sort.h"

#include "check.h"

#define MOST 500

static void test_order(void)
{
    static const uint64_t moduli[] = { 1, 2, 7, 1000, UINT64_MAX };
    struct cp_sort_item items[MOST];
    uint64_t x = 1;

    for (size_t k = 0; k < 5; k++)
        for (size_t n = 0; n < MOST; n = n * 3 / 2 + 1) {
            for (size_t i = 0; i < n; i++) {
                x = x * 6364136223846793005u + 1442695040888963407u;
                items[i] = (struct cp_sort_item){ x % moduli[k], i };
            }
            cp_sort_items(items, n);
            for (size_t i = 1; i < n; i++)
                CHECK(items[i - 1].key < items[i].key ||
                      (items[i - 1].key == items[i].key &&
                       items[i - 1].index < items[i].index));
        }
}

static void test_lower(void)
{
    struct cp_sort_item items[] = { { 1, 0 }, { 3, 1 }, { 3, 2 }, { 9, 3 } };
    static const struct {
        uint64_t key;
        size_t want;
    } rows[] = { { 0, 0 }, { 1, 0 }, { 2, 1 }, { 3, 1 },
                 { 4, 3 }, { 9, 3 }, { 10, 4 } };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        CHECK_INT(cp_sort_lower(items, 4, rows[i].key), rows[i].want);
    CHECK_INT(cp_sort_lower(items, 0, 5), 0);
}

int main(void)
{
    RUN(test_order);
    RUN(test_lower);
    return check_failures != 0;
}
