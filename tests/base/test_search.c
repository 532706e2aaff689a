/* test_search.c - tests src/base/search.h. */
#include "base/search.h"

#include "check.h"

static const uint64_t numbers[] = { 2, 4, 4, 4, 7, UINT64_MAX };

static const struct {
    const char *what;
    size_t n;
    uint64_t key;
    size_t from, above;
} cases[] = {
    { "nothing", 0, 4, 0, 0 },
    { "one, below", 1, 1, 0, 0 },
    { "one, equal", 1, 2, 0, 1 },
    { "one, above", 1, 3, 1, 1 },
    { "before all", 6, 0, 0, 0 },
    { "between", 6, 5, 4, 4 },
    { "equal keys", 6, 4, 1, 4 },
    { "the largest there is", 6, UINT64_MAX, 5, 6 },
    { "behind all", 5, 8, 5, 5 },
};

static void test_cases(void)
{
    struct {
        int other;
        uint64_t key;
    } items[6];

    for (size_t i = 0; i < 6; i++)
        items[i].key = numbers[i];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_case(cases[i].what);
        CHECK_INT(cp_search_from(numbers, 8, cases[i].n, cases[i].key),
                  cases[i].from);
        CHECK_INT(cp_search_above(numbers, 8, cases[i].n, cases[i].key),
                  cases[i].above);
        CHECK_INT(cp_search_from(&items[0].key, sizeof(items[0]), cases[i].n,
                                 cases[i].key),
                  cases[i].from);
    }
}

int main(void)
{
    RUN(test_cases);
    return check_failures != 0;
}
