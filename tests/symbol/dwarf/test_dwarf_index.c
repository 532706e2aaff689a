/* test_dwarf_index.c - tests src/symbol/dwarf/dwarf_index.c. */
#include "symbol/dwarf/dwarf_functions.h"

#include <stdlib.h>

#include "check.h"

#define MANY 400000

static const uint8_t names[4];

/* Of ranges with equal start, the first that contains the address is found. */
static void test_one_start(void)
{
    struct cp_function_range items[] = {
        { 5, 9, &names[0] },
        { 10, 30, &names[1] },
        { 10, 12, &names[2] },
        { 10, 30, &names[3] },
    };
    struct cp_function_list l = { .items = items, .n = 4, .cap = 4 };

    CHECK(cp_function_at(&l, 4) == NULL);
    CHECK(cp_function_at(&l, 9) == NULL);
    CHECK(cp_function_at(&l, 8) == &names[0]);
    CHECK(cp_function_at(&l, 11) == &names[1]);
    CHECK(cp_function_at(&l, 20) == &names[1]);
    CHECK(cp_function_at(&l, 30) == NULL);
    items[1].high = 15;
    CHECK(cp_function_at(&l, 20) == &names[3]);
    items[1].low = items[2].low = items[3].low = 0;
    items[0] = items[1];
    CHECK(cp_function_at(&l, 3) == &names[1]);
}

/* A list of ranges with equal start is not searched linearly each time. */
static void test_many(void)
{
    struct cp_function_range *items = calloc(MANY, sizeof(*items));
    struct cp_function_list l = { .items = items, .n = MANY, .cap = MANY };
    int n_first = 0;

    for (size_t i = 0; i < MANY; i++)
        items[i] = (struct cp_function_range){ 16, 64, &names[i > 0] };
    for (uint64_t at = 0; at < 1000000; at++)
        n_first += cp_function_at(&l, 16 + at % 48) == &names[0];
    CHECK(n_first == 1000000);
    free(items);
}

int main(void)
{
    RUN(test_one_start);
    RUN(test_many);
    return check_failures != 0;
}
